// The packs as the engine is given them: protocols by name, heddle's own and a project's, each loaded once.
import { fork } from "../core/apply.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Packs } from "../engine/packs.ts";
import { packNamed, packs } from "./packs.ts";

const loaded = new Map<string, Protocol>(
  packs.flatMap(({ name, protocol }) => (typeof protocol === "function" ? [] : [[name, protocol]])),
);

export const builtIn: Packs = {
  named: (name) => loaded.get(name),
  load: async (name, heddleDir) => {
    const known = loaded.get(name);
    if (known) return known;
    const found = (await ofPack(name)) ?? (await own(name, heddleDir));
    if (found) loaded.set(name, found);
    return found;
  },
  isBeside: ({ protocol, phase }) => packNamed(protocol)?.isBeside?.(phase) ?? false,
  noRun: (name) => packNamed(name)?.noRun,
  digests: async (app) => {
    const name = await app.journal.read(await app.run(), (run) => run.protocolName);
    const { digests } = packNamed(name) ?? {};
    if (digests) return digests(app);
    const { digestsNow } = await import("./documents/run-files.ts");
    return digestsNow(await app.journal.read(await app.run(), fork));
  },
  land: async (app, merge) => {
    const { land } = packNamed(await app.look((run) => run.protocolName)) ?? {};
    return land ? land(app, merge) : (await import("../orders/land-branch.ts")).landBranch(app, merge);
  },
  takeOver: async (options, folder) =>
    (await import("./decomposition/import.ts")).importPlan(options, folder),
  undoTakeOver: async (opening, copied) =>
    (await import("./decomposition/import.ts")).undoImport(opening, copied),
};

async function ofPack(name: string): Promise<Protocol | undefined> {
  const { protocol } = packNamed(name) ?? {};
  return typeof protocol === "function" ? protocol() : protocol;
}

async function own(name: string, heddleDir: string | undefined): Promise<Protocol | undefined> {
  if (heddleDir === undefined) return undefined;
  const { ownProtocolNamed } = await import("./own-protocols.ts");
  return ownProtocolNamed(heddleDir, name);
}

/** Every protocol of heddle's own, by name. */
export async function allProtocols(): Promise<Readonly<Record<string, Protocol>>> {
  const all = packs.map(async ({ name }) => [name, await builtIn.load(name)] as const);
  const found = await Promise.all(all);
  return Object.fromEntries(found.flatMap(([name, protocol]) => (protocol ? [[name, protocol]] : [])));
}
