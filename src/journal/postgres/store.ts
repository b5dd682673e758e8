// Journals of projects in one Postgres: whether one is there, making it, opening it, and moving one in and out.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { toCall } from "../../core/hint.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { type Journals, type Store, StoreFailure } from "../journal.ts";
import { type Address, addressWith, placeOf } from "./address.ts";
import { copyToFile, readFile, writeFile } from "./copy.ts";
import { serverFailure } from "./failure.ts";
import { Link } from "./link.ts";
import { isCurrent, locks, migrate, schemaVersion } from "./migration.ts";
import { PostgresJournal } from "./postgres.ts";
import { tryServer } from "./trial.ts";

interface Project {
  readonly id: number;
  readonly state: string;
  readonly origin: string | null;
  readonly moved_to: string | null;
}

/** What tells apart who copies a journal in: the machine, and the place of the project there. */
const originOf = (root: string) => `${hostname()}:${root}`;

export function postgresStore(address: Address, files: Journals): Store {
  /** Asked whether the project is there, one opens it next. */
  let spare: Link | undefined;
  const linked = async <T>(work: (link: Link) => Promise<T>): Promise<T> => {
    const link = spare ?? new Link({ address });
    spare = undefined;
    try {
      return await work(link);
    } finally {
      if (spare === undefined && !link.isClosed) spare = link;
      else if (spare !== link) link.close();
    }
  };
  const place = (root: string) => ({ root, address, linked });
  return {
    name: addressWith(address),
    has: () => linked(async (link) => (await find(link)) !== undefined),
    create: () =>
      linked(async (link) => {
        await migrate(link);
        const text = "insert into heddle.project (name) values ($1) on conflict do nothing";
        await link.ask({ text, values: [address.project] });
      }),
    missing: async () => absent(address),
    unusable: (_root, error) => serverFailure(error, address),
    open: async ({ root, ...options }) => {
      const link = spare ?? new Link({ address });
      spare = undefined;
      try {
        const found = await find(link);
        if (!found) throw absent(address);
        if (found.moved_to !== null) throw movedAway(address, found.moved_to);
        if (!isCurrent(await schemaVersion(link))) await migrate(link);
        if (found.state !== "ready")
          await link.ask({
            text: "update heddle.project set state = 'ready' where id = $1",
            values: [found.id],
          });
      } catch (error) {
        link.close();
        throw error;
      }
      const found = (await find(link)) as Project;
      link.tellBy(options.warn);
      return new PostgresJournal({ ...options, root, link, project: found.id });
    },
    tryOut: () => linked((link) => tryServer(link)),
    copies: {
      ...files.copies,
      replace: (root, incoming, aside) => replace(place(root), incoming, aside),
    },
    leave: (root, to, work) => leave(place(root), to, work),
    take: (root, copy) => take(place(root), copy),
  };
}

async function find(link: Link): Promise<Project | undefined> {
  if ((await schemaVersion(link)) === 0) return undefined;
  const text = "select id, state, origin, moved_to from heddle.project where name = $1";
  const [found] = await link.ask<Project & Record<string, unknown>>({ text, values: [link.address.project] });
  return found;
}

function absent(address: Address): StoreFailure {
  const what = `there is no journal of a project \`${address.project}\` in ${placeOf(address)}`;
  return new StoreFailure(
    problem("no-project", what, {
      hint: [
        toCall("restore <backup>"),
        " puts one there; ",
        toCall("init <target>"),
        " begins one; ",
        toCall(`journal move --to '${addressWith(address)}'`),
        " brings one",
      ],
    }),
  );
}

function movedAway(address: Address, to: string): StoreFailure {
  const what = `the journal of \`${address.project}\` was moved from ${placeOf(address)} to a file: ${to}`;
  return new StoreFailure(
    problem("moved", what, {
      hint: [
        "work there; or, if that was interrupted, ",
        toCall("journal move --to sqlite"),
        " there ends it",
      ],
    }),
  );
}

interface ServerProject {
  readonly root: string;
  readonly address: Address;
  readonly linked: <T>(work: (link: Link) => Promise<T>) => Promise<T>;
}

/** A restored backup: what was there goes into a file first. Repeatable: what was put in place once is not put there again. */
async function replace({ linked }: ServerProject, incoming: string, aside: string | null): Promise<void> {
  const token = createHash("sha256").update(readFileSync(incoming)).digest("hex");
  await linked(async (link) => {
    await migrate(link);
    const text = "insert into heddle.project (name) values ($1) on conflict do nothing";
    await link.ask({ text, values: [link.address.project] });
    const { id } = (await find(link)) as Project;
    const kept = aside === null ? undefined : join(aside, "heddle.db");
    if (kept !== undefined && !existsSync(kept)) {
      const fresh = `${kept}.${process.pid}.new`;
      rmSync(fresh, { force: true });
      await copyToFile(link, id, fresh);
      renameSync(fresh, kept);
    }
    await link.transaction("", async (ask) => {
      await ask({ text: `select pg_advisory_xact_lock(${locks.moving}, $1)`, values: [id] });
      const [row] = await ask<{ restored: string | null }>({
        text: "select restored from heddle.project where id = $1",
        values: [id],
      });
      if (row?.restored === token) return;
      await readFile(ask, id, incoming);
      await ask({
        text: "update heddle.project set restored = $2, moved_to = null where id = $1",
        values: [id, token],
      });
    });
  });
  rmSync(incoming, { force: true });
  await linked((link) =>
    link.ask({
      text: "update heddle.project set restored = null where name = $1",
      values: [link.address.project],
    }),
  );
}

/** Nobody commits while `work` puts the copy elsewhere; then the journal here refuses whatever comes. */
async function leave(
  { linked, root, address }: ServerProject,
  to: string,
  work: (copy: string) => Promise<void>,
): Promise<void> {
  const copy = join(root, ".heddle", `heddle.db.restored-${process.pid}`);
  await linked(async (link) => {
    const found = await find(link);
    if (!found) throw absent(address);
    const [origin] = [`${to}, ${originOf(root)}`];
    if (found.moved_to !== null && found.moved_to !== origin) throw movedAway(address, found.moved_to);
    await link.transaction("", async (ask) => {
      await ask({ text: `select pg_advisory_xact_lock(${locks.moving}, $1)`, values: [found.id] });
      for (const ending of ["", "-wal", "-shm"]) rmSync(`${copy}${ending}`, { force: true });
      await writeFile(ask, found.id, copy);
      await work(copy);
      await ask({
        text: "update heddle.project set moved_to = $2 where id = $1",
        values: [found.id, origin],
      });
    });
  });
}

async function take({ linked, root, address }: ServerProject, copy: string): Promise<void> {
  const origin = originOf(root);
  await linked(async (link) => {
    await migrate(link);
    await link.transaction("", async (ask) => {
      await ask({
        text: "insert into heddle.project (name, state, origin) values ($1, 'incoming', $2) on conflict do nothing",
        values: [address.project, origin],
      });
      const [found] = await ask<Project & Record<string, unknown>>({
        text: "select id, state, origin, moved_to from heddle.project where name = $1 for update",
        values: [address.project],
      });
      if (!found) throw absent(address);
      const isOurs = found.state === "incoming" && found.origin === origin;
      if (!isOurs && found.moved_to !== `sqlite, ${origin}`) throw new StoreFailure(taken(address, found));
      await ask({ text: `select pg_advisory_xact_lock(${locks.moving}, $1)`, values: [found.id] });
      await readFile(ask, found.id, copy);
      await ask({
        text: "update heddle.project set state = 'incoming', origin = $2, moved_to = null where id = $1",
        values: [found.id, origin],
      });
    });
  });
}

function taken(address: Address, { origin }: Project): Problem {
  const whose = origin === null ? "" : ` (from ${origin})`;
  return problem(
    "project-exists",
    `${placeOf(address)} has a project \`${address.project}\` already${whose}`,
    {
      hint: `name another one: ?project=${address.project}-2`,
    },
  );
}
