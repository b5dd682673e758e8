// Runs the evals of a skill with the agent that was named (S16): each task in a folder and a box of its own, several
// times, with the skill as it is at that moment. What has ended is kept under the skill's digest and is not paid for again.
import { cpSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Agent } from "../../../agents/agent.ts";
import { ownRecord } from "../../../core/json.ts";
import { isProblem } from "../../../core/problem.ts";
import { textDigest } from "../../../host/digest.ts";
import { isThere, makeFolder, readIfThere, replaceFile, staysInside } from "../../../host/files.ts";
import { readHandedIn } from "../../../host/handed-in.ts";
import { benchFor, limitsFor } from "../../../orders/config.ts";
import { sandboxOf } from "../../../orders/set-ups.ts";
import { converse } from "../../../work/converse.ts";
import { forgetHome } from "../../../work/given/agent-home.ts";
import { runCommand } from "../../../work/run-command.ts";
import type { Tuning } from "../agents.ts";
import { type ActionCase, skillOf } from "../skill/actions/action.ts";
import type { Skill } from "../skill/skill.ts";
import { type Eval, type EvalCheck, type Evaluated, readEvals } from "./evals.ts";

const role = "evaluated";
const mostAnswer = 1024 * 1024;

/** Nothing when there is nobody to work, or nothing to check. */
export async function evaluate(
  tuning: Tuning,
  given: ActionCase,
  signal: AbortSignal,
): Promise<Evaluated | undefined> {
  const skill = skillOf(given);
  const { all } = readEvals(skill.folder);
  const agent = tuning.agents?.forRole(role, { phase: "tuning" });
  if (all.length === 0 || agent === undefined || isProblem(agent)) return undefined;
  const version = textDigest(skill.files.map(({ path, text }) => `${path}\n${text}`).join("\n")).slice(0, 12);
  const home = join(given.workDir, "evals", version);
  const copy = join(home, "skill");
  if (!isThere(copy)) cpSync(skill.folder, copy, { recursive: true, dereference: false });
  const passed: number[] = [];
  for (let run = 1; run <= tuning.evalRuns; run++) {
    let right = 0;
    for (const each of all) {
      const folder = join(home, `${each.id}-${run}`);
      const at = { folder, copy, run, skill };
      if (await passes(tuning, { each, agent, at }, signal)) right++;
      if (signal.aborted) return undefined;
    }
    passed.push(right);
  }
  tuning.watch(role, `${passed.join(", ")} of ${all.length} passed`);
  return { evals: all.length, passed };
}

interface Trial {
  readonly each: Eval;
  readonly agent: Agent;
  readonly at: {
    readonly folder: string;
    readonly copy: string;
    readonly run: number;
    readonly skill: Skill;
  };
}

async function passes(tuning: Tuning, trial: Trial, signal: AbortSignal): Promise<boolean> {
  const ended = join(trial.at.folder, "ended.json");
  const known = ownRecord<{ passed: boolean }>(ended, readIfThere(ended));
  if (known) return known.passed;
  const answer = await work(tuning, trial, signal);
  if (signal.aborted) return false;
  const checks: { readonly check: EvalCheck; readonly ok: boolean }[] = [];
  for (const check of trial.each.checks)
    checks.push({ check, ok: await holds(tuning, { trial, check, answer }, signal) });
  if (signal.aborted) return false;
  const passed = checks.every(({ ok }) => ok);
  replaceFile(ended, `${JSON.stringify({ passed, checks }, null, 2)}\n`);
  await forgetHome(join(trial.at.folder, "home"));
  return passed;
}

/** The agent at one task; what it says in the end. */
async function work(tuning: Tuning, { each, agent, at }: Trial, signal: AbortSignal): Promise<string> {
  const { folder, copy, run, skill } = at;
  const place = (name: string) => join(folder, name);
  for (const name of ["work", "home", "out"]) makeFolder(place(name));
  for (const file of each.files)
    if (staysInside(skill.folder, file) && isThere(join(skill.folder, file)))
      cpSync(join(skill.folder, file), join(place("work"), basename(file)), { recursive: true });
  replaceFile(place("token"), textDigest(crypto.getRandomValues(new Uint8Array(32))));
  const [bundle, output] = [place("bundle.json"), place("out/answer.md")];
  const entry = join(copy, skill.entry.path);
  const told = {
    role,
    skill: { path: entry, text: skill.entry.text },
    task: each.prompt,
    inputs: { workspace: place("work"), skill: copy },
    output: { path: output, about: "your final answer, as Markdown" },
  };
  replaceFile(bundle, `${JSON.stringify(told, null, 2)}\n`);
  const workspace = {
    cwd: place("work"),
    home: place("home"),
    writable: [place("out")],
    readable: [copy, bundle],
    records: folder,
  };
  const limits = limitsFor(tuning.config, { role, agent: agent.name, phase: "tuning" });
  const order = { role, task: "", attempt: run, bundle, token: place("token"), output, workspace, limits };
  tuning.watch(role, `${each.id}, run ${run}`);
  await converse({ agent, order }, signal);
  const read = readHandedIn(output, { most: mostAnswer });
  return "text" in read ? read.text : "";
}

async function holds(
  { config, box }: Tuning,
  { trial, check, answer }: { trial: Trial; check: EvalCheck; answer: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { folder } = trial.at;
  const cwd = join(folder, "work");
  if (typeof check !== "string" && "answer_contains" in check)
    return answer.toLowerCase().includes(check.answer_contains.toLowerCase());
  if (typeof check !== "string" && "file" in check)
    return staysInside(cwd, check.file) && isThere(join(cwd, check.file));
  const command = typeof check === "string" ? check : check.command;
  const bench = benchFor(config, box ? sandboxOf(box) : null);
  const at = trial.each.checks.indexOf(check) + 1;
  const { how } = await runCommand(
    { ...bench, readable: [...bench.readable, join(folder, "out")] },
    {
      command,
      cwd,
      writable: [cwd],
      home: join(folder, "check-home"),
      tmp: join(folder, "check-tmp"),
      network: false,
      set: { HEDDLE_ANSWER: join(folder, "out/answer.md") },
      log: join(folder, `check-${at}`),
      mark: `tune-${basename(dirname(folder))}`,
    },
    { signal },
  );
  return how.kind === "exited" && how.code === 0;
}
