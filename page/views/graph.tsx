// The plan as layers, lighting up as it goes. A press on a task shows why it stands where it stands. The list says the same
// in words, in the order in which work can be done.
import { useMemo, useRef } from "preact/hooks";
import type { RunPage, TaskPage } from "../../src/page/model.ts";
import { type Picture, pictureOf } from "../graph/model.ts";
import { Scene } from "../graph/scene.tsx";
import { useOfRun } from "../load.ts";
import { Icon, iconOf, StatusMark } from "../parts/icon.tsx";
import { Command, Empty, Hint, Shown } from "../parts/text.tsx";
import { Windowed } from "../parts/windowed.tsx";
import { hrefOf, kept } from "../route.ts";
import { query, route, theSource } from "../store.ts";
import { shown } from "../words.ts";

export function GraphView({ run }: { readonly run: RunPage }) {
  const last = useRef<Picture | null>(null);
  const picture = useMemo(() => pictureOf(run, last.current), [run.tasks, run.critical]);
  last.current = picture;
  const isList = route.value.query.as === "list";
  const chosen = route.value.query.task ?? "";
  const selected = picture.index.get(chosen) ?? null;
  if (run.tasks.length === 0) return <Empty>This run has no tasks yet.</Empty>;
  return (
    <>
      <div class="toolbar">
        <div class="segments" role="group" aria-label="How the graph is shown">
          <button type="button" aria-pressed={!isList} onClick={() => query({ as: "" })}>
            Graph
          </button>
          <button type="button" aria-pressed={isList} onClick={() => query({ as: "list" })}>
            List
          </button>
        </div>
        <ul class="legend">
          <li>
            <i class="swatch critical" aria-hidden="true" /> critical path
          </li>
          <li>
            <span aria-hidden="true">◆</span> steel thread
          </li>
        </ul>
      </div>
      {isList ? (
        <List run={run} picture={picture} />
      ) : (
        <div class="graph">
          <Scene
            picture={picture}
            selected={selected}
            onSelect={(at) => query({ task: at === null ? "" : (picture.rows[at]?.id ?? "") })}
          />
          {selected !== null && <Panel run={run} id={chosen} key={chosen} onClose={close} />}
        </div>
      )}
    </>
  );
}

/** The panel goes, and the graph has the focus that was in it. */
function close(): void {
  query({ task: "" });
  document.querySelector<HTMLElement>(".ground")?.focus({ preventScroll: true });
}

interface PanelProps {
  readonly run: RunPage;
  readonly id: string;
  readonly onClose: () => void;
}

function Panel({ run, id, onClose }: PanelProps) {
  const loaded = useOfRun(run, `task ${id}`, (at) => theSource().task({ ...at, task: id }));
  const row = run.tasks.find((each) => each.id === id);
  if (!row) return null;
  return (
    <aside
      class="panel"
      aria-label={`Why ${id} is in its state`}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <header>
        <StatusMark row={row} />
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <h2>
        <span class="id">{shown(id)}</span> {shown(row.name)}
      </h2>
      <Shown loaded={loaded}>{(task) => <Reasons task={task} />}</Shown>
      <a class="button" href={hrefOf({ at: "task", run: run.id, task: id, query: kept(route.value) })}>
        Open task
      </a>
    </aside>
  );
}

function Reasons({ task }: { readonly task: TaskPage }) {
  return (
    <>
      <ul class="reasons">
        {task.why.map((reason, at) => (
          <li key={at}>
            <Hint text={reason} />
          </li>
        ))}
      </ul>
      {task.command && <Command text={task.command} />}
      <dl class="near-by">
        <dt>Needs</dt>
        <Others ids={task.row.dependsOn} />
        <dt>Needed by</dt>
        <Others ids={task.neededBy} />
      </dl>
    </>
  );
}

const mostOthers = 12;

function Others({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return <dd class="dim">nothing</dd>;
  return (
    <dd>
      {ids.slice(0, mostOthers).map((id) => (
        <a key={id} class="id" href={hrefOf({ ...route.value, query: { ...route.value.query, task: id } })}>
          {shown(id)}
        </a>
      ))}
      {ids.length > mostOthers && <span class="dim">and {ids.length - mostOthers} more</span>}
    </dd>
  );
}

function List({ run, picture }: { readonly run: RunPage; readonly picture: Picture }) {
  const rows = useMemo(
    () =>
      picture.rows
        .map((row, at) => ({ row, layer: picture.layout.nodes[at]?.layer ?? 0 }))
        .sort((a, b) => a.layer - b.layer || (a.row.id < b.row.id ? -1 : 1)),
    [picture],
  );
  return (
    <Windowed class="tall" items={rows} rowHeight={56} label="Tasks by layer" keyOf={({ row }) => row.id}>
      {({ row, layer }, tabIndex) => (
        <a
          class="row"
          tabIndex={tabIndex}
          href={hrefOf({ at: "task", run: run.id, task: row.id, query: kept(route.value) })}
        >
          <span class="dim num">layer {layer + 1}</span>
          <span class={`mark tone-${row.status}`}>
            <Icon name={iconOf(row)} />
            {row.status}
          </span>
          <span class="grow">
            <span class="one">
              <span class="id">{shown(row.id)}</span> {shown(row.name)}
            </span>
            <span class="dim one">
              {row.dependsOn.length === 0 ? "needs nothing" : `needs ${row.dependsOn.map(shown).join(", ")}`}
            </span>
          </span>
          {picture.critical.has(row.id) && <span class="tag critical">critical path</span>}
          {row.steel && <span class="tag steel">steel thread</span>}
        </a>
      )}
    </Windowed>
  );
}
