// One run: its head, which is the same above every view of it, the row of views, and the view itself.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { RunPage } from "../../src/page/model.ts";
import { usd } from "../../src/view/amount.ts";
import { useRun } from "../load.ts";
import { Actions } from "../parts/actions.tsx";
import { Icon } from "../parts/icon.tsx";
import { Ago, Command, Shown, Trouble } from "../parts/text.tsx";
import { hrefOf, kept, momentOf, type Route, type RunView, runViews } from "../route.ts";
import { isReadOnly, replayedMs, route, theSource } from "../store.ts";
import { columns, cost, costTitle, shown, total } from "../words.ts";
import { BoardView } from "./board.tsx";
import { CoverageView } from "./coverage.tsx";
import { GraphView } from "./graph.tsx";
import { MoneyView } from "./money.tsx";
import { Overview } from "./overview.tsx";
import { ReplayBar } from "./replay.tsx";
import { ReportView } from "./report.tsx";
import { StandingMark } from "./runs.tsx";
import { TaskView } from "./task.tsx";
import { TimelineView } from "./timeline.tsx";

type Here = Extract<Route, { readonly at: "run" | "task" }>;

export function RunFrame({ to }: { readonly to: Here }) {
  const loaded = useRun(to.run);
  const then = momentOf(to) === undefined ? undefined : loaded.page?.at;
  // Before anything is painted: what ran then had run for so long then.
  useLayoutEffect(() => {
    replayedMs.value = then === undefined ? null : Date.parse(then);
    return () => {
      replayedMs.value = null;
    };
  }, [then]);
  if (loaded.missing)
    return (
      <div class="page">
        <h1>{shown(to.run)} cannot be shown</h1>
        <Trouble problem={loaded.missing.message} hint={loaded.missing.hint} />
        <p>
          <a href="#/">All runs</a>
        </p>
      </div>
    );
  return (
    <Shown loaded={loaded}>
      {(run) => (
        <>
          <Head run={run} to={to} />
          {momentOf(to) !== undefined && <ReplayBar run={run} />}
          <div class={`view view-${to.at === "task" ? "task" : to.view}`}>
            <View run={run} to={to} />
          </div>
        </>
      )}
    </Shown>
  );
}

function View({ run, to }: { readonly run: RunPage; readonly to: Here }) {
  if (to.at === "task") return <TaskView run={run} id={to.task} key={to.task} />;
  switch (to.view) {
    case "overview":
      return <Overview run={run} />;
    case "board":
      return <BoardView run={run} />;
    case "graph":
      return <GraphView run={run} />;
    case "timeline":
      return <TimelineView run={run} />;
    case "money":
      return <MoneyView run={run} />;
    case "plan":
      return <CoverageView run={run} />;
    case "report":
      return <ReportView run={run} />;
  }
}

function Head({ run, to }: { readonly run: RunPage; readonly to: Here }) {
  const isThen = momentOf(to) !== undefined;
  return (
    <div class="head">
      <div class="headline">
        <h1>{shown(run.title)}</h1>
        <StandingMark standing={run.standing} />
        {!isReadOnly.value && (
          <Actions actions={run.actions} about={{ run: run.id, seen: run.position }} isQuiet />
        )}
      </div>
      <Facts run={run} isThen={isThen} />
      <Phases run={run} />
      {total(run) > 0 && <Progress run={run} />}
      {run.stopped && (
        <div class={`stopped standing-${run.standing}`}>
          <Icon name={run.standing === "halted" ? "halted" : "paused"} />
          <div>
            <p>{shown(run.stopped.why)}</p>
            {run.stopped.command && (
              <p class="dim">
                To continue: <Command text={run.stopped.command} />
              </p>
            )}
          </div>
        </div>
      )}
      {(run.notices?.length ?? 0) > 0 && (
        <div class="stopped">
          <Icon name="flag" />
          <div>
            {run.notices?.map((notice) => (
              <p key={notice}>{shown(notice)}</p>
            ))}
          </div>
        </div>
      )}
      <Tabs run={run} to={to} />
    </div>
  );
}

function Facts({ run, isThen }: { readonly run: RunPage; readonly isThen: boolean }) {
  const replay = { ...route.value, query: { ...route.value.query, at: String(run.position) } } as Route;
  return (
    <p class="dim facts">
      <span>{shown(run.id)}</span>
      <span>{shown(run.protocol)}</span>
      {run.round > 0 && <span>round {run.round}</span>}
      <span title={costTitle(run.usage)}>
        {run.usage.costUsd === null ? "cost unknown" : cost(run.usage)}
        {run.usage.budgetUsd !== null &&
          `${run.usage.costUsd === null ? ", budget" : " of"} ${usd(run.usage.budgetUsd)}`}
      </span>
      {!isThen && (
        <span>
          updated <Ago at={run.updatedAt} />
        </span>
      )}
      {theSource().live && !isThen && (
        <a class="replay-link" href={hrefOf(replay)}>
          <Icon name="clock" />
          Replay
        </a>
      )}
    </p>
  );
}

/** The last phase has nothing more to do. */
const isOver = ({ standing }: RunPage, state: string) => standing === "done" && state === "current";

export function Phases({ run }: { readonly run: RunPage }) {
  if (run.phases.length === 0) return null;
  return (
    <ol class="phases" aria-label="Phases">
      {run.phases.map(({ name, state, detail }) => (
        <li key={name} class={`phase-${state}`} aria-current={state === "current" ? "step" : undefined}>
          {(state === "done" || isOver(run, state)) && <Icon name="complete" tone="complete" />}
          {state === "current" && !isOver(run, state) && <Icon name="running" tone="running" />}
          <span class="phase-name">{shown(name)}</span>
          {state === "done" && <span class="unseen"> (done)</span>}
          {detail !== null && <span class="dim">{shown(detail)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** The bar and the same in words: `12 complete · 3 running`. */
function Progress({ run }: { readonly run: RunPage }) {
  const all = total(run);
  const parts = ["complete", "skipped", "running", "failed", "blocked", "pending"] as const;
  return (
    <div class="progress">
      <div class="bar" aria-hidden="true">
        {parts.map(
          (status) =>
            run.counts[status] > 0 && (
              <span key={status} class={`fill-${status}`} style={{ flexGrow: run.counts[status] }} />
            ),
        )}
      </div>
      <p class="num">
        <b>
          {run.counts.complete.toLocaleString("en-US")}/{all.toLocaleString("en-US")}
        </b>
        {columns
          .filter((status) => run.counts[status] > 0)
          .map((status) => (
            <span key={status} class={`tone-${status}`}>
              {run.counts[status].toLocaleString("en-US")} {status}
            </span>
          ))}
        {run.unverified > 0 && <span class="dim">{run.unverified} unverified</span>}
      </p>
    </div>
  );
}

const names: Readonly<Record<RunView, string>> = {
  overview: "Overview",
  board: "Board",
  graph: "Graph",
  timeline: "Timeline",
  money: "Money",
  plan: "Specification",
  report: "Report",
};

function Tabs({ run, to }: { readonly run: RunPage; readonly to: Here }) {
  const ofTasks: readonly RunView[] = ["board", "graph", "plan"];
  const views = runViews.filter((view) => run.tasks.length > 0 || !ofTasks.includes(view) || isAt(to, view));
  const row = useRef<HTMLElement>(null);
  // On a phone the row is wider than the screen.
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>("[aria-current]");
    if (here && row.current) row.current.scrollLeft = here.offsetLeft - 60;
  }, [to]);
  return (
    <nav class="tabs" aria-label="Views of this run" ref={row}>
      {views.map((view) => (
        <a
          key={view}
          href={hrefOf({ at: "run", run: run.id, view, query: kept(route.value) })}
          aria-current={isAt(to, view) ? "page" : undefined}
        >
          {names[view]}
          {view === "overview" && run.inbox.length > 0 && <span class="badge num">{run.inbox.length}</span>}
        </a>
      ))}
      {to.at === "task" && (
        <a href={hrefOf(to)} aria-current="page">
          {shown(to.task.replace(/^.*:/, ""))}
        </a>
      )}
    </nav>
  );
}

const isAt = (to: Here, view: RunView) => to.at === "run" && to.view === view;
