// The database's roles: a coordinator's, for journal and queue, and a worker's, for the queue alone. Neither can log in by itself:
// whoever runs the database grants them to users. Made again whenever a coordinator opens the queue, so that new tables are covered.
import { type Queue, schema } from "./open.ts";

export const coordinatorRole = "heddle_coordinator";
export const workerRole = "heddle_worker";

const make = (role: string) => `
  if not exists (select from pg_roles where rolname = '${role}') then
    begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end;
  end if;`;

const onSchema = (name: string, role: string) => `
  grant usage on schema ${name} to ${role};
  grant select, insert, update, delete on all tables in schema ${name} to ${role};
  grant usage, select on all sequences in schema ${name} to ${role};
  grant execute on all functions in schema ${name} to ${role};`;

/** Who may do it decides the server; a journal's schema may not be there, where only workers are prepared. */
const migration = `do $$
begin
  perform pg_advisory_xact_lock(1751475303, 0);
  ${make(coordinatorRole)}
  ${make(workerRole)}
  ${onSchema(schema, workerRole)}
  ${onSchema(schema, coordinatorRole)}
  if to_regnamespace('heddle') is not null then
    revoke all on schema heddle from ${workerRole};
    revoke all on all tables in schema heddle from ${workerRole};
    ${onSchema("heddle", coordinatorRole)}
  end if;
end $$`;

/** Why it could not be done, if it could not: then everybody uses the user that made the tables. */
export async function makeRoles(queue: Queue): Promise<string | undefined> {
  try {
    await queue.ask(migration);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
