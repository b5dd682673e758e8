// The tables of a journal in Postgres, in a schema of their own, and the one function that commits. They are made by numbered steps,
// one process at a time; an older heddle refuses tables that a newer one made.
import { problem } from "../../core/problem.ts";
import { StoreFailure } from "../journal.ts";
import { placeOf } from "./address.ts";
import type { Link } from "./link.ts";

/** Classes of advisory locks: of whoever moves a project away, of turns (`Journal.lease`), and of the migration. */
export const locks = { moving: 1_751_475_300, turn: 1_751_475_301, migration: 1_751_475_302 } as const;

const tables = `
  create table heddle.project (
    id integer generated always as identity primary key, name text collate "C" not null unique,
    state text not null default 'ready', origin text, moved_to text, restored text, made timestamptz not null default now()
  );
  create table heddle.run (
    project integer not null references heddle.project on delete cascade, id text collate "C" not null, protocol text not null,
    ordinal integer not null, phase text not null, archived integer not null, "position" integer not null, format integer not null,
    head text not null, hash text not null, sum bigint not null,
    primary key (project, id)
  ) with (fillfactor = 50);
  create table heddle.fact (
    project integer not null, run text collate "C" not null, "position" integer not null, at text not null, "by" text not null,
    format integer not null, body text not null, hash text not null, "commit" text not null,
    primary key (project, run, "position"), foreign key (project, run) references heddle.run on delete cascade deferrable initially deferred
  );
  create table heddle.task (
    project integer not null, run text collate "C" not null, id text collate "C" not null, ready integer not null,
    notable integer not null, steel integer not null, remaining double precision not null,
    fixed text not null, fixed_sum bigint not null, state text not null, sum bigint not null,
    primary key (project, run, id), foreign key (project, run) references heddle.run on delete cascade
  ) with (fillfactor = 70);
`;

/**
 * One commit, in one statement: it counts only at the position that it was decided at. \`in_commit\` names it, so that it can be asked
 * again when the answer was lost: what is there already is done, and never done twice.
 */
const commit = `
  create function heddle.commit(
    in_project integer, in_run text, in_protocol text, in_expected integer, in_commit text, in_by text, in_format integer,
    in_phase text, in_archived integer, in_head text, in_sum bigint, in_at text[], in_body text[], in_hash text[],
    in_dropped text[], in_id text[], in_ready integer[], in_notable integer[], in_steel integer[], in_remaining double precision[],
    in_fixed text[], in_fixed_sum bigint[], in_state text[], in_task_sum bigint[]
  ) returns text language plpgsql set search_path = heddle, pg_catalog as $$
  declare
    gone_to text;
    last integer := in_expected + cardinality(in_hash);
  begin
    perform pg_advisory_xact_lock_shared(${locks.moving}, in_project);
    select moved_to into gone_to from project where project.id = in_project;
    if not found then return 'gone'; end if;
    if gone_to is not null then return 'moved'; end if;
    if in_expected = 0 then
      insert into run (project, id, protocol, ordinal, phase, archived, "position", format, head, hash, sum)
      values (in_project, in_run, in_protocol, (select count(*) from run where run.project = in_project), in_phase, in_archived, last,
        in_format, in_head, in_hash[cardinality(in_hash)], in_sum)
      on conflict do nothing;
    else
      update run set phase = in_phase, archived = in_archived, "position" = last, format = in_format, head = in_head,
        hash = in_hash[cardinality(in_hash)], sum = in_sum
      where run.project = in_project and run.id = in_run and run."position" = in_expected;
    end if;
    if not found then
      perform from fact where fact.project = in_project and fact.run = in_run and fact."position" = in_expected + 1
        and fact."commit" = in_commit;
      return case when found then 'done' else 'behind' end;
    end if;
    insert into fact (project, run, "position", at, "by", format, body, hash, "commit")
    select in_project, in_run, in_expected + n, f.at, in_by, in_format, f.body, f.hash, in_commit
    from unnest(in_at, in_body, in_hash) with ordinality as f (at, body, hash, n);
    if cardinality(in_dropped) > 0 then
      delete from task where task.project = in_project and task.run = in_run and task.id = any (in_dropped);
    end if;
    if cardinality(in_id) > 0 then
      update task set ready = t.ready, notable = t.notable, remaining = t.remaining, state = t.state, sum = t.sum
      from unnest(in_id, in_ready, in_notable, in_remaining, in_fixed, in_state, in_task_sum)
        as t (id, ready, notable, remaining, fixed, state, sum)
      where task.project = in_project and task.run = in_run and task.id = t.id and t.fixed is null;
      insert into task (project, run, id, ready, notable, steel, remaining, fixed, fixed_sum, state, sum)
      select in_project, in_run, t.id, t.ready, t.notable, t.steel, t.remaining, t.fixed, t.fixed_sum, t.state, t.sum
      from unnest(in_id, in_ready, in_notable, in_steel, in_remaining, in_fixed, in_fixed_sum, in_state, in_task_sum)
        as t (id, ready, notable, steel, remaining, fixed, fixed_sum, state, sum)
      where t.fixed is not null
      on conflict (project, run, id) do update set ready = excluded.ready, notable = excluded.notable, steel = excluded.steel,
        remaining = excluded.remaining, fixed = excluded.fixed, fixed_sum = excluded.fixed_sum, state = excluded.state,
        sum = excluded.sum;
    end if;
    perform pg_notify('heddle_' || in_project, last || ' ' || in_run);
    return 'done';
  end $$;
`;

/** Who is at work, beside the log (`signs.ts`). */
const signTable = `
  create table heddle.sign (
    project integer not null references heddle.project on delete cascade, id text collate "C" not null,
    body text not null, seen timestamptz not null default clock_timestamp(),
    primary key (project, id)
  ) with (fillfactor = 50);
`;

/** What other machines need of a run's files (`shared.ts`). */
const fileTable = `
  create table heddle.file (
    project integer not null, run text collate "C" not null, name text collate "C" not null, digest text not null,
    origin text not null, body bytea, number bigint generated always as identity,
    primary key (project, run, name, digest), foreign key (project, run) references heddle.run on delete cascade
  );
`;

/** Each brings the tables one version further; what was released is never changed. */
const steps: readonly string[] = [`${tables}${commit}`, `${signTable}${fileTable}`];

/** The version of the tables that are there; 0 where there are none. */
export async function schemaVersion(link: Link): Promise<number> {
  const [found] = await link.ask<{ there: boolean }>({
    text: "select to_regclass('heddle.migration') is not null as there",
  });
  if (!found?.there) return 0;
  const [last] = await link.ask<{ version: number }>({
    text: "select max(version) as version from heddle.migration",
  });
  const version = last?.version ?? 0;
  if (version > steps.length)
    throw new StoreFailure(
      problem(
        "newer",
        `the journal was made by a newer heddle (schema ${version}): ${placeOf(link.address)}`,
        {
          hint: "npm install -g heddle@latest",
        },
      ),
    );
  return version;
}

export async function migrate(link: Link): Promise<void> {
  if ((await schemaVersion(link)) === steps.length) return;
  await link.transaction("", async (ask) => {
    await ask({ text: `select pg_advisory_xact_lock(${locks.migration}, 0)` });
    await ask({ text: "create schema if not exists heddle" });
    await ask({
      text: "create table if not exists heddle.migration (version integer primary key, at timestamptz not null default now())",
    });
    const [last] = await ask<{ version: number | null }>({
      text: "select max(version) as version from heddle.migration",
    });
    for (const [at, step] of steps.entries()) {
      if (at < (last?.version ?? 0)) continue;
      await ask({ text: step });
      await ask({ text: "insert into heddle.migration (version) values ($1)", values: [at + 1] });
    }
  });
}

/** Whether the tables are those of this heddle. */
export const isCurrent = (version: number) => version === steps.length;
