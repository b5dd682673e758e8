// Who works in which phase of a protocol: read from its rules, for those who want to know before anybody starts.
import type { Protocol } from "../core/protocol.ts";

export interface PhaseWorker {
  readonly phase: string;
  readonly role: string;
}

/** In the order of the phases; roles that heddle plays itself are not among them. */
export function workersOf({ phases, rules, commands = [], graph, own }: Protocol): PhaseWorker[] {
  const working = phases.flatMap(({ name: phase, end = false }) => {
    if (end) return [];
    const here = rules.flatMap(({ when, then }) =>
      then.kind === "job" && (when.phase ?? [phase]).includes(phase) ? [then.role] : [],
    );
    const tasks = graph?.runs === phase ? [graph.worker ?? "task-executor"] : [];
    const roles = [...new Set([...here, ...tasks])].filter((role) => !commands.includes(role));
    return roles.map((role) => ({ phase, role }));
  });
  return [...working, ...(own?.advisers ?? [])];
}
