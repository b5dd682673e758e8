// What is asked of Postgres, as statements with names: each is prepared once per connection, and takes one round trip.
import type { FactKind } from "../../core/fact.ts";
import type { Range } from "../journal.ts";
import type { Written } from "../row.ts";
import type { Query } from "./link.ts";

export const runsIn = (project: number): Query => ({
  name: "runs",
  text: `select id, protocol, phase, archived, "position" from heddle.run where project = $1 order by ordinal, id`,
  values: [project],
});

/** The record and every task of one moment. */
export const headAndTasks = (project: number, run: string): Query => ({
  name: "load",
  text: `select id, protocol, format, head, hash, sum::float8 as sum, (
      select json_agg(json_build_array(t.id, t.ready, t.notable, t.steel, t.remaining, t.fixed, t.fixed_sum, t.state, t.sum))
      from heddle.task t where t.project = r.project and t.run = r.id
    ) as tasks
    from heddle.run r where project = $1 and id = $2`,
  values: [project, run],
});

const ofFact = `f."position", f.at, f."by", f.format, f.body, f.hash`;

/** One row without a fact where there is none: the run is there. */
export const factsAfter = (project: number, run: string, after: number): Query => ({
  name: "follow",
  text: `select r."position" as last, r.hash as head, ${ofFact} from heddle.run r
    left join heddle.fact f on f.project = r.project and f.run = r.id and f."position" > $3
    where r.project = $1 and r.id = $2 order by f."position"`,
  values: [project, run, after],
});

export function factsIn(project: number, run: string, range: Range): Query {
  const { after = 0, upTo = 2 ** 31 - 1, kinds, without = [] } = range;
  // A fact's text begins with its kind.
  const begins = (kind: FactKind) => `{"kind":"${kind}"%`;
  return {
    name: "facts",
    text: `select ${ofFact} from heddle.run r
      left join heddle.fact f on f.project = r.project and f.run = r.id and f."position" > $3 and f."position" <= $4
        and ($5::text[] is null or f.body like any ($5)) and not f.body like any ($6)
      where r.project = $1 and r.id = $2 order by f."position"`,
    values: [
      ...[project, run, after, Math.min(upTo, 2 ** 31 - 1)],
      ...[kinds ? kinds.map(begins) : null, without.map(begins)],
    ],
  };
}

interface Commit {
  readonly project: number;
  readonly run: string;
  readonly protocol: string;
  readonly expected: number;
  readonly id: string;
  readonly by: string;
  readonly format: number;
  readonly phase: string;
  readonly archived: number;
  readonly head: string;
  readonly sum: number;
  readonly at: readonly string[];
  readonly bodies: readonly string[];
  readonly hashes: readonly string[];
  readonly dropped: readonly string[];
  readonly rows: readonly Written[];
}

export function commit(c: Commit): Query {
  const column = <K extends keyof Written>(key: K) => c.rows.map((row) => row[key]);
  const values = [
    ...[c.project, c.run, c.protocol, c.expected, c.id, c.by, c.format, c.phase, c.archived, c.head, c.sum],
    ...[
      c.at,
      c.bodies,
      c.hashes,
      c.dropped,
      column("id"),
      column("ready"),
      column("notable"),
      column("steel"),
    ],
    ...[column("remaining"), column("fixed"), column("fixed_sum"), column("state"), column("sum")],
  ];
  const text = `select heddle.commit(${values.map((_, at) => `$${at + 1}`).join(", ")}) as said`;
  return { name: "commit", text, values };
}
