// The built-in protocols by name.
import type { Protocol } from "../core/protocol.ts";
import { decomposition } from "./decomposition/protocol.ts";
import { lifecycle } from "./lifecycle/protocol.ts";
import { mission } from "./mission/protocol.ts";
import { tuning } from "./tuning/protocol.ts";

export const protocols: Readonly<Record<string, Protocol>> = { decomposition, lifecycle, mission, tuning };

export function protocolNamed(name: string): Protocol | undefined {
  return Object.hasOwn(protocols, name) ? protocols[name] : undefined;
}
