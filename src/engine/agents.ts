// Which agent works: named on the command line, in the configuration for a task's tag, for a role, or for everybody; and
// who takes over while one of them may not be asked.
import type { Agent } from "../agents/agent.ts";
import type { Config, WorkerConfig } from "../config/config.ts";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import type { Park } from "../effects/run-agent.ts";
import { wallClock } from "../host/clock.ts";
import { makeAgent, type Workshop } from "./make-agent.ts";
import { Refused } from "./refused.ts";

export interface Agents {
  /** Who is to work now; `tags` are the task's. */
  forRole(role: string, tags?: readonly string[]): Agent | Problem;
  /** Whoever began an attempt goes on with it, as far as he is still among those who may. */
  whoBegan(name: string, role: string, tags?: readonly string[]): Agent | Problem;
  /** Who judges what `executor` did: somebody of another vendor, where there is one and nothing else is said (X9). */
  reviewer(executor: Agent): Agent | Problem;
  /** A usage limit was reached: leave that agent alone, and say who goes on, and when. */
  readonly park: (role: string, tags?: readonly string[]) => Park;
}

export interface Choice extends Workshop {
  /** `--agent`, which goes before everything else. */
  readonly named: string | undefined;
  /** By a clock that nobody sets; for tests. */
  readonly now?: () => number;
}

/** An agent, and how it is set up for this work. */
interface Candidate {
  readonly word: string;
  readonly set: Pick<WorkerConfig, "model" | "effort">;
}

/** Somebody else may be asked at once; nobody is left alone for longer than this, because what they say may be wrong. */
const longestMs = 60 * 60_000;
const shortestMs = 1000;
const unlessSaidMs = 60_000;

export function chooseAgents(choice: Choice): Agents {
  const { config } = choice;
  const now = choice.now ?? (() => performance.now());
  const made = new Map<string, Agent | Problem>();
  const limited = new Map<string, { readonly untilMs: number; readonly times: number }>();
  const make = ({ word, set }: Candidate) => {
    const key = JSON.stringify([word, set.model, set.effort]);
    const agent = made.get(key) ?? makeAgent(word, choice, set);
    made.set(key, agent);
    return agent;
  };
  const waitMs = (word: string) => Math.max(0, (limited.get(word)?.untilMs ?? 0) - now());
  const isFree = (each: Candidate) => waitMs(each.word) === 0 && !isProblem(make(each));
  const forRole = (role: string, tags: readonly string[] = []) => {
    const all = candidatesFor(choice, role, tags);
    const chosen = all.find(isFree) ?? all[0];
    return chosen ? make(chosen) : noAgent(role);
  };
  return {
    forRole,
    whoBegan: (name, role, tags) => {
      const all = candidatesFor(choice, role, tags ?? []).map(make);
      return all.find((each) => !isProblem(each) && each.name === name) ?? forRole(role, tags);
    },
    reviewer: ({ vendor }) => {
      const fixed = choice.named === undefined && config.roles?.["task-verifier"]?.agent !== undefined;
      if (fixed || vendor === undefined) return forRole("task-verifier");
      const other = everybody(config)
        .map((word) => ({ word, set: {} }))
        .filter(isFree)
        .map(make)
        .find((each) => !isProblem(each) && each.vendor !== undefined && each.vendor !== vendor);
      return other ?? forRole("task-verifier");
    },
    park: (role, tags) => (word, resetsInMs) => {
      const times = (limited.get(word)?.times ?? 0) + 1;
      const guess = unlessSaidMs * 2 ** Math.min(times - 1, 6);
      const forMs = Math.min(Math.max(resetsInMs ?? guess, shortestMs), longestMs);
      limited.set(word, { untilMs: now() + forMs, times });
      const all = candidatesFor(choice, role, tags ?? []);
      const next = all.find(isFree);
      if (next) return { parkMs: 0, outlook: `${next.word} goes on` };
      const parkMs = Math.ceil(Math.min(...all.map((each) => waitMs(each.word) || forMs)));
      return { parkMs, outlook: `goes on by itself ${sayWhen(parkMs, resetsInMs)}` };
    },
  };
}

function sayWhen(parkMs: number, resetsInMs: number | null): string {
  const at = new Date(Date.parse(wallClock()) + parkMs).toISOString().slice(0, 19);
  const until = resetsInMs === null ? "it does not say when it resets; tried again" : "tried again";
  return `(${until} at ${at}Z)`;
}

function candidatesFor({ config, named }: Choice, role: string, tags: readonly string[]): Candidate[] {
  const tag = tags.map((each) => config.tags?.[each]).find((each) => each !== undefined);
  const own: WorkerConfig = { ...config.roles?.[role], ...(role === "task-executor" ? tag : undefined) };
  const first = named ?? own.agent ?? config.agent;
  if (first === undefined) return [];
  const { model, effort } = named === undefined ? own : {};
  const set = { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
  const others = (own.fallback ?? config.fallback ?? []).filter((word) => word !== first);
  return [{ word: first, set }, ...others.map((word) => ({ word, set: {} }))];
}

/** Everybody who could be asked for a second opinion: the configured first, then those that are installed and have a key. */
function everybody(config: Config): string[] {
  return [
    ...new Set([...agentWords(config, undefined), ...Object.keys(config.agents ?? {}), "claude", "codex"]),
  ];
}

/** Everybody who may be asked to work. */
export function agentWords(config: Config, named: string | undefined): string[] {
  const workers = [...Object.values(config.roles ?? {}), ...Object.values(config.tags ?? {})];
  const fallbacks = [config.fallback, ...workers.map((each) => each.fallback)].flatMap((each) => each ?? []);
  if (named !== undefined) return [named, ...fallbacks];
  const firsts = [config.agent, ...workers.map((each) => each.agent)].filter((word) => word !== undefined);
  return [...firsts, ...fallbacks];
}

/** Better now, in one sentence, than after the first of these roles has been started. */
export function refuseWithoutAgents(agents: Agents, roles: readonly string[]): void {
  const found = roles.map((role) => ({ role, agent: agents.forRole(role) }));
  const nameless = found.filter(({ agent }) => isProblem(agent) && agent.code === "no-agent");
  const problems = found.flatMap(({ agent }) =>
    isProblem(agent) && agent.code !== "no-agent" ? [agent] : [],
  );
  const [first, ...others] = nameless.map(({ role }) => role);
  if (first !== undefined) problems.unshift(noAgent([first, ...others].join("`, `")));
  if (problems.length > 0) throw new Refused(problems);
}

export function noAgent(role: string): Problem {
  return problem("no-agent", `no agent is named for role \`${role}\``, {
    hint: '--agent claude, --agent codex, --agent command:./my-agent, or "agent": … in .heddle/config.json',
  });
}
