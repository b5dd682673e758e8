// The composition root of the campaign: heddle as it is, with every project's journal in the Postgres that a file beside the build names. A
// project is named after its root, and has a name in its folder once it is made, so that it can be moved.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Journals } from "../../src/journal/journal.ts";
import { localJournals } from "../../src/journal/local.ts";
import { type Address, addressIn } from "../../src/journal/postgres/address.ts";
import { postgresStore } from "../../src/journal/postgres/store.ts";
import { builtIn } from "../../src/packs/load.ts";

/** A file, because tests give a command an environment of their own. */
const server = readFileSync(join(realpathSync(process.argv[1] ?? ""), "../../server"), "utf8");
const stores = new Map<string, Journals>();

const nameFile = (root: string) => join(root, ".heddle/test-project");

function storeOf(root: string): Journals {
  const file = nameFile(root);
  const name = existsSync(file)
    ? readFileSync(file, "utf8")
    : createHash("sha256").update(`${root} ${Date.now()} ${process.pid}`).digest("hex").slice(0, 32);
  const known =
    stores.get(name) ?? postgresStore(addressIn(`${server}&project=${name}`) as Address, localJournals);
  stores.set(name, known);
  return Object.assign(known, { testName: name });
}

function made(root: string): Journals {
  const store = storeOf(root);
  mkdirSync(join(root, ".heddle"), { recursive: true });
  try {
    writeFileSync(nameFile(root), (store as unknown as { testName: string }).testName, { flag: "wx" });
    return store;
  } catch {
    // Another process was first, or it was made before.
    return storeOf(root);
  }
}

const journals: Journals = {
  has: async (root) => existsSync(nameFile(root)) && storeOf(root).has(root),
  create: async (root) => made(root).create(root),
  unusable: (_root, error) => error,
  open: async (project) => storeOf(project.root).open(project),
  tryOut: async (folder, root) => storeOf(root).tryOut(folder, root),
  copies: {
    ...localJournals.copies,
    replace: async (root, incoming, aside) => storeOf(root).copies.replace(root, incoming, aside),
  },
};

export const composition = { packs: builtIn, journals };
