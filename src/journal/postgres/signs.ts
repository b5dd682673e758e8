// Signs of life in Postgres: one row per process, dated by the server. Whoever has the turn is a session of the server's, and can be
// ended by it: what that session's process does afterwards bears what it saw, and its target compares (`Journal.lease`).
import { recordIn } from "../../core/json.ts";
import type { Holder } from "../../core/run-parts.ts";
import type { Sign, Signs } from "../journal.ts";
import type { Link } from "./link.ts";
import { locks } from "./migration.ts";

const idOf = ({ host, bootId, pid, startTime }: Holder) => `${host} ${bootId} ${pid} ${startTime}`;

interface SignRow extends Record<string, unknown> {
  readonly body: string;
  readonly age: number;
}

/** Sessions that have the turn, as a lock of two numbers is listed. */
const having = `select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 2
  and classid = ${locks.turn} and objid = $1 and database = (select oid from pg_database where datname = current_database())`;

export function serverSigns(link: Link, project: number): Signs {
  return {
    show: async (sign) => {
      const text = `with old as (delete from heddle.sign where project = $1 and seen < clock_timestamp() - interval '10 minutes')
        insert into heddle.sign (project, id, body) values ($1, $2, $3)
        on conflict (project, id) do update set body = excluded.body, seen = clock_timestamp()`;
      await link.ask({ name: "sign", text, values: [project, idOf(sign.by), JSON.stringify(sign)] });
    },
    seen: async () => {
      const text = `select body, (extract(epoch from clock_timestamp() - seen) * 1000)::float8 as age
        from heddle.sign where project = $1 order by id`;
      const rows = await link.ask<SignRow>({ name: "signs", text, values: [project] });
      return rows.flatMap(({ body, age }) => {
        const sign = recordIn<Sign & Record<string, unknown>>(body);
        return sign ? [{ ...sign, ageMs: Math.max(0, age) }] : [];
      });
    },
    drop: async (by) => {
      const text = "delete from heddle.sign where project = $1 and id = $2";
      await link.ask({ text, values: [project, idOf(by)] });
    },
    isBlocked: async () => (await link.ask({ text: having, values: [project] })).length > 0,
    unblock: async () => {
      await link.ask({ text: `select pg_terminate_backend(pid) from (${having}) h`, values: [project] });
    },
  };
}
