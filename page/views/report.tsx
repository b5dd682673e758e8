// The run as a whole, in the words that every report has: facts, what is left, overrides, the way it took, and its tasks. The first
// view of a report that is a file.
import { useMemo } from "preact/hooks";
import type { ReportPage, RunPage } from "../../src/page/model.ts";
import { elapsed } from "../../src/view/amount.ts";
import { DiffView } from "../diff/diff.tsx";
import { useOfRun } from "../load.ts";
import { Icon, StatusMark } from "../parts/icon.tsx";
import { Command, Shown } from "../parts/text.tsx";
import { hrefOf, kept } from "../route.ts";
import { leftOut, route, theSource } from "../store.ts";
import { cost, counted, day, shown } from "../words.ts";

export function ReportView({ run }: { readonly run: RunPage }) {
  const loaded = useOfRun(run, "report", (at) => theSource().report(at));
  return <Shown loaded={loaded}>{(report) => <Report run={run} report={report} />}</Shown>;
}

const taskHref = (run: string, task: string) => hrefOf({ at: "task", run, task, query: kept(route.value) });

function Report({ run, report }: { readonly run: RunPage; readonly report: ReportPage }) {
  const { headline, warnings, facts, sections, difference } = report;
  return (
    <article class="page report">
      <h2 class="big">{shown(headline)}</h2>
      {warnings.map((each) => (
        <p class="warn" key={each}>
          {shown(each)}
        </p>
      ))}
      <dl class="pairs">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{shown(name)}</dt>
            <dd>{shown(value)}</dd>
          </div>
        ))}
      </dl>
      {sections.map((section) => (
        <Section key={section.title} run={run} section={section} />
      ))}
      <Tasks run={run} />
      <Earlier run={run} />
      {difference !== null && <Difference run={run} text={difference} />}
      <p class="dim">
        Written {day(report.writtenAt)} by heddle. <code>heddle report</code> writes it again.
      </p>
    </article>
  );
}

function Section({
  run,
  section,
}: {
  readonly run: RunPage;
  readonly section: ReportPage["sections"][number];
}) {
  const { title, text, head, rows, more } = section;
  const known = useMemo(() => new Set(run.tasks.map(({ id }) => id)), [run.tasks]);
  return (
    <section>
      <h3>{shown(title)}</h3>
      {text !== undefined && <p class="prose">{shown(text)}</p>}
      {rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table class="told">
            <thead>
              <tr>
                {head.map((name, at) => (
                  <th scope="col" key={at}>
                    {name === "" ? <span class="unseen">result</span> : shown(name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>
                      {typeof cell !== "string" ? (
                        <Command text={cell.code} />
                      ) : head[column] === "task" && known.has(cell) ? (
                        <a href={taskHref(run.id, cell)}>{shown(cell)}</a>
                      ) : (
                        shown(cell)
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more !== undefined && <p class="dim">{shown(more)}</p>}
    </section>
  );
}

/** More are on the board. */
const most = 200;

function Tasks({ run }: { readonly run: RunPage }) {
  if (run.tasks.length === 0) return null;
  const board = hrefOf({ at: "run", run: run.id, view: "board", query: kept(route.value) });
  return (
    <section>
      <h3>
        Tasks <span class="count num">{run.tasks.length.toLocaleString("en-US")}</span>
      </h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Tasks">
        <table class="told">
          <thead>
            <tr>
              {["task", "name", "is", "attempts", "time", "cost"].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {run.tasks.slice(0, most).map((row) => (
              <tr key={row.id}>
                <th scope="row">
                  <a href={taskHref(run.id, row.id)}>{shown(row.id)}</a>
                </th>
                <td>{shown(row.name)}</td>
                <td>
                  <StatusMark row={row} />
                  {row.status === "complete" && row.done !== "verified" && (
                    <span class="dim"> not verified</span>
                  )}
                </td>
                <td class="num">{row.attempts}</td>
                <td class="num">
                  {row.startedAt && row.completedAt
                    ? elapsed(Date.parse(row.completedAt) - Date.parse(row.startedAt))
                    : "—"}
                </td>
                <td class="num">{cost({ costUsd: row.costUsd, unknownCosts: 0 })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {run.tasks.length > most && (
        <p>
          <a href={board}>{counted(run.tasks.length - most, "more task")} on the board</a>
        </p>
      )}
      {leftOut() > 0 && (
        <p class="dim">
          {counted(leftOut(), "task")} of this report {leftOut() === 1 ? "is" : "are"} without diffs, logs and
          history, which would make it too large to open. <code>heddle report --json</code> has them.
        </p>
      )}
    </section>
  );
}

function Earlier({ run }: { readonly run: RunPage }) {
  const rows = run.earlier ?? [];
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>
        Tasks of earlier plans <span class="count num">{rows.length}</span>
      </h3>
      <ul class="rows">
        {rows.map(({ id, plan, task, name, status }) => (
          <li key={id}>
            <a href={taskHref(run.id, id)}>
              <Icon name={status} tone={status} />
              <span class="grow one">
                <span class="id">{shown(task)}</span> {shown(name)}
              </span>
              <span class="dim">
                {status}, plan {shown(plan)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Difference({ run, text }: { readonly run: RunPage; readonly text: string }) {
  return (
    <section>
      <h3>Changes</h3>
      <DiffView
        diff={{ files: [], text, cut: false }}
        comments={[]}
        action={null}
        about={{ run: run.id, seen: run.position }}
      />
    </section>
  );
}
