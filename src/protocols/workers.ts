// Who works in which phase of a protocol: read from its rules, for those who want to know before anybody starts.
import type { Protocol } from "../core/protocol.ts";

export interface PhaseWorker {
  readonly phase: string;
  readonly role: string;
}

/** Who does the tasks of a graph, where a protocol has one. */
const taskWorkers: Readonly<Record<string, string>> = {
  decomposition: "task-executor",
  mission: "executor",
};

/** Who is asked for advice by steps that heddle takes itself. */
const advisers: Readonly<Record<string, readonly PhaseWorker[]>> = {
  tuning: ["requirement-analyst", "deep-analyst", "fix-author"].map((role) => ({ phase: "tuning", role })),
};

/** In the order of the phases; roles that heddle plays itself are not among them. */
export function workersOf({ name, phases, rules, commands = [], graph }: Protocol): PhaseWorker[] {
  const working = phases.flatMap(({ name: phase, end = false }) => {
    if (end) return [];
    const here = rules.flatMap(({ when, then }) =>
      then.kind === "job" && (when.phase ?? [phase]).includes(phase) ? [then.role] : [],
    );
    const tasks = graph?.runs === phase ? [taskWorkers[name] ?? "task-executor"] : [];
    const roles = [...new Set([...here, ...tasks])].filter((role) => !commands.includes(role));
    return roles.map((role) => ({ phase, role }));
  });
  return [...working, ...(advisers[name] ?? [])];
}
