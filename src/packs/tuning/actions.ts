// The jobs of a tuning run. An action's result is a file before it is a fact, so that a crash in between does nothing
// twice; one that fails three times is skipped and counted (S10).

import { join } from "node:path";
import { fork } from "../../core/apply.ts";
import type { Input, Outcome } from "../../core/input.ts";
import { ownRecord } from "../../core/json.ts";
import type { Json, Run } from "../../core/run.ts";
import type { Job } from "../../core/run-parts.ts";
import type { Carriers } from "../../engine/world.ts";
import { wallClock } from "../../host/clock.ts";
import { fileDigest } from "../../host/digest.ts";
import { readIfThere, replaceFile } from "../../host/files.ts";
import { aboutArtifact } from "../../protocols/subject.ts";
import { type Advised, adviceFor, type Tuning } from "./agents.ts";
import { applyMeasured } from "./evals/measured-fix.ts";
import { unmet } from "./preconditions.ts";
import { type ActionCase, type ActionResult, ownedUpdates } from "./skill/actions/action.ts";
import { actions } from "./skill/actions/actions.ts";
import type { Kind } from "./skill/skill.ts";
import { roundOf, stateAt } from "./subjects.ts";

const tries = 3;
const windows = { actions: 10, errors: 5 };

/** What an action left behind: its answer, or why it was skipped. */
export interface Left {
  readonly result?: ActionResult;
  readonly error?: string;
}

export function tuningCarriers(tuning: Tuning): Carriers {
  const { app } = tuning;
  return {
    "run-role": async ({ job }, signal) => {
      const run = await app.run();
      const { path, given, missing } = await app.journal.read(run, (state) => ({
        path: resultPath(state, job),
        given: caseOf(state),
        missing: unmet(state, job.role),
      }));
      if (readIfThere(path) !== undefined) return { ok: true };
      if (missing !== undefined) {
        replaceFile(path, JSON.stringify({ error: `its precondition does not hold: ${missing}` }));
        return { ok: true };
      }
      await app.submit({ kind: "set", values: { current_action: job.role } });
      const asked = { action: job.role, given, time: job.attempt };
      const { advice, error, usage } = await adviceFor(tuning, asked, signal).catch(failed);
      if (signal.aborted) return { ok: true };
      const whole = { ...given, advice, hasAgent: tuning.agents !== undefined };
      const left =
        job.role === "action-apply-fix"
          ? await applyMeasured(tuning, { given: whole, act: () => attempt(job.role, whole) }, signal)
          : attempt(job.role, whole);
      if (signal.aborted) return { ok: true };
      replaceFile(path, `${JSON.stringify(withNote(left, error), null, 2)}\n`);
      return { ok: true, ...(usage && { usage }) };
    },
    "check-output": async ({ job }) => {
      const run = await app.run();
      return outcomeOf(await app.journal.read(run, fork), job);
    },
  };
}

/** The action then goes on without advice, and fails by itself if the skill cannot be read. */
function failed(error: Error): Advised {
  return { error: error.message };
}

function withNote(left: Left, error: string | undefined): Left {
  const { result } = left;
  if (error === undefined || !result) return left;
  return { result: { ...result, summary: `${result.summary}; the agent was of no help: ${error}` } };
}

function resultPath(run: Run, { role, attempt: n }: Pick<Job, "role" | "attempt">): string {
  return join(run.planningDir, "actions", `${role}-${n}.json`);
}

export function caseOf(run: Run): ActionCase {
  const target = stateAt(run, "target_skill") as { readonly path?: string; readonly kind?: Kind } | undefined;
  const vars = structuredClone(run.vars);
  return {
    place: { entry: target?.path ?? "", kind: target?.kind ?? "skill" },
    workDir: run.planningDir,
    round: roundOf(run),
    state: (path) => stateAt({ ...run, vars }, path),
    answers: Object.fromEntries(
      run.questions.flatMap(({ id, answer }) => (answer === null ? [] : [[id, answer]])),
    ),
  };
}

function attempt(action: string, given: ActionCase): Left {
  const act = actions[action];
  if (!act) throw new Error(`bug: there is no action \`${action}\``);
  let error = "";
  for (let n = 0; n < tries; n++) {
    try {
      return { result: act(given) };
    } catch (thrown) {
      error = (thrown as Error).message;
    }
  }
  return { error };
}

function outcomeOf(run: Run, job: Job): Outcome {
  const file = resultPath(run, job);
  const left: Left = ownRecord<Left>(file, readIfThere(file)) ?? {};
  const { result } = left;
  const [output] = result?.outputFiles ?? [];
  const path = output === undefined ? undefined : join(run.planningDir, output);
  const digest = path === undefined ? null : fileDigest(path);
  const registered: Input[] =
    path !== undefined && digest !== null
      ? [
          {
            kind: "register",
            artifact: job.makes,
            path,
            digest,
            inputs: {},
            valid: true,
            problems: [],
            content: {},
          },
        ]
      : [];
  const asked = (result?.questions ?? []).map(
    (question): Input => ({
      kind: "ask",
      ...question,
      about: aboutArtifact({ name: job.makes, digest: digest ?? "" }),
    }),
  );
  const values = {
    ...ownedUpdates(job.role, result?.stateUpdates ?? {}),
    ...countedIn(run, job.role, left),
    current_action: null,
    completed_actions: [...listIn(run, "completed_actions"), job.role],
  };
  return { ok: true, inputs: [...registered, { kind: "set", values }, ...asked] };
}

/** What was done, and what went wrong: the windows are short here and whole in the journal (S2). */
export function notedIn(run: Run, action: string, { result, error }: Left): Record<string, Json> {
  const timestamp = wallClock();
  const entry = {
    action,
    ended_at: timestamp,
    result: error === undefined ? "success" : "skipped",
    summary: result?.summary ?? error ?? "",
  };
  const history = [...listIn(run, "action_history"), entry].slice(-windows.actions);
  if (error === undefined) return { action_history: history };
  return {
    action_history: history,
    error_count: Number(stateAt(run, "error_count") ?? 0) + 1,
    errors: [...listIn(run, "errors"), { action, message: error, timestamp }].slice(-windows.errors),
  };
}

function listIn(run: Run, path: string): readonly Json[] {
  const value = stateAt(run, path);
  return Array.isArray(value) ? value : [];
}

/** A skipped action counts as done. */
function countedIn(run: Run, action: string, left: Left): Record<string, Json> {
  const counted = {
    [`completed_actions.${action}`]: roundOf(run),
    steps: Number(stateAt(run, "steps") ?? 0) + 1,
    ...notedIn(run, action, left),
  };
  if (left.error === undefined) return counted;
  return {
    ...counted,
    // What could not be applied does not hold up the rest.
    ...(action === "action-apply-fix" && { pending_fixes: listIn(run, "pending_fixes").slice(1) }),
    ...(action === "action-init" && { status: "running" }),
  };
}
