// A stage for protocols: runs with artifacts put in place by hand, and decisions as one short line.

import { newRun } from "../../src/core/apply.ts";
import { type Decision, decide, type Protocol } from "../../src/core/protocol.ts";
import type { Json, Run } from "../../src/core/run.ts";
import type { Artifact } from "../../src/core/run-parts.ts";

export interface Put {
  readonly content?: Readonly<Record<string, Json>>;
  readonly valid?: boolean;
  readonly digest?: string;
  /** Artifacts that it is made from, as they are now. */
  readonly from?: readonly string[];
}

export function stage(protocol: Protocol, phase?: string): Run {
  const run = newRun("run", protocol);
  if (phase !== undefined) run.phase = phase;
  return run;
}

export function put(
  run: Run,
  name: string,
  { content = {}, valid = true, digest, from = [] }: Put = {},
): Artifact {
  const inputs: Record<string, string> = {};
  for (const input of from) {
    const made = run.artifacts[input];
    if (made) inputs[input] = made.digest;
  }
  const artifact: Artifact = {
    name,
    path: run.protocol.artifacts[name] ?? name,
    digest: digest ?? `${name} 1`,
    inputs,
    valid,
    problems: valid ? [] : ["wrong shape"],
    validatedAt: "",
    content,
  };
  run.artifacts[name] = artifact;
  return artifact;
}

export interface Look {
  readonly request?: string;
  readonly digests?: Readonly<Record<string, string | null>>;
}

export function look(run: Run, { request, digests = {} }: Look = {}): Decision {
  return decide(run.protocol, { run, request: request ?? null, digests });
}

/** `go planning`, `job planner plan`, `halt step_limit`, `wait`, `ask`, `tasks`, `end done`, `nothing`. */
export function decided(run: Run, at: Look = {}): string {
  const then = look(run, at).rule?.then;
  switch (then?.kind) {
    case "go":
      return `go ${then.to}`;
    case "job":
      return `job ${then.role} ${then.makes}`;
    case "halt":
      return `halt ${then.code}`;
    case "end":
      return `end ${then.outcome}`;
    default:
      return then?.kind ?? "nothing";
  }
}

/** A small seeded generator, the same on every machine. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
