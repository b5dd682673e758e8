// What heddle is put together from: its protocols, and the store that keeps journals. The surfaces give both to the engine,
// which names neither; another store is another line here. A project's configuration says where its journal is: a file on this
// machine, unless it names a server, and only then anything of servers is loaded.
import { join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { pathsIn } from "../engine/paths.ts";
import { readIfThere } from "../host/files.ts";
import { type Journals, type Store, StoreFailure } from "../journal/journal.ts";
import { localJournals } from "../journal/local.ts";
import { builtIn } from "../packs/load.ts";

/** One per address: what is asked first and opened next is one connection. */
const servers = new Map<string, Store>();

async function storeOf(root: string): Promise<Store> {
  const { heddle } = pathsIn(root);
  // Read as a whole only where it says something of journals: its schema is slow to load.
  if (!readIfThere(join(heddle, "config.json"))?.includes('"journal"')) return localJournals;
  const { readConfig } = await import("../orders/config.ts");
  const { journal } = readConfig(heddle);
  return journal === undefined || journal === "sqlite" ? localJournals : serverAt(journal);
}

async function serverAt(text: string, project?: string): Promise<Store> {
  const { addressIn } = await import("../journal/postgres/address.ts");
  const address = addressIn(text, project);
  if ("code" in address) throw new StoreFailure(address);
  const { postgresStore } = await import("../journal/postgres/store.ts");
  const store = servers.get(address.text) ?? postgresStore(address, localJournals);
  servers.set(address.text, store);
  return store;
}

async function stores(root: string, to: string): Promise<{ from: Store; to: Store }> {
  const from = await storeOf(root);
  if (to === "sqlite") return { from, to: localJournals };
  const { isServerAddress } = await import("../journal/postgres/address.ts");
  if (!isServerAddress(to)) throw new StoreFailure(unknownStore(to));
  return { from, to: await serverAt(to, projectName(root)) };
}

const unknownStore = (to: string): Problem =>
  problem("bad-journal", `\`${to}\` is no place for a journal`, {
    hint: "sqlite, or postgres://<user>@<host>:5432/<database>",
  });

/** Of its folder, as far as an address allows it. */
function projectName(root: string): string {
  const name = (root.split("/").at(-1) ?? "").replace(/[^\w.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return name.slice(0, 63) || "project";
}

const journals: Journals = {
  has: async (root) => (await storeOf(root)).has(root),
  create: async (root) => (await storeOf(root)).create(root),
  missing: async (root) => (await storeOf(root)).missing?.(root),
  unusable: (root, error) => (error instanceof StoreFailure ? error : localJournals.unusable(root, error)),
  open: async (project) => (await storeOf(project.root)).open(project),
  tryOut: async (folder, root) => (await storeOf(root)).tryOut(folder, root),
  copies: {
    ...localJournals.copies,
    replace: async (root, incoming, aside) => (await storeOf(root)).copies.replace(root, incoming, aside),
  },
  stores,
};

export const composition = { packs: builtIn, journals };
