// The jobs of a tuning run. An action's result is a file before it is a fact, so that a crash in between does nothing
// twice; one that fails three times is skipped and counted (S10).
import { dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import type { Input, Outcome, Spent } from "../core/input.ts";
import type { Job } from "../core/parts.ts";
import { isProblem } from "../core/problem.ts";
import type { Json, Run } from "../core/run.ts";
import { analyseSkill } from "../effects/analyse-skill.ts";
import { fileDigest } from "../host/digest.ts";
import { readIfThere, replaceFile } from "../host/files.ts";
import { skillOf } from "../planning/planning-bundle.ts";
import { aboutArtifact } from "../protocols/subject.ts";
import { roundOf, stateAt } from "../protocols/tuning/subjects.ts";
import {
  type ActionCase,
  type ActionResult,
  ownedUpdates,
  skillOf as skillAt,
} from "../tuning/actions/action.ts";
import { actions } from "../tuning/actions/actions.ts";
import { measure } from "../tuning/measure.ts";
import type { Kind } from "../tuning/skill.ts";
import type { Agents } from "./agents.ts";
import type { App } from "./app.ts";
import { limitsFor } from "./config.ts";
import type { Carriers } from "./world.ts";

const tries = 3;
const windows = { actions: 10, errors: 5 };

/** What an action left behind: its answer, or why it was skipped. */
interface Left {
  readonly result?: ActionResult;
  readonly error?: string;
}

export interface Tuning {
  readonly app: App;
  readonly config: Config;
  /** Nobody, when no agent was named. */
  readonly agents: Agents | undefined;
}

export function tuningCarriers(tuning: Tuning): Carriers {
  const { app } = tuning;
  return {
    "run-role": async ({ job }, signal) => {
      const run = await app.run();
      const { path, given } = await app.journal.read(run, (state) => ({
        path: resultPath(state, job),
        given: caseOf(state),
      }));
      if (readIfThere(path) !== undefined) return { ok: true };
      const deep =
        job.role === "action-gemini-analysis" ? await analysed(tuning, { job, given }, signal) : undefined;
      if (signal.aborted) return { ok: true };
      replaceFile(path, `${JSON.stringify(deep?.left ?? attempt(job.role, given), null, 2)}\n`);
      return { ok: true, ...(deep?.usage && { usage: deep.usage }) };
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

/** By the agent that is named for it; nothing when none is. A failure ends the analysis, not the loop (S5). */
async function analysed(
  { app, config, agents }: Tuning,
  { job, given }: { readonly job: Job; readonly given: ActionCase },
  signal: AbortSignal,
): Promise<{ left: Left; usage?: Spent } | undefined> {
  const agent = agents?.forRole("deep-analyst", { phase: "tuning" });
  const role = skillOf("deep-analyst", app.paths.heddle);
  if (!agent || isProblem(agent) || isProblem(role)) return undefined;
  const { workDir, place, state } = given;
  const fields = Object.fromEntries(
    ["status", "quality_gate", "user_issue_description", "focus_areas"].map((name) => [
      name,
      state(name) ?? null,
    ]),
  );
  const { analysis, error, usage } = await analyseSkill(
    {
      agent,
      role,
      limits: limitsFor(config, { role: "deep-analyst", agent: agent.name, phase: "tuning" }),
      attempt: job.attempt,
      folder: join(workDir, "agents", `deep-analyst-${job.attempt}`),
      target: dirname(place.entry),
      state: { path: join(workDir, "state.json"), fields },
      findings: measure(skillAt(given)).findings,
      watch: () => {},
    },
    signal,
  );
  const file = "diagnosis/deep-analysis.json";
  if (analysis) replaceFile(join(workDir, file), `${JSON.stringify(analysis, null, 2)}\n`);
  const summary = analysis
    ? `${analysis.root_causes.length} root causes, ${analysis.edits.length} edits`
    : `the analysis failed: ${error}`;
  const gemini: Json = analysis ? { status: "completed" } : { status: "failed", error: error ?? "" };
  const result = { stateUpdates: { gemini_analysis: gemini }, outputFiles: analysis ? [file] : [], summary };
  return { left: { result }, ...(usage && { usage }) };
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
