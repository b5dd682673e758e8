// Cost and tokens by role, agent, task and day, against the budget. What is unknown is shown as unknown, never as zero.
import type { Amount, MoneyRow, RunPage } from "../../src/page/model.ts";
import { tokens, usd } from "../../src/view/amount.ts";
import { useOfRun } from "../load.ts";
import { Empty, Shown } from "../parts/text.tsx";
import { hrefOf, kept } from "../route.ts";
import { route, theSource } from "../store.ts";
import { cost, costTitle, shown, tokenWords } from "../words.ts";

export function MoneyView({ run }: { readonly run: RunPage }) {
  const loaded = useOfRun(run, "money", (at) => theSource().money(at));
  const tasks = new Set(run.tasks.map(({ id }) => id));
  const taskHref = (name: string) =>
    tasks.has(name) ? hrefOf({ at: "task", run: run.id, task: name, query: kept(route.value) }) : null;
  return (
    <Shown loaded={loaded}>
      {({ total, byRole, byAgent, byTask, byDay }) => (
        <div class="page">
          <Total total={total} />
          {byRole.length + byAgent.length + byTask.length + byDay.length === 0 && (
            <Empty>No agent said what it used.</Empty>
          )}
          <div class="two">
            <Table title="By agent" rows={byAgent} />
            <Table title="By role" rows={byRole} />
            <Table title="By task" rows={byTask} hrefOf={taskHref} />
            <Table title="By day" rows={byDay} />
          </div>
        </div>
      )}
    </Shown>
  );
}

function Total({ total }: { readonly total: Amount }) {
  const { costUsd, budgetUsd } = total;
  const share = costUsd === null || !budgetUsd ? null : costUsd / budgetUsd;
  return (
    <section class="total">
      <p class="figure num">{costUsd === null ? "unknown" : cost(total)}</p>
      <p class="dim num">
        {budgetUsd === null ? "no budget" : `of a budget of ${usd(budgetUsd)}`} · {tokenWords(total)}
      </p>
      {share !== null && (
        <meter
          min={0}
          max={1}
          high={0.9}
          low={0.9}
          optimum={0}
          value={Math.min(1, share)}
          aria-label="Share of the budget"
        >
          {Math.round(share * 100)} %
        </meter>
      )}
      {total.unknownCosts > 0 && (
        <p class="warn">
          {costTitle(total)}:{" "}
          {costUsd === null || costUsd === 0 ? "the cost is unknown." : "the true cost is higher."}
        </p>
      )}
    </section>
  );
}

interface TableProps {
  readonly title: string;
  readonly rows: readonly MoneyRow[];
  readonly hrefOf?: (name: string) => string | null;
}

/** The most expensive ones; the rest is one line. */
const most = 25;

function Table({ title, rows, hrefOf: linkOf }: TableProps) {
  if (rows.length === 0) return null;
  const largest = Math.max(...rows.map(({ costUsd }) => costUsd ?? 0), Number.MIN_VALUE);
  return (
    <section>
      <h2>{title}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table class="amounts">
          <thead>
            <tr>
              <th scope="col">{title.replace("By ", "")}</th>
              <th scope="col" class="num">
                calls
              </th>
              <th scope="col" class="num">
                tokens
              </th>
              <th scope="col" class="num">
                cost
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row) => {
              const to = linkOf?.(row.name) ?? null;
              return (
                <tr key={row.name}>
                  <th scope="row">
                    {to === null ? shown(row.name) : <a href={to}>{shown(row.name)}</a>}
                    <span class="share" aria-hidden="true">
                      <span style={{ width: `${(100 * (row.costUsd ?? 0)) / largest}%` }} />
                    </span>
                  </th>
                  <td class="num">{row.calls}</td>
                  <td class="num">{tokens(row.inputTokens + row.outputTokens)}</td>
                  <td class="num" title={costTitle(row)}>
                    {cost(row)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {rows.length > most && <p class="dim">and {rows.length - most} more</p>}
    </section>
  );
}
