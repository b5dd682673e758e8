// The journal in Postgres against the common suite, and what only a server can show.
import { afterAll, beforeAll, describe } from "vitest";
import type { Journal } from "../../src/journal/journal.ts";
import { localJournals } from "../../src/journal/local.ts";
import { type Address, addressIn } from "../../src/journal/postgres/address.ts";
import { postgresStore } from "../../src/journal/postgres/store.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { hasPostgres, Server } from "../postgres/server.ts";
import { journalSuite, ticking } from "./suite.ts";

let server: Server;
let projects = 0;

beforeAll(async () => {
  if (!hasPostgres) return;
  server = await Server.start(["fsync=off"]);
  process.env.PGPASSWORD = server.password;
}, 60_000);
afterAll(() => server?.stop());

async function newJournal(): Promise<Journal> {
  const store = postgresStore(addressIn(server.address(`p${++projects}`)) as Address, localJournals);
  await store.create("");
  return store.open({ root: undefined as never, protocols: protocolNamed, now: ticking() });
}

describe.skipIf(!hasPostgres)("(left out without Postgres)", () => {
  journalSuite("postgres", newJournal, 10);
});
