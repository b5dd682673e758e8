// Whether a server keeps what a journal needs of it: it can be reached and written to, waits for its disk, and is no standby.
import { problem } from "../../core/problem.ts";
import { StoreFailure, type Trial } from "../journal.ts";
import { placeOf } from "./address.ts";
import type { Link } from "./link.ts";
import { schemaVersion } from "./migration.ts";

const rounds = 5;

export async function tryServer(link: Link): Promise<Trial> {
  try {
    return await tried(link);
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    const { message, hint = "" } = error.problem;
    return { state: "fail", what: message, ...(typeof hint === "string" && { hint }) };
  }
}

async function tried(link: Link): Promise<Trial> {
  const [found] = await link.ask<{ version: string; fsync: string; standby: boolean; may: boolean }>({
    text: `select current_setting('server_version') as version, current_setting('fsync') as fsync, pg_is_in_recovery() as standby,
      has_database_privilege(current_database(), 'create') or to_regnamespace('heddle') is not null as may`,
  });
  const place = placeOf(link.address);
  if (!found) throw new StoreFailure(problem("server-away", `the server does not answer: ${place}`));
  if (found.standby)
    return {
      state: "fail",
      what: `${place} is a standby, which only reads`,
      hint: "name the primary server",
    };
  if (!found.may)
    return {
      state: "fail",
      what: `\`${link.address.user}\` may not make tables in ${place}`,
      hint: `grant create on database "${link.address.database}" to "${link.address.user}"`,
    };
  if (found.fsync !== "on")
    return {
      state: "fail",
      what: `${place} does not wait for its disk (fsync is ${found.fsync}): what was acknowledged can be lost`,
      hint: "set fsync = on in postgresql.conf",
    };
  const version = await schemaVersion(link);
  const began = performance.now();
  for (let n = 0; n < rounds; n++) await link.ask({ text: "select 1" });
  const ms = ((performance.now() - began) / rounds).toFixed(1);
  const tables = version === 0 ? "no tables yet" : `schema ${version}`;
  return { state: "ok", what: `Postgres ${found.version}, ${place}: ${ms} ms per round trip, ${tables}` };
}
