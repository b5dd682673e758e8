// One task: what it is, why it stands where it stands, what proves it, every attempt, its cost and its history, and what
// can be done about it.
import { useState } from "preact/hooks";
import type {
  AttemptRow,
  CriterionRow,
  HistoryRow,
  RunPage,
  TaskPage,
  TaskRow,
} from "../../src/page/model.ts";
import { elapsed } from "../../src/view/amount.ts";
import { DiffView } from "../diff/diff.tsx";
import { useOfRun } from "../load.ts";
import { Actions } from "../parts/actions.tsx";
import { Icon, type IconName, iconOf, StatusMark } from "../parts/icon.tsx";
import { Ago, At, Command, Hint, Prose, Shown } from "../parts/text.tsx";
import { hrefOf, kept } from "../route.ts";
import { nowMs, query, route, theSource } from "../store.ts";
import { cost, costTitle, counted, outcomeWord, shortly, shown, tokenWords } from "../words.ts";
import { Transcript } from "./transcript.tsx";

export function TaskView({ run, id }: { readonly run: RunPage; readonly id: string }) {
  const loaded = useOfRun(run, `task ${id}`, (at) => theSource().task({ ...at, task: id }));
  return <Shown loaded={loaded}>{(task) => <Task run={run} task={task} />}</Shown>;
}

function Task({ run, task }: { readonly run: RunPage; readonly task: TaskPage }) {
  // The row of the run is newer than the page while the page is asked for again; of an earlier plan there is none.
  const now = task.plan === null ? run.tasks.find(({ id }) => id === task.row.id) : undefined;
  const row = now ?? task.row;
  const about = { run: run.id, task: row.id, seen: run.position };
  return (
    <article class="page task-page">
      <Title run={run} task={task} row={row} />
      <Actions actions={task.actions.filter(({ do: what }) => what !== "comment")} about={about} />
      <div class="aside">
        <div class="main">
          {task.why.length > 0 && <Why task={task} />}
          {task.description !== null && (
            <section>
              <h3>Description</h3>
              <Prose text={task.description} />
            </section>
          )}
          <Evidence criteria={task.criteria} />
          <Notes notes={task.notes} />
          <Attempts run={run} task={task} />
        </div>
        <aside aria-label="About this task">
          <Links run={run} title="Needs" ids={row.dependsOn} />
          <Links run={run} title="Needed by" ids={task.neededBy} />
          <Files files={task.files} />
          <section>
            <h3>Outcome</h3>
            <p>{shown(task.outcome)}</p>
            {task.ms !== null && <p class="dim num">{elapsed(task.ms)} from its first attempt on</p>}
          </section>
          <section>
            <h3>Cost</h3>
            <p class="num" title={costTitle(task.usage)}>
              {cost(task.usage)} <span class="dim">· {tokenWords(task.usage)}</span>
            </p>
            {task.usage.unknownCosts > 0 && <p class="dim">{costTitle(task.usage)}</p>}
          </section>
          <History rows={task.history} />
        </aside>
      </div>
    </article>
  );
}

function Title({ run, task, row }: { run: RunPage; task: TaskPage; row: TaskRow }) {
  return (
    <header>
      <p class="facts dim">
        <StatusMark row={row} />
        {row.stage && <span>{row.stage}</span>}
        {row.status === "complete" && <span>{row.done ?? "unverified"}</span>}
        {task.plan !== null && <span class="tag">plan {shown(task.plan)}, replaced</span>}
        <span>phase {row.phase}</span>
        {row.steel && <span class="tag steel">steel thread</span>}
        {task.plan === null && run.critical.includes(row.id) && (
          <span class="tag critical">critical path</span>
        )}
        {row.tags.map((tag) => (
          <span class="tag" key={tag}>
            {shown(tag)}
          </span>
        ))}
      </p>
      <h2 class="big">
        <span class="id">{shown(row.id)}</span> {shown(row.name)}
      </h2>
    </header>
  );
}

function Why({ task }: { readonly task: TaskPage }) {
  return (
    <section class="why">
      <h3>Why it is in this state</h3>
      <ul>
        {task.why.map((reason, at) => (
          <li key={at}>
            <Hint text={reason} />
          </li>
        ))}
      </ul>
      {task.command && <Command text={task.command} />}
    </section>
  );
}

function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <div class="differs">
      {notes.map((note, at) => (
        <p key={at}>{shown(note)}</p>
      ))}
    </div>
  );
}

function Links({ run, title, ids }: { run: RunPage; title: string; ids: readonly string[] }) {
  if (ids.length === 0) return null;
  const rows = new Map<string, TaskRow>(ids.length > 20 ? run.tasks.map((row) => [row.id, row]) : []);
  const rowOf = (id: string) => rows.get(id) ?? run.tasks.find((row) => row.id === id);
  return (
    <section>
      <h3>
        {title} <span class="count num">{ids.length}</span>
      </h3>
      <ul class="links">
        {ids.slice(0, 30).map((id) => {
          const row = rowOf(id);
          return (
            <li key={id}>
              <a href={hrefOf({ at: "task", run: run.id, task: id, query: kept(route.value) })}>
                {row && <Icon name={iconOf(row)} tone={row.status} />}
                <span class="id">{shown(id)}</span>
                <span class="one">{row ? shown(row.name) : ""}</span>
                {row && <span class="unseen">, {row.status}</span>}
              </a>
            </li>
          );
        })}
      </ul>
      {ids.length > 30 && <p class="dim">and {ids.length - 30} more</p>}
    </section>
  );
}

function Files({ files }: { readonly files: TaskPage["files"] }) {
  if (files.length === 0) return null;
  return (
    <section>
      <h3>Files</h3>
      <ul class="plain">
        {files.map(({ path, action }) => (
          <li key={path} class="path">
            <span class="dim">{shown(action)}</span> {shown(path)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function History({ rows }: { readonly rows: readonly HistoryRow[] }) {
  const [all, setAll] = useState(false);
  if (rows.length === 0) return null;
  const last = all ? rows : rows.slice(-12);
  return (
    <section>
      <h3>History</h3>
      <ol class="history">
        {last.map(({ position, at, by, text }) => (
          <li key={position}>
            {theSource().live ? (
              <a
                class="dim num"
                href={hrefOf({ ...route.value, query: { ...route.value.query, at: String(position) } })}
                title={`Show the run as it was at event ${position}`}
              >
                <At at={at} />
              </a>
            ) : (
              <span class="dim">
                <At at={at} />
              </span>
            )}
            <span>
              {shown(text)} <span class="dim">{shown(by)}</span>
            </span>
          </li>
        ))}
      </ol>
      {rows.length > last.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          Show all {rows.length}
        </button>
      )}
    </section>
  );
}

const resultIcon: Readonly<Record<CriterionRow["result"], readonly [IconName, string, string]>> = {
  passed: ["complete", "complete", "passed"],
  failed: ["failed", "failed", "failed"],
  "not-run": ["pending", "pending", "not run"],
  excused: ["skipped", "blocked", "excused"],
};

function Evidence({ criteria, title = "Evidence" }: { criteria: readonly CriterionRow[]; title?: string }) {
  if (criteria.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="criteria">
        {criteria.map((each, at) => (
          <Criterion key={at} row={each} />
        ))}
      </ul>
    </section>
  );
}

function Criterion({ row }: { readonly row: CriterionRow }) {
  const [icon, tone, word] = resultIcon[row.result];
  const numbers = [
    row.exit === null ? "" : `exit ${row.exit}`,
    shortly(row.ms),
    row.tree === null ? "" : `tree ${row.tree.slice(0, 10)}`,
  ].filter(Boolean);
  return (
    <li>
      <span class={`mark tone-${tone}`}>
        <Icon name={icon} />
        {word}
      </span>
      <div class="grow">
        <p>{shown(row.criterion)}</p>
        <p class="dim">
          <code>{shown(row.command)}</code> <span class="num">{numbers.join(" · ")}</span>
        </p>
        {row.note !== null && <p class="dim">{shown(row.note)}</p>}
        {row.logs.map((path) => (
          <Log key={path} path={path} />
        ))}
        {row.output !== null && row.output !== "" && (
          <details open={row.result === "failed"}>
            <summary>The end of what it printed</summary>
            <pre class="log" tabIndex={0} role="group" aria-label={`Output of ${row.command}`}>
              {shown(row.output)}
            </pre>
          </details>
        )}
      </div>
    </li>
  );
}

/** A file on the reader's machine: a page that is a file may lead there, one that is served may not. */
function Log({ path }: { readonly path: string }) {
  if (theSource().live || !path.startsWith("/"))
    return (
      <p class="dim path">
        log: <code>{shown(path)}</code>
      </p>
    );
  return (
    <p class="path">
      <a href={`file://${path.split("/").map(encodeURIComponent).join("/")}`}>log</a>{" "}
      <code class="dim">{shown(path)}</code>
    </p>
  );
}

function Attempts({ run, task }: { readonly run: RunPage; readonly task: TaskPage }) {
  const last = task.attempts.at(-1);
  const chosen = task.attempts.find(({ number }) => String(number) === route.value.query.attempt) ?? last;
  const diff = chosen && chosen !== last ? chosen.diff : (chosen?.diff ?? task.diff);
  return (
    <>
      {chosen && (
        <section>
          <h3>Attempts</h3>
          <div class="segments" role="group" aria-label="Attempts">
            {task.attempts.map(({ number, outcome }) => (
              <button
                type="button"
                key={number}
                aria-pressed={number === chosen.number}
                onClick={() => query({ attempt: String(number) })}
              >
                <Icon name={outcome} tone={outcome} />
                {number} · {outcomeWord[outcome]}
              </button>
            ))}
          </div>
          <Attempt attempt={chosen} isOnly={chosen === last} />
        </section>
      )}
      {diff && (
        <section>
          <h3>
            Changes <span class="count">{counted(diff.files.length, "file")}</span>
          </h3>
          <DiffView
            diff={diff}
            comments={task.comments}
            action={task.actions.find(({ do: what }) => what === "comment") ?? null}
            about={{ run: run.id, task: task.row.id, seen: run.position }}
          />
        </section>
      )}
      {chosen?.transcript && theSource().live && (
        <Transcript key={chosen.number} run={run.id} task={task.row.id} attempt={chosen.number} />
      )}
    </>
  );
}

function Attempt({ attempt, isOnly }: { readonly attempt: AttemptRow; readonly isOnly: boolean }) {
  const { agent, startedAt, endedAt, category, error, stages, differences, checks } = attempt;
  const end = endedAt === null ? nowMs.value : Date.parse(endedAt);
  return (
    <div class="attempt">
      <p class="facts dim">
        {agent !== null && <span>{shown(agent)}</span>}
        {category !== null && <span>failed ({shown(category)})</span>}
        <span>
          began <Ago at={startedAt} />
        </span>
        <span class="num">{elapsed(end - Date.parse(startedAt))}</span>
        {stages.map(({ stage, ms }, at) => (
          <span key={at} class="num">
            {shown(stage)} {elapsed(ms)}
          </span>
        ))}
      </p>
      {error !== null && <pre class="error">{shown(error)}</pre>}
      {differences.length > 0 && (
        <div class="differs">
          <p>What the agent said and what heddle saw differ:</p>
          <ul>
            {differences.map((each, at) => (
              <li key={at}>{shown(each)}</li>
            ))}
          </ul>
        </div>
      )}
      <Said attempt={attempt} />
      {!isOnly && <Evidence criteria={checks} title={`Checks of attempt ${attempt.number}`} />}
    </div>
  );
}

/** What its agent said, asked for and logged. */
function Said({ attempt: { claim, refused, logged } }: { readonly attempt: AttemptRow }) {
  return (
    <>
      {claim !== null && <p class="dim">Its agent said {shown(claim)}.</p>}
      {refused.length > 0 && (
        <div class="differs">
          <p>heddle refused what the agent asked for:</p>
          <ul>
            {refused.map((each, at) => (
              <li key={at}>{shown(each)}</li>
            ))}
          </ul>
        </div>
      )}
      {logged.length > 0 && (
        <details>
          <summary>What it logged</summary>
          <ul class="plain">
            {logged.map(({ level, text }, at) => (
              <li key={at}>
                <span class={level === "INFO" ? "dim" : "tone-blocked"}>{shown(level)}</span> {shown(text)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
