// A run at a glance: what needs a person, who is at work, the documents with what is wrong with them. The whole face of a
// run without tasks.
import type { ActorRow, DocumentRow, RunPage } from "../../src/page/model.ts";
import { Icon, StatusMark } from "../parts/icon.tsx";
import { Ago, Empty, Prose } from "../parts/text.tsx";
import { hrefOf, kept } from "../route.ts";
import { nowMs, route } from "../store.ts";
import { detailOf, shown } from "../words.ts";
import { InboxList } from "./inbox.tsx";

export function Overview({ run }: { readonly run: RunPage }) {
  const notable = run.tasks.filter(({ status }) => status === "running" || status === "failed");
  const nothing =
    run.inbox.length + notable.length + run.documents.length + run.actors.length === 0 && !run.landed;
  return (
    <div class="page">
      {run.inbox.length > 0 && (
        <section>
          <h2>Needs you</h2>
          <InboxList items={run.inbox} seen={() => run.position} inRun />
        </section>
      )}
      {run.landed && (
        <p class="landed">
          <Icon name="complete" tone="complete" />
          Landed as <code>{run.landed.commit.slice(0, 12)}</code> <Ago at={run.landed.at} />
        </p>
      )}
      <div class="two">
        {notable.length > 0 && <Notable run={run} rows={notable} />}
        {run.actors.length > 0 && <Actors actors={run.actors} />}
        {run.documents.length > 0 && <Documents documents={run.documents} />}
      </div>
      {nothing && (
        <Empty>
          {run.tasks.length > 0 ? "Nobody is at work, and nothing needs you." : "Nothing to show yet."}
        </Empty>
      )}
      <p class="dim path">
        Works on <code>{shown(run.targetDir)}</code>, begun <Ago at={run.createdAt} />, event{" "}
        <span class="num">{run.position}</span>
      </p>
    </div>
  );
}

/** More than these are on the board. */
const most = 12;

function Notable({ run, rows }: { readonly run: RunPage; readonly rows: RunPage["tasks"] }) {
  return (
    <section>
      <h2>
        At work and failed <span class="count num">{rows.length}</span>
      </h2>
      <ul class="rows">
        {rows.slice(0, most).map((row) => (
          <li key={row.id}>
            <a href={hrefOf({ at: "task", run: run.id, task: row.id, query: kept(route.value) })}>
              <StatusMark row={row} />
              <span class="grow one">
                <span class="id">{shown(row.id)}</span> {shown(row.name)}
              </span>
              <span class="dim num">{detailOf(row, nowMs.value)}</span>
            </a>
          </li>
        ))}
      </ul>
      {rows.length > most && (
        <a href={hrefOf({ at: "run", run: run.id, view: "board", query: kept(route.value) })}>
          {rows.length - most} more on the board
        </a>
      )}
    </section>
  );
}

function Actors({ actors }: { readonly actors: readonly ActorRow[] }) {
  return (
    <section>
      <h2>Roles</h2>
      <ul class="rows">
        {actors.map(({ name, status, attempts, problems }) => (
          <li key={name} class="cell">
            <span class="grow">
              <span class="title">{shown(name)}</span>
              {problems.map((problem, at) => (
                <span key={at} class="problem">
                  {shown(problem)}
                </span>
              ))}
            </span>
            <span>{shown(status)}</span>
            {attempts > 1 && <span class="dim">attempt {attempts}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Documents({ documents }: { readonly documents: readonly DocumentRow[] }) {
  return (
    <section>
      <h2>Documents</h2>
      <ul class="rows">
        {documents.map((each) => (
          <DocumentCell key={`${each.name} ${each.path}`} row={each} />
        ))}
      </ul>
    </section>
  );
}

/** What is not there yet is neither right nor wrong. */
const looksOf = ({ valid, problems }: DocumentRow): readonly ["complete" | "failed" | "pending", string] =>
  valid ? ["complete", "valid"] : problems.length > 0 ? ["failed", "not valid"] : ["pending", ""];

function DocumentCell({ row }: { readonly row: DocumentRow }) {
  const { name, path, state, problems, at, said = [] } = row;
  const [icon, word] = looksOf(row);
  const words = [word, state === word ? "" : state].filter(Boolean).join(", ");
  return (
    <li class="cell">
      <span class="grow">
        <span class="title">{shown(name)}</span>
        <span class="dim path">{shown(path)}</span>
        {problems.map((problem, each) => (
          <span key={each} class="problem">
            {shown(problem)}
          </span>
        ))}
        {said.length > 0 && (
          <details>
            <summary>What it says</summary>
            {said.map((line, each) => (
              <Prose key={each} text={line} />
            ))}
          </details>
        )}
      </span>
      <span class={`mark tone-${icon}`}>
        <Icon name={icon} />
        {shown(words)}
      </span>
      {at !== null && (
        <span class="dim">
          <Ago at={at} />
        </span>
      )}
    </li>
  );
}
