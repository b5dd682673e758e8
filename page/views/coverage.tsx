// The specification: each requirement with the tasks that cover it, and what their evidence says. Gaps first.
import type { CoveragePage, RunPage } from "../../src/page/model.ts";
import { useOfRun } from "../load.ts";
import { Icon, type IconName, iconOf } from "../parts/icon.tsx";
import { Empty, Prose, Shown } from "../parts/text.tsx";
import { hrefOf, kept } from "../route.ts";
import { query, route, theSource } from "../store.ts";
import { shown } from "../words.ts";

type Requirement = CoveragePage["requirements"][number];
type Evidence = Requirement["evidence"];

const order: readonly Evidence[] = ["uncovered", "failed", "open", "claimed", "proven"];
const looks: Readonly<Record<Evidence, readonly [IconName, string]>> = {
  uncovered: ["blocked", "blocked"],
  failed: ["failed", "failed"],
  open: ["pending", "pending"],
  claimed: ["claimed", "running"],
  proven: ["complete", "complete"],
};

export function CoverageView({ run }: { readonly run: RunPage }) {
  const loaded = useOfRun(run, "coverage", (at) => theSource().coverage(at));
  return <Shown loaded={loaded}>{(page) => <Coverage run={run} page={page} />}</Shown>;
}

function Coverage({ run, page }: { readonly run: RunPage; readonly page: CoveragePage }) {
  const chosen = order.find((each) => each === route.value.query.evidence);
  const rows = page.requirements.filter(({ evidence }) => !chosen || evidence === chosen);
  const count = (evidence: Evidence) => page.requirements.filter((each) => each.evidence === evidence).length;
  if (page.requirements.length === 0) return <Empty>This run has no requirements to cover.</Empty>;
  return (
    <div class="page">
      {page.specification !== null && (
        <details class="specification">
          <summary>The specification</summary>
          <Prose text={page.specification} />
        </details>
      )}
      <div class="segments" role="group" aria-label="Filter by evidence">
        <button type="button" aria-pressed={!chosen} onClick={() => query({ evidence: "" })}>
          All {page.requirements.length}
        </button>
        {order
          .filter((each) => count(each) > 0)
          .map((each) => (
            <button
              type="button"
              key={each}
              aria-pressed={chosen === each}
              onClick={() => query({ evidence: each })}
            >
              <Icon name={looks[each][0]} tone={looks[each][1]} />
              {count(each)} {each}
            </button>
          ))}
      </div>
      <ul class="requirements">
        {rows.map((each) => (
          <Row key={each.id} run={run} requirement={each} />
        ))}
      </ul>
    </div>
  );
}

function Row({ run, requirement }: { readonly run: RunPage; readonly requirement: Requirement }) {
  const { id, text, tasks, evidence, detail } = requirement;
  const [icon, tone] = looks[evidence];
  return (
    <li class={`requirement evidence-${evidence}`}>
      <span class={`mark tone-${tone}`}>
        <Icon name={icon} />
        {evidence}
      </span>
      <div class="grow">
        <p>
          <span class="id">{shown(id)}</span> {shown(text)}
        </p>
        {detail !== null && <p class="dim">{shown(detail)}</p>}
        <p class="covering">
          {tasks.length === 0 && <span class="dim">No task covers it.</span>}
          {tasks.map((task) => {
            const row = run.tasks.find((each) => each.id === task);
            return (
              <a key={task} href={hrefOf({ at: "task", run: run.id, task, query: kept(route.value) })}>
                {row && <Icon name={iconOf(row)} tone={row.status} />}
                {shown(task)}
                {row && <span class="unseen"> {row.status}</span>}
              </a>
            );
          })}
        </p>
      </div>
    </li>
  );
}
