// All runs of the project: active ones first, then the newest.
import type { RunEntry } from "../../src/page/model.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Ago, Command, Empty } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import { inboxNow, line, project } from "../store.ts";
import { counted, shown, standingWord } from "../words.ts";

export const standingIcon: Readonly<Record<RunEntry["standing"], IconName>> = {
  working: "running",
  waiting: "question",
  halted: "halted",
  stopped: "paused",
  done: "complete",
};

export function StandingMark({ standing }: { readonly standing: RunEntry["standing"] }) {
  return (
    <span class={`mark standing-${standing}`}>
      <Icon name={standingIcon[standing]} />
      {standingWord[standing]}
    </span>
  );
}

export function RunsView() {
  const page = project.value;
  if (!page)
    return (
      <p class="loading dim" role="status">
        Loading…
      </p>
    );
  const active = page.runs.filter(({ archived, standing }) => !archived && standing !== "done");
  const rest = page.runs.filter((run) => !active.includes(run));
  return (
    <div class="page">
      <h1>Runs</h1>
      <p class="dim path">{shown(page.root)}</p>
      {inboxNow.value.length > 0 && (
        <a class="callout" href="#/inbox">
          <Icon name="question" tone="waiting" />
          <span>
            <b>{counted(inboxNow.value.length, "thing")}</b> waiting for you
          </span>
          <Icon name="forward" />
        </a>
      )}
      {page.runs.length === 0 && <NoRuns />}
      <RunList title="Active" runs={active} />
      <RunList title={active.length > 0 ? "Earlier" : "Finished"} runs={rest} />
      <footer class="dim">heddle {shown(page.version)}</footer>
    </div>
  );
}

function NoRuns() {
  return (
    <Empty>
      Nothing was run in this project yet. Write a specification, then plan it:
      <Command text="heddle plan spec.md" />
      {line.value !== "inside" && "This page shows the run when it begins."}
    </Empty>
  );
}

function RunList({ title, runs }: { readonly title: string; readonly runs: readonly RunEntry[] }) {
  if (runs.length === 0) return null;
  return (
    <section>
      <h2>
        {title} <span class="count num">{runs.length}</span>
      </h2>
      <ul class="rows runs">
        {runs.map((run) => (
          <li key={run.id}>
            <a href={hrefOf({ at: "run", run: run.id, view: "overview", query: {} })}>
              <span class="grow">
                <span class="title">{shown(run.title)}</span>
                <span class="dim">
                  {shown(run.id)} · {shown(run.protocol)} · {shown(run.phase)}
                  {run.archived ? " · archived" : ""}
                </span>
              </span>
              {run.needsYou > 0 && <span class="badge num">{run.needsYou}</span>}
              <StandingMark standing={run.standing} />
              <span class="dim when">
                <Ago at={run.updatedAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
