// Tasks in columns by state, counts first. Arrow keys go through a column and from column to column; `/` filters.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RunPage, TaskRow } from "../../src/page/model.ts";
import { Icon, iconOf } from "../parts/icon.tsx";
import { Empty } from "../parts/text.tsx";
import { type ListHandle, Windowed } from "../parts/windowed.tsx";
import { hrefOf, kept } from "../route.ts";
import { choicesOf, filtered, isFiltered } from "../shape/filter.ts";
import { nowMs, query, route } from "../store.ts";
import { columns, detailOf, shown } from "../words.ts";

const cardHeight = 66;

export function BoardView({ run }: { readonly run: RunPage }) {
  const words = route.value.query;
  const { phase, agent, tag, q } = words;
  const rows = useMemo(() => filtered(run.tasks, words), [run.tasks, phase, agent, tag, q]);
  const byStatus = useMemo(() => Map.groupBy(rows, ({ status }) => status), [rows]);
  const lists = useRef(new Map<string, ListHandle>());
  const there = useMemo(() => new Set(run.tasks.map(({ status }) => status)), [run.tasks]);
  if (run.tasks.length === 0) return <Empty>This run has no tasks yet.</Empty>;
  const shownColumns = columns.filter((status) => there.has(status) || status === "running");
  return (
    <>
      <Filter run={run} found={rows.length} />
      <div class="board">
        {shownColumns.map((status, at) => (
          <section key={status} class={`column column-${status}`}>
            <h2 class={`tone-${status}`}>
              <Icon name={status} />
              {status}
              <span class="count num">{(byStatus.get(status)?.length ?? 0).toLocaleString("en-US")}</span>
            </h2>
            <Windowed
              items={byStatus.get(status) ?? none}
              rowHeight={cardHeight}
              label={`Tasks: ${status}`}
              keyOf={idOf}
              handle={(list) => lists.current.set(status, list)}
              onAside={(step, row) => {
                for (let to = at + step; to >= 0 && to < shownColumns.length; to += step) {
                  const name = shownColumns[to];
                  if (name === undefined || !byStatus.get(name)?.length) continue;
                  lists.current.get(name)?.focus(row);
                  return;
                }
              }}
            >
              {(row, tabIndex) => <Card run={run.id} row={row} tabIndex={tabIndex} />}
            </Windowed>
          </section>
        ))}
      </div>
    </>
  );
}

const none: readonly TaskRow[] = [];
const idOf = ({ id }: TaskRow) => id;

function Card({ run, row, tabIndex }: { run: string; row: TaskRow; tabIndex: 0 | -1 }) {
  const to = hrefOf({ at: "task", run, task: row.id, query: kept(route.value) });
  return (
    <a class={`card task task-${row.status}`} href={to} tabIndex={tabIndex}>
      <span class="line1">
        <Icon name={iconOf(row)} tone={row.status} />
        <span class="id">{shown(row.id)}</span>
        {row.steel && <span class="tag steel">steel thread</span>}
        <span class="dim end one">
          {shown([row.agent, row.machine && `on ${row.machine}`].filter(Boolean).join(" "))}
        </span>
      </span>
      <span class="one name">{shown(row.name)}</span>
      <span class="dim one num">
        {[
          `phase ${row.phase}`,
          detailOf(row, row.status === "running" ? nowMs.value : 0),
          ...row.tags.map(shown),
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </a>
  );
}

function Filter({ run, found }: { readonly run: RunPage; readonly found: number }) {
  const { phases, agents, tags } = useMemo(() => choicesOf(run.tasks), [run.tasks]);
  const words = route.value.query;
  const text = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const inField = event.target instanceof HTMLElement && event.target.closest("input, textarea, select");
      if (event.key !== "/" || inField || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      text.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <form class="filter" role="search" aria-label="Filter tasks" onSubmit={(event) => event.preventDefault()}>
      <input
        ref={text}
        type="search"
        aria-label="Filter by text"
        placeholder="Filter by text  /"
        value={words.q ?? ""}
        onInput={(event) => query({ q: event.currentTarget.value })}
      />
      <Choice name="phase" all="All phases" options={phases.map(String)} word={(each) => `Phase ${each}`} />
      <Choice name="agent" all="All agents" options={agents} word={shown} />
      <Choice name="tag" all="All tags" options={tags} word={shown} />
      <span class="dim num" role="status">
        {isFiltered(words)
          ? `${found.toLocaleString("en-US")} of ${run.tasks.length.toLocaleString("en-US")}`
          : ""}
      </span>
      {isFiltered(words) && (
        <button type="button" class="quiet" onClick={() => query({ q: "", phase: "", agent: "", tag: "" })}>
          Clear
        </button>
      )}
    </form>
  );
}

interface ChoiceProps {
  readonly name: "phase" | "agent" | "tag";
  readonly all: string;
  readonly options: readonly string[];
  readonly word: (option: string) => string;
}

function Choice({ name, all, options, word }: ChoiceProps) {
  const now = route.value.query[name] ?? "";
  if (options.length < 2 && now === "") return null;
  return (
    <select
      aria-label={`Filter by ${name}`}
      value={now}
      onChange={(event) => query({ [name]: event.currentTarget.value })}
    >
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {word(option)}
        </option>
      ))}
    </select>
  );
}
