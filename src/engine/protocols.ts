// Protocols as the journal needs them: by name, at once. Decomposition is always there; the others are loaded when
// a run of theirs is opened, because their tables would cost every one-shot command a few milliseconds.
import type { Protocol } from "../core/protocol.ts";
import { decomposition } from "../protocols/decomposition/protocol.ts";

const loaded = new Map<string, Protocol>([[decomposition.name, decomposition]]);

const loaders: Readonly<Record<string, () => Promise<Protocol>>> = {
  lifecycle: async () => (await import("../protocols/lifecycle/protocol.ts")).lifecycle,
  mission: async () => (await import("../protocols/mission/protocol.ts")).mission,
  tuning: async () => (await import("../protocols/tuning/protocol.ts")).tuning,
};

export function protocolNamed(name: string): Protocol | undefined {
  return loaded.get(name);
}

/** `heddleDir`: where the project keeps protocols of its own. */
export async function loadProtocol(name: string, heddleDir?: string): Promise<Protocol | undefined> {
  if (loaded.has(name)) return loaded.get(name);
  const found = loaders[name] ? await loaders[name]() : await own(name, heddleDir);
  if (found) loaded.set(name, found);
  return found;
}

async function own(name: string, heddleDir: string | undefined): Promise<Protocol | undefined> {
  if (heddleDir === undefined) return undefined;
  const { ownProtocolNamed } = await import("./own-protocols.ts");
  return ownProtocolNamed(heddleDir, name);
}
