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

export async function loadProtocol(name: string): Promise<Protocol | undefined> {
  const load = loaders[name];
  if (load && !loaded.has(name)) loaded.set(name, await load());
  return loaded.get(name);
}
