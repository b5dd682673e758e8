// A run at a glance: what needs a person, who is at work, the documents with what is wrong with them. The whole face of a
// run without tasks.
import type { ActorRow, DocumentRow, RunPage } from "../../src/page/model.ts";
import type { PlaceRow } from "../../src/page/places.ts";
import { Icon, type IconName, StatusMark } from "../parts/icon.tsx";
import { Ago, Empty, Prose } from "../parts/text.tsx";
import { hrefOf, kept } from "../route.ts";
import { nowMs, route } from "../store.ts";
import { counted, detailOf, shown } from "../words.ts";
import { InboxList } from "./inbox.tsx";

export function Overview({ run }: { readonly run: RunPage }) {
  const notable = run.tasks.filter(({ status }) => status === "running" || status === "failed");
  const places = run.places ?? [];
  const shownParts = [run.inbox, notable, run.documents, run.actors, places];
  const nothing = shownParts.every(({ length }) => length === 0) && !run.landed;
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
        <div>
          {notable.length > 0 && <Notable run={run} rows={notable} />}
          {run.documents.length > 0 && <Documents documents={run.documents} />}
        </div>
        <div>
          {run.actors.length > 0 && <Actors actors={run.actors} />}
          {places.length > 0 && <Places run={run.id} places={places} />}
        </div>
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

const placeIcons = { coordinates: "running", there: "complete", asking: "clock" } as const;
const placeWords = { coordinator: "", machine: "machine", worker: "worker" } as const;

function Places({ run, places }: { readonly run: string; readonly places: readonly PlaceRow[] }) {
  return (
    <section>
      <h2>Coordinators and machines</h2>
      <ul class="rows">
        {places.map(({ kind, name, status, reason, slots, labels, running }) => {
          const icon = placeIcons[status as keyof typeof placeIcons] as IconName | undefined;
          const facts = [placeWords[kind], slots !== null && counted(slots, "slot"), ...labels];
          return (
            <li key={`${kind} ${name}`} class="cell">
              <span class="grow">
                <span class="title">{shown(name)}</span>
                <span class="dim">{shown(facts.filter(Boolean).join(" · "))}</span>
                {reason !== null && status !== "there" && <span class="problem">{shown(reason)}</span>}
                {running.length > 0 && (
                  <span class="facts">
                    {running.map((task) => (
                      <a
                        key={task}
                        class="id"
                        href={hrefOf({ at: "task", run, task, query: kept(route.value) })}
                      >
                        {shown(task)}
                      </a>
                    ))}
                  </span>
                )}
              </span>
              <span class={`mark tone-${icon ?? "pending"}`}>
                <Icon name={icon ?? "paused"} />
                {shown(status)}
              </span>
            </li>
          );
        })}
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
