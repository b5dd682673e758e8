// `heddle plan` and `heddle verify-plan`: planning through agents, resumable at any point (D1–D19).
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { problem } from "../../core/problem.ts";
import { type PlanSummary, summarize } from "../../core/schedule.ts";
import { type App, Refused } from "../../engine/app.ts";
import { pathsIn } from "../../engine/paths.ts";
import { isThere } from "../../host/files.ts";
import { planText } from "../../view/plan.ts";
import { oneLine } from "../../view/safe.ts";
import { statusDocument, statusText } from "../../view/status.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../command.ts";
import { live } from "../live.ts";
import { canAsk, prompts } from "../prompts.ts";
import { terminal } from "../terminal.ts";

const agentFlags = {
  agent: {
    about: "who works: command:./program, scripted:file.json, or a name from the configuration",
    takes: "NAME",
  },
  unconfined: { about: "run agents without a sandbox; every view then says so" },
} as const;

export const plan: Command = {
  name: "plan",
  summary: "from a specification to a verified task graph, through agents",
  group: "run",
  args: [{ name: "spec", about: "the specification, a file, or - for standard input", optional: true }],
  flags: {
    target: { about: "the directory that the code is written to", takes: "DIR" },
    new: { about: "a new project" },
    existing: { about: "an existing project: it is looked at first" },
    stack: { about: "the tech stack, in your own words", takes: "TEXT" },
    yes: { about: "take what was found in an existing project as it is" },
    "replace-spec": { about: "put this specification in the place of the stored one" },
    ...agentFlags,
  },
  examples: [
    "heddle plan spec.md --target ./app --agent command:./my-agent",
    "heddle plan --existing --target . --yes",
    "heddle plan    # goes on where it stands",
  ],
  interruptible: true,
  run: async (call) => {
    if (call.flags.has("new") && call.flags.has("existing"))
      throw new Usage(problem("contradiction", "`--new` and `--existing` contradict each other"));
    const app = await openOrCreate(call);
    const engine = await import("../../engine/plan.ts");
    await sameTarget(call, app);
    const { kind, stack, spec } = await given(call, app);
    const metadata = {
      ...(kind !== undefined && { project_type: kind }),
      ...(stack !== undefined && { tech_stack: stack }),
    };
    await app.submit({ kind: "describe", metadata });
    await engine.storeSpec(app, { spec, replaceSpec: call.flags.has("replace-spec") });
    await survey(call, app);
    await engine.lookAgain(app);
    await engine.reopenStale(app);
    if (await app.look((run) => planned.has(run.phase))) return outcome(app, call.signal);
    return drivePlanning(call, app);
  },
};

/** From here on there is a plan. */
const planned = new Set(["ready", "executing", "complete"]);

export const verifyPlan: Command = {
  name: "verify-plan",
  summary: "have the plan judged again, after its task files were changed",
  group: "run",
  flags: agentFlags,
  examples: ["heddle verify-plan"],
  interruptible: true,
  run: async (call) => {
    const app = await call.app();
    const engine = await import("../../engine/plan.ts");
    await engine.lookAgain(app);
    if (await app.look((run) => run.tasks.size === 0))
      throw new Refused([problem("no-tasks", "there are no tasks to be judged", { hint: "heddle plan" })]);
    await app.submit({ kind: "reopen", to: "validation", reason: "the plan is to be judged again" });
    return drivePlanning(call, app);
  },
};

async function openOrCreate(call: Call): Promise<App> {
  if (isThere(pathsIn(call.root).database) || isThere(join(pathsIn(call.root).planning, "state.json")))
    return call.app();
  const target =
    call.flags.one("target") ?? (await askFor("target", "Where is the code written to?", "./app"));
  const { createProject } = await import("../../engine/create.ts");
  const created = await createProject({
    root: call.root,
    by: "operator",
    target,
    force: false,
    warn: call.warn,
  });
  created.close();
  return call.app();
}

/** A plan is made for one target: another one needs another plan. */
async function sameTarget({ flags, root }: Call, app: App): Promise<void> {
  const target = flags.one("target");
  const known = await app.look((run) => run.targetDir);
  if (target === undefined || resolve(root, target) === known) return;
  throw new Refused([
    problem("other-target", `this plan is for ${known}, not for ${resolve(root, target)}`, {
      hint: "heddle init --force <target> begins another",
    }),
  ]);
}

/** On a terminal it asks; elsewhere it says which flag is missing, and never waits (D3). */
async function askFor(flag: string, question: string, initial: string): Promise<string> {
  if (canAsk()) return (await prompts()).text(question, initial);
  throw new Usage(
    problem("missing-flag", `\`--${flag}\` is missing, and there is no terminal to ask on`, {
      hint: `heddle plan --${flag} ${initial}`,
    }),
  );
}

type Spec = { readonly path: string } | { readonly bytes: Buffer } | undefined;

async function given(
  call: Call,
  app: App,
): Promise<{ kind: "new" | "existing" | undefined; stack: string | undefined; spec: Spec }> {
  const { flags } = call;
  const known = await app.look((run) => ({
    kind: run.metadata.project_type,
    target: run.targetDir,
    planning: run.planningDir,
  }));
  const guessed = known.kind === undefined ? await guess(known.target) : undefined;
  const kind = flags.has("new") ? "new" : flags.has("existing") ? "existing" : guessed;
  return { kind, stack: flags.one("stack"), spec: await specFor(call, known.planning) };
}

async function guess(target: string): Promise<"new" | "existing"> {
  const { hasFiles } = await import("../../engine/target.ts");
  return hasFiles(target) ? "existing" : "new";
}

async function specFor({ args: [word], root }: Call, planning: string): Promise<Spec> {
  if (word === "-") return { bytes: readFileSync(0) };
  if (word !== undefined) return { path: word };
  if (isThere(join(planning, "inputs/spec.md"))) return undefined;
  const { findSpecs } = await import("../../engine/plan.ts");
  const found = await findSpecs({ planningDir: planning, workingDir: root });
  if (canAsk() && found.length > 0)
    return {
      path: await (await prompts()).choose(
        "Which specification?",
        found.map(({ path }) => path),
      ),
    };
  const offered = found.slice(0, 5).map(({ path }) => path);
  throw new Usage(
    problem("no-spec", "there is no specification yet", {
      notes: offered.map((path) => `found: ${path}`),
      hint: `heddle plan ${offered[0] ?? "spec.md"}`,
    }),
  );
}

/** Shown once, and confirmed: what agents are told about an existing project comes from here (D5). */
async function survey({ flags, say }: Call, app: App): Promise<void> {
  const { kind, planning } = await app.look((run) => ({
    kind: run.metadata.project_type,
    planning: run.planningDir,
  }));
  if (kind !== "existing" || isThere(join(planning, "artifacts/project-context.json"))) return;
  const { surveyTarget } = await import("../../engine/plan.ts");
  const { remove } = await import("../../host/files.ts");
  say(await surveyTarget(app));
  if (flags.has("yes")) return;
  const path = join(planning, "artifacts/project-context.json");
  const agreed = canAsk() && (await (await prompts()).confirm("Plan with these findings?"));
  if (agreed) return;
  remove(path);
  throw new Usage(
    problem("not-confirmed", "what was found in the project is not confirmed", { hint: "heddle plan --yes" }),
  );
}

async function drivePlanning(call: Call, app: App): Promise<Reply> {
  const { runPlanning } = await import("../../engine/plan.ts");
  const { flags, signal } = call;
  for (;;) {
    const view = await live(app, call);
    await runPlanning({
      app,
      agent: flags.one("agent"),
      unconfined: flags.has("unconfined"),
      until: "ready",
      signal,
      changed: view.changed,
      watch: view.watch,
    });
    await view.settle();
    const open = await app.look((run) => run.questions.find((question) => question.answer === null));
    if (!open || !canAsk() || signal.aborted) return outcome(app, signal);
    const answer =
      open.options.length > 0
        ? await (await prompts()).choose(open.text, open.options)
        : await (await prompts()).text(open.text, "");
    await app.submit({ kind: "answer", id: open.id, answer });
  }
}

async function outcome(app: App, signal: AbortSignal): Promise<Reply> {
  return app.look((run) => {
    const document = statusDocument(run, { stopFile: false });
    if (planned.has(run.phase)) {
      const summary: PlanSummary = summarize(run);
      return {
        text: `${planText(summary)}\n\nheddle status shows the tasks`,
        json: { ...document, plan: summary },
      };
    }
    const text = `${statusText(run, { ...terminal(), stopFile: false, nowMs: Date.now() })}\n${blocked(run)}`;
    return { text, painted: true, json: document, exit: signal.aborted ? exits.interrupted : exits.refused };
  });
}

function blocked(run: {
  readonly artifacts: Readonly<Record<string, { readonly content: Readonly<Record<string, unknown>> }>>;
  readonly planningDir: string;
  readonly phase: string;
}): string {
  const { verdict, summary } = run.artifacts.task_validation?.content ?? {};
  if (run.phase !== "validation" || verdict !== "BLOCKED") return "hint: heddle why";
  return `BLOCKED: ${oneLine(String(summary))}\nthe report is at ${join(run.planningDir, "reports/task-validation-report.md")}\nhint: mend the task files, then: heddle verify-plan`;
}
