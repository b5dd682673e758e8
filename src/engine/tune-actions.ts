// The jobs of a tuning run. An action's result is a file before it is a fact, so that a crash in between does nothing
// twice; one that fails three times is skipped and counted (S10).
import { join } from "node:path";
import type { Input, Outcome } from "../core/input.ts";
import type { Job } from "../core/parts.ts";
import type { Json, Run } from "../core/run.ts";
import { fileDigest } from "../host/digest.ts";
import { readIfThere, replaceFile } from "../host/files.ts";
import { aboutArtifact } from "../protocols/subject.ts";
import { roundOf, stateAt } from "../protocols/tuning/subjects.ts";
import { type ActionCase, type ActionResult, ownedUpdates } from "../tuning/actions/action.ts";
import { actions } from "../tuning/actions/actions.ts";
import type { Kind } from "../tuning/skill.ts";
import type { App } from "./app.ts";
import type { Carriers } from "./world.ts";

const tries = 3;
const windows = { actions: 10, errors: 5 };

/** What an action left behind: its answer, or why it was skipped. */
interface Left {
  readonly result?: ActionResult;
  readonly error?: string;
}

export function tuningCarriers(app: App): Carriers {
  return {
    "run-role": async ({ job }) => {
      const run = await app.run();
      const { path, given } = await app.journal.read(run, (state) => ({
        path: resultPath(state, job),
        given: caseOf(state),
      }));
      if (readIfThere(path) === undefined)
        replaceFile(path, `${JSON.stringify(attempt(job.role, given), null, 2)}\n`);
      return { ok: true };
    },
    "check-output": async ({ job }) => {
      const run = await app.run();
      return app.journal.read(run, (state) => outcomeOf(state, job));
    },
  };
}

function resultPath(run: Run, { role, attempt: n }: Pick<Job, "role" | "attempt">): string {
  return join(run.planningDir, "actions", `${role}-${n}.json`);
}

function caseOf(run: Run): ActionCase {
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
  const left = JSON.parse(readIfThere(resultPath(run, job)) ?? "{}") as Left;
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
  const values = { ...ownedUpdates(job.role, result?.stateUpdates ?? {}), ...countedIn(run, job.role, left) };
  return { ok: true, inputs: [...registered, { kind: "set", values }, ...asked] };
}

/** A skipped action counts as done; the windows are short here and whole in the journal (S2). */
function countedIn(run: Run, action: string, { result, error }: Left): Record<string, Json> {
  const list = (path: string) => {
    const value = stateAt(run, path);
    return Array.isArray(value) ? value : [];
  };
  const entry = {
    action,
    result: error === undefined ? "success" : "skipped",
    summary: result?.summary ?? error ?? "",
  };
  const steps = Number(stateAt(run, "steps") ?? 0) + 1;
  const counted: Record<string, Json> = {
    [`completed_actions.${action}`]: roundOf(run),
    steps,
    action_history: [...list("action_history"), entry].slice(-windows.actions),
  };
  if (error === undefined) return counted;
  return {
    ...counted,
    error_count: Number(stateAt(run, "error_count") ?? 0) + 1,
    errors: [...list("errors"), { action, message: error }].slice(-windows.errors),
    // What could not be applied does not hold up the rest.
    ...(action === "action-apply-fix" && { pending_fixes: list("pending_fixes").slice(1) }),
    ...(action === "action-init" && { status: "running" }),
  };
}
