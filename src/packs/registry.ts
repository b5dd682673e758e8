// The built-in protocols by name, all loaded: for programs that use heddle as a library, and for tests.
import type { Protocol } from "../core/protocol.ts";
import { allProtocols } from "./load.ts";

export const protocols = await allProtocols();

export function protocolNamed(name: string): Protocol | undefined {
  return Object.hasOwn(protocols, name) ? protocols[name] : undefined;
}
