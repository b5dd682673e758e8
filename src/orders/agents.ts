// Which agent works: named on the command line, in the configuration for a task's tag, a role, a phase, or everybody; and
// who takes over while one of them may not be asked.
import type { Agent } from "../agents/agent.ts";
import { isInstalled, keyOf, offeredAgents, signIn } from "../agents/known.ts";
import type { Config, WorkerConfig } from "../config/config.ts";
import { type Work, workerFor } from "../config/worker.ts";
import { toCall } from "../core/hint.ts";
import { isProblem, type Problem, problem, Refused } from "../core/problem.ts";
import { wallClock } from "../host/clock.ts";
import type { PhaseWorker } from "../protocols/workers.ts";
import type { Park } from "../work/run-agent.ts";
import { BackOff, failedMs } from "./back-off.ts";
import { makeAgent, type Workshop } from "./make-agent.ts";

export interface Agents {
  /** Who is to work now. */
  forRole(role: string, about?: WorkedOn): Agent | Problem;
  /** Whoever began an attempt goes on with it, as far as he is still among those who may. */
  whoBegan(name: string, work: Work): Agent | Problem;
  /** Who judges what `executor` did: somebody of another vendor, where there is one and nothing else is said (X9). */
  reviewer(executor: Agent, about?: WorkedOn): Agent | Problem;
  /** It may not or cannot be asked: leave that agent alone, and say who goes on, and when. */
  readonly park: (role: string, about?: WorkedOn) => Park;
}

export type WorkedOn = Omit<Work, "role">;

export interface Choice extends Workshop {
  /** `--agent`, which goes before everything else. */
  readonly named: string | undefined;
  /** Monotonic; for tests. */
  readonly now?: () => number;
}

/** An agent, and how it is set up for this work. */
interface Candidate {
  readonly word: string;
  readonly set: Pick<WorkerConfig, "model" | "effort">;
}

export function chooseAgents(choice: Choice): Agents {
  const { config } = choice;
  const now = choice.now ?? (() => performance.now());
  const made = new Map<string, Agent | Problem>();
  const make = ({ word, set }: Candidate) => {
    const key = JSON.stringify([word, set.model, set.effort]);
    const known = made.get(key);
    if (known) return known;
    const agent = makeAgent(word, choice, set);
    made.set(key, agent);
    return agent;
  };
  const backOff = new BackOff(now);
  const isFree = (each: Candidate) => backOff.waitMs(each.word) === 0 && !isProblem(make(each));
  const forRole = (role: string, about: WorkedOn = {}) => {
    const all = candidatesFor(choice, { role, ...about });
    const chosen = all.find(isFree) ?? all[0];
    return chosen ? make(chosen) : noAgent(role);
  };
  return {
    forRole,
    whoBegan: (name, work) => {
      const all = candidatesFor(choice, work).map(make);
      return all.find((each) => !isProblem(each) && each.name === name) ?? forRole(work.role, work);
    },
    reviewer: ({ vendor }, about) => {
      const fixed = choice.named === undefined && config.roles?.["task-verifier"]?.agent !== undefined;
      if (fixed || vendor === undefined) return forRole("task-verifier", about);
      const other = everybody(config)
        .map((word) => ({ word, set: {} }))
        .filter(isFree)
        .map(make)
        .find((each) => !isProblem(each) && each.vendor !== undefined && each.vendor !== vendor);
      return other ?? forRole("task-verifier", about);
    },
    park: (role, about) => (word, why) => {
      if (why === "worked") return void backOff.worked(word);
      const all = candidatesFor(choice, { role, ...about });
      const fails = why === "failed" || why === "outage";
      if (fails && !all.some((each) => each.word !== word && isFree(each)))
        return why === "outage" ? goesOnAfter(backOff.waitOut(word)) : undefined;
      const { resetsInMs } = fails ? { resetsInMs: failedMs } : why;
      const forMs = backOff.pause(word, resetsInMs);
      const next = all.find(isFree);
      if (next) return { parkMs: 0, outlook: `${next.word} goes on` };
      const parkMs = Math.ceil(Math.min(...all.map((each) => backOff.waitMs(each.word) || forMs)));
      return { parkMs, outlook: `goes on by itself ${sayWhen(parkMs, resetsInMs)}` };
    },
  };
}

const goesOnAfter = (parkMs: number | undefined) =>
  parkMs === undefined ? undefined : { parkMs, outlook: `goes on by itself ${sayWhen(parkMs, parkMs)}` };

function sayWhen(parkMs: number, resetsInMs: number | null): string {
  const at = new Date(Date.parse(wallClock()) + parkMs).toISOString().slice(0, 19);
  const until = resetsInMs === null ? "it does not say when it resets; tried again" : "tried again";
  return `(${until} at ${at}Z)`;
}

function candidatesFor({ config, named }: Choice, work: Work): Candidate[] {
  const { agent: first, model, effort, fallback } = workerFor(config, work, named);
  if (first === undefined) return [];
  const set = { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
  const others = fallback.filter((word) => word !== first);
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
  const workers = [config.phases, config.roles, config.tags].flatMap((each) => Object.values(each ?? {}));
  const fallbacks = [config.fallback, ...workers.map((each) => each.fallback)].flatMap((each) => each ?? []);
  if (named !== undefined) return [named, ...fallbacks];
  const firsts = [config.agent, ...workers.map((each) => each.agent)].filter((word) => word !== undefined);
  return [...firsts, ...fallbacks];
}

/** Better now, in one sentence, than after the first of them has been started. What one lacks, mostly all of them lack. */
export function refuseWithoutAgents(agents: Agents, workers: readonly PhaseWorker[]): void {
  const found = new Map<string, Problem>();
  for (const { role, phase } of workers) {
    const agent = agents.forRole(role, { phase });
    const same = isProblem(agent) && (agent.code === "no-agent" ? agent.code : agent.message);
    if (same && !found.has(same)) found.set(same, agent);
  }
  if (found.size > 0) throw new Refused([...found.values()]);
}

/** Who can be named depends on who is here. */
export function noAgent(role?: string): Problem {
  const wanted = `no agent is named${role === undefined ? "" : ` for role \`${role}\``}`;
  const here = offeredAgents.filter(isInstalled);
  const [first] = here.filter((each) => keyOf(each) !== undefined);
  if (first)
    return problem("no-agent", wanted, {
      hint: `--agent ${first.word}, or "agent": "${first.word}" in .heddle/config.json`,
    });
  const [keyless] = here;
  if (keyless)
    return problem("no-agent", `${wanted}, and ${keyless.title} has no key`, {
      hint: [`${signIn(keyless)}, then --agent ${keyless.word}; `, toCall("demo"), " works without any"],
    });
  const titles = offeredAgents.map(({ title }) => title).join(", ");
  return problem(
    "no-agent",
    `${wanted}, and none is installed here: ${titles} or a program of your own would do`,
    {
      hint: [
        `${offeredAgents[0]?.install}, then --agent claude; or --agent command:./my-agent; `,
        toCall("demo"),
        " works without any",
      ],
    },
  );
}

/** Who could be named: whom the configuration knows, and who is installed and has a key. */
export function offeredNames(config: Config): string[] {
  const installed = offeredAgents.filter(
    (each) => isInstalled(each) && keyOf(each, config.logins) !== undefined,
  );
  return [...new Set([...Object.keys(config.agents ?? {}), ...installed.map(({ word }) => word)])];
}
