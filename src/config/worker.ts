// Who works on what, and how: what a project says of everybody, of a phase, of a role and of a task's tag, put together.
// The narrowest goes first: tag, role, phase, everybody. A model and an effort belong to the agent that they were said with,
// so whoever names another agent takes neither over.
import type { Config, WorkerConfig } from "./config.ts";

export interface Work {
  readonly role: string;
  readonly phase?: string | undefined;
  /** Of the task that is executed. */
  readonly tags?: readonly string[] | undefined;
}

/** A level of the configuration, by its name there. */
interface Level {
  readonly where: string;
  readonly set: WorkerConfig;
}

/** What holds for this work, each with where it was said. */
export interface Worker {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly fallback: readonly string[];
  readonly why: Readonly<Record<string, string>>;
}

/** Widest first. */
function levelsFor(config: Config, { role, phase, tags = [] }: Work): Level[] {
  const tag = role === "task-executor" ? tags.find((each) => config.tags?.[each]) : undefined;
  const { agent, fallback } = config;
  const found: readonly (readonly [string, WorkerConfig | undefined])[] = [
    ["", { ...(agent !== undefined && { agent }), ...(fallback && { fallback }) }],
    [`phases.${phase}`, phase === undefined ? undefined : config.phases?.[phase]],
    [`roles.${role}`, config.roles?.[role]],
    [`tags.${tag}`, tag === undefined ? undefined : config.tags?.[tag]],
  ];
  return found.flatMap(([where, set]) => (set ? [{ where, set }] : []));
}

export function workerFor(config: Config, work: Work, named?: string): Worker {
  let said: WorkerConfig = {};
  let why: Record<string, string> = {};
  for (const { where, set } of levelsFor(config, work)) {
    if (set.agent !== undefined) {
      said = without(said, ["model", "effort"]);
      why = without(why, ["model", "effort"]);
    }
    said = { ...said, ...set };
    for (const key of Object.keys(set)) why[key] = where === "" ? key : `${where}.${key}`;
  }
  const { agent, model, effort, fallback = [] } = said;
  if (named !== undefined) return { agent: named, fallback, why: { ...why, agent: "--agent" } };
  return { agent, model, effort, fallback, why };
}

function without<T extends object>(from: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key))) as T;
}

/** The narrowest first, an agent's own before what holds for everybody. */
export function limitsSet(config: Config, work: Work, agent: string): NonNullable<Config["limits"]> {
  // `claude:model` is the `claude` of the configuration, with another model.
  const configured = config.agents?.[agent] ?? config.agents?.[agent.replace(/^(claude|codex):.*/s, "$1")];
  const said = levelsFor(config, work).map(({ set }) => set.limits);
  return Object.assign({}, config.limits, configured?.limits, ...said);
}
