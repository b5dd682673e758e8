// The project's configuration, read from the person's own checkout, as the engine uses it.
import { join } from "node:path";
import { type Config, parseConfig, withSetting } from "../config/config.ts";
import { limitsSet, type Work } from "../config/worker.ts";
import { defaultPolicy, type Policy } from "../core/policy.ts";
import { Refused } from "../engine/app.ts";
import { isThere, listFiles, readIfThere, readText, replaceFile } from "../host/files.ts";
import type { Limits } from "../host/program/limits.ts";
import type { Sandbox } from "../host/program/sandbox.ts";
import type { CommandSettings } from "../work/run-command.ts";

export function readConfig(heddleDir: string): Config {
  const file = join(heddleDir, "config.json");
  if (!isThere(file)) return {};
  const read = readText(file, 1024 * 1024);
  if ("problem" in read) throw new Refused([read.problem]);
  const { config, problems } = parseConfig(file, read.text, (kind, name) => isOwn(heddleDir, kind, name));
  if (problems.length > 0) throw new Refused(problems);
  return config;
}

/** Where the journal is from now on; nothing for a file on this machine. What a person wrote beside it stays as it is. */
export function setJournal(file: string, journal: string | undefined): void {
  replaceFile(file, withSetting(readIfThere(file) ?? "{}\n", "journal", journal));
}

/** A role of one's own has a skill; a phase stands in a protocol's file, which takes too long to read for this alone. */
function isOwn(heddleDir: string, kind: "roles" | "phases", name: string): boolean {
  if (kind === "roles") return isThere(join(heddleDir, "roles", name, "SKILL.md"));
  const folder = join(heddleDir, "protocols");
  const files = [".yaml", ".yml", ".ts"].flatMap((ending) => listFiles(folder, ending));
  return files.some((file) =>
    readIfThere(join(folder, file))
      ?.split(/[^\w-]+/)
      .includes(name),
  );
}

export function policyOf(config: Config): Policy {
  const others = [
    ...Object.values(config.agents ?? {}),
    ...Object.values(config.phases ?? {}),
    ...Object.values(config.roles ?? {}),
    ...Object.values(config.tags ?? {}),
  ];
  const set = [config.limits, ...others.map((each) => each.limits)].flatMap(
    (limits) => limits?.minutes ?? [],
  );
  const minutes = set.length > 0 ? Math.max(44, ...set) : undefined;
  return {
    ...defaultPolicy,
    ...(config.attempts !== undefined && { attempts: config.attempts }),
    ...(config.parallel !== undefined && { slots: config.parallel }),
    // The agent's own limit ends it; this one, a little later, is for an agent that cannot be ended.
    ...(minutes !== undefined && { workLimitMs: minutes * 60_000 + 30_000 }),
    ...(config.checks?.minutes !== undefined && { checkLimitMs: checkLimit(config.checks.minutes) }),
    baseline: config.checks?.baseline ?? true,
    ...(config.review !== undefined && { review: config.review }),
    ...(config.budget?.taskUsd !== undefined && { taskBudgetUsd: config.budget.taskUsd }),
    ...(config.budget?.runUsd !== undefined && { runBudgetUsd: config.budget.runUsd }),
  };
}

/** All commands of one task together; the limit of each ends it first. */
const checkLimit = (minutes: number) => minutes * 60_000 * 4;

const mebibyte = 1024 * 1024;

/** What holds for set-up and acceptance commands. */
export function benchFor(config: Config, sandbox: Sandbox | null): CommandSettings {
  const wallMs = (config.checks?.minutes ?? 10) * 60_000;
  const { memoryMegabytes: memory, processes } = config.limits ?? {};
  return {
    sandbox,
    readable: config.readable ?? [],
    env: config.checks?.env ?? [],
    limits: {
      ...{ wallMs, silenceMs: wallMs, outputBytes: 16 * mebibyte, lineBytes: mebibyte },
      ...(memory !== undefined && { memoryBytes: memory * mebibyte }),
      ...(processes !== undefined && { processes }),
    },
  };
}

/** Work, and the agent that does it. */
export interface Assigned extends Work {
  readonly agent: string;
}

/** The tag's own limits, then the role's, the phase's, the agent's, the project's, ours. */
export function limitsFor(config: Config, { agent, ...work }: Assigned): Limits {
  const set = limitsSet(config, work, agent);
  return {
    wallMs: (set.minutes ?? 44) * 60_000,
    silenceMs: (set.silenceMinutes ?? 15) * 60_000,
    ...(set.firstMinutes !== undefined && { firstOutputMs: set.firstMinutes * 60_000 }),
    outputBytes: (set.outputMegabytes ?? 64) * mebibyte,
    lineBytes: mebibyte,
    ...(set.memoryMegabytes !== undefined && { memoryBytes: set.memoryMegabytes * mebibyte }),
    ...(set.processes !== undefined && { processes: set.processes }),
  };
}
