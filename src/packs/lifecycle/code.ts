// The lifecycle's coder and tester. The coder works in a workspace like any task's; its artifact is what heddle itself
// finds there. The tester is heddle: the plan's commands on exactly that tree, in a clean room.

import { dirname, join, relative } from "node:path";
import type { Config } from "../../config/config.ts";
import { isByHand, saidIn } from "../../core/artifact.ts";
import type { Input, Outcome } from "../../core/input.ts";
import { jsonIn, recordIn } from "../../core/json.ts";
import { failure, impossible } from "../../core/outcome.ts";
import { isProblem } from "../../core/problem.ts";
import { judgingSentence } from "../../core/queue.ts";
import type { Json, Run, TaskDef } from "../../core/run.ts";
import type { Check } from "../../core/run-parts.ts";
import { textDigest } from "../../host/digest.ts";
import { isThere, makeFolder, readText, rename, replaceFile } from "../../host/files.ts";
import { demandGit, runGit } from "../../host/git/git.ts";
import { patchBetween } from "../../host/git/integrate.ts";
import { lentFor } from "../../host/git/lent-objects.ts";
import { openBranch, type Repository } from "../../host/git/repository.ts";
import { readHandedIn, readRecord } from "../../host/handed-in.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { protectedPaths } from "../../orders/attempts.ts";
import { outcomeOf } from "../../orders/carrier.ts";
import { benchFor } from "../../orders/config.ts";
import { askRole } from "../../orders/roles.ts";
import { sandboxOf, setUpFor, setUpOf } from "../../orders/set-ups.ts";
import { repositoryOf } from "../../orders/target-repository.ts";
import { type Checking, redOutput } from "../../work/evidence/check-tree.ts";
import type { Product } from "../../work/product.ts";
import { isRightAlready } from "../../work/run-role.ts";
import { seeWork } from "../../work/see-work.ts";
import type { SetUp } from "../../work/set-up/provide.ts";
import { registering } from "../documents/document.ts";
import { keepOwnVersion, ownVersionLine } from "../documents/own-version.ts";
import { beganAt, checked, type Jobs, type Part, roleAttempt, type Scene } from "../documents/roles.ts";
import { digestAt, fileOf, inputsFor } from "../documents/run-files.ts";
import { checkTaskArtifact } from "./artifacts/check.ts";
import type { CodeResult } from "./artifacts/code-result.ts";
import { type TaskPlan, taskPlan } from "./artifacts/plan.ts";
import { saidBy } from "./artifacts/said.ts";
import { applyOwnPatch, refusedPatch } from "./by-hand.ts";

export const coder: Part = { work: writeCode, check: (jobs, scene) => takeCode(jobs, scene) };
export const tester: Part = { work: runTests, runsPrograms: true };

/** The plan as it was registered: rules led here because it is right. */
export function planOf(run: Run): TaskPlan | undefined {
  const read = readText(fileOf(run, "plan"));
  if ("problem" in read) return undefined;
  const parsed = taskPlan.safeParse(jsonIn(read.text));
  return parsed.success ? parsed.data : undefined;
}

/** A task of the plan's own shape, so that a lifecycle's work is seen, checked and merged like any other. */
export function taskDefOf(run: Run, plan: TaskPlan): TaskDef {
  return {
    id: run.id,
    name: plan.title,
    phase: 1,
    dependsOn: [],
    steel: false,
    estimateHours: 1,
    behaviours: [],
    files: plan.file_plan.map(({ path, intent }) => ({ path, action: intent })),
    criteria: suitesOf(plan).flatMap(({ cases }) => cases),
    file: run.protocol.artifacts.plan ?? "",
    digest: run.artifacts.plan?.digest ?? "",
  };
}

interface Suite {
  readonly id: string;
  readonly name: string;
  readonly cases: readonly { readonly id: string; readonly criterion: string; readonly command: string }[];
}

function suitesOf({ acceptance_criteria: criteria, test_plan: tests }: TaskPlan): Suite[] {
  const accepted = criteria.map(({ id, description, verification }, index) => ({
    id: id ?? `A${index + 1}`,
    criterion: description,
    command: verification,
  }));
  const tested = (tests?.commands ?? []).map(({ name, command }, index) => ({
    id: `C${index + 1}`,
    criterion: name,
    command,
  }));
  return [
    { id: "acceptance", name: "Acceptance criteria", cases: accepted },
    ...(tested.length > 0 ? [{ id: "tests", name: "Tests", cases: tested }] : []),
  ];
}

/** Where the coder begins: written down before its workspace is made. */
async function baseOf(repository: Repository, { run, folder }: Scene): Promise<string | Outcome> {
  const file = join(folder.folder, "base");
  const known = readRecord(file);
  if (known) return known;
  const opened = repository.head ?? (await openBranch(repository, run.id));
  if (isProblem(opened)) return impossible(opened.message);
  const base = typeof opened === "string" ? opened : opened.tip;
  makeFolder(folder.folder);
  replaceFile(file, base);
  return base;
}

const result: Product = {
  kind: "file",
  check: (path) => {
    const read = readHandedIn(path);
    if ("problem" in read) return { problems: [read.problem], warnings: [], inputs: [] };
    const { problems, warnings } = checkTaskArtifact("code_result", { file: path, text: read.text });
    return { problems, warnings, inputs: [] };
  },
  keep: () => {},
};

const benchOf = ({ config, box }: { readonly config: Config; readonly box: Jobs["box"] }) =>
  benchFor(config, sandboxOf(box));

async function writeCode(jobs: Jobs, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  // Files that are gone are written again from what was recorded: nobody is asked to work for that.
  if (scene.job.makes === "files") return { ok: true };
  if (isByHand(scene.run.artifacts.diff)) return applyOwnPatch(jobs.app, scene);
  const { attempt, folder } = scene;
  const repository = await repositoryOf(jobs.app);
  const base = await baseOf(repository, scene);
  if (typeof base !== "string") return base;
  const cwd = join(attempt.work, repository.prefix);
  const work = roleAttempt(jobs, scene, {
    product: result,
    place: { cwd, tmp: attempt.tmp, writable: [attempt.work], env: { HEDDLE_WORKSPACE: attempt.work } },
    readable: [...(jobs.config.readable ?? []), lentFor(repository, base)],
    order: { document: "code_result", more: { workspace: cwd, base } },
  });
  if ("ok" in work) return work;
  beganAt(scene);
  if (!isThere(folder.ended) && !isRightAlready(result, folder)) {
    // What an agent that died left half done is discarded.
    for (const path of [attempt.work, attempt.index]) await removeTree(path);
    const order = {
      repository,
      folder: attempt,
      base,
      setUp: setUpOf(jobs),
    };
    const ready = await outcomeOf(jobs, { kind: "prepare-workspace", ...order }, signal);
    if (!ready.ok || signal.aborted) return ready;
  }
  return askRole(jobs, work, signal);
}

async function takeCode(jobs: Jobs, scene: Scene): Promise<Outcome> {
  const { run, job } = scene;
  const repository = await repositoryOf(jobs.app);
  if (job.makes === "files") {
    const commit = run.artifacts.diff?.content.commit;
    if (typeof commit !== "string") return impossible("there is no code to take the files from");
    return { ok: true, inputs: [await writeFiles(repository, run, commit)] };
  }
  const handedIn = checked(jobs, scene, result);
  if (!handedIn.ok) return handedIn;
  const left = recordIn<CodeResult>(readRecord(scene.folder.taken));
  if (!left) return impossible("what the coder said is gone");
  const { status, summary, reasons = [] } = left;
  const flags = { scope_mismatch: status === "scope_mismatch", plan_unclear: status === "plan_unclear" };
  const head = [`status: ${status}`, `summary: ${summary}`, ...reasons.map((reason) => `reason: ${reason}`)];
  const own = isByHand(run.artifacts.diff);
  const said = saidBy("code_result", left);
  if (status !== "done")
    return { ok: true, inputs: [keepPatch(run, { head, patch: "", content: { ...flags, said } })] };
  const seen = await seeCode(jobs, scene, repository);
  if ("ok" in seen) return own && !seen.ok ? refusedPatch(scene, seen.error) : refusedCode(scene, seen);
  const { commit, tree, created, modified, base, judging } = seen;
  if (judging) head.push(judgingSentence(judging));
  const files = [...created.map((path) => `${path} (new)`), ...modified].join(", ");
  const content = {
    ...{ ...flags, base, commit, tree, created, modified, summary, said: [...said, `changed: ${files}`] },
    ...(own && { by_person: true }),
  };
  if (!own && isSameCode(run, tree))
    return refusedCode(scene, failure("stale-output", "the code is the same as the one that was sent back"));
  const patch = await patchBetween(repository, base, commit);
  return {
    ok: true,
    inputs: [await writeFiles(repository, run, commit), keepPatch(run, { head, patch, content })],
  };
}

async function seeCode(jobs: Jobs, scene: Scene, repository: Repository) {
  const { run, job, attempt } = scene;
  const plan = planOf(run);
  const base = await baseOf(repository, scene);
  if (!plan || typeof base !== "string") return impossible("the plan cannot be read any more");
  const agent = jobs.agents.forRole("coder", { phase: run.phase });
  const seeing = {
    ...{
      repository,
      run: run.id,
      pinnedAs: "work",
      folder: attempt,
      base,
      def: taskDefOf(run, plan),
      attempt: job.attempt,
    },
    ...{ scope: jobs.config.scope ?? "new-files", protect: protectedPaths(jobs.app, repository) },
    ...{ mayBeIdle: false, judging: jobs.config.judging ?? [] },
    ...{ author: isProblem(agent) ? "agent" : agent.name, at: beganAt(scene) },
  };
  const seen = await seeWork(seeing, { task_id: run.id, status: "success" });
  return "ok" in seen ? seen : { ...seen, base };
}

/** Kept beside the attempt as well, so that the next one is told and can be compared. */
function refusedCode({ folder }: Scene, outcome: Outcome): Outcome {
  if (!outcome.ok) replaceFile(folder.refused, JSON.stringify(outcome.problems ?? [outcome.error]));
  return outcome;
}

function isSameCode(run: Run, tree: string): boolean {
  const there = run.artifacts.diff;
  const inputs = inputsFor(run, "diff");
  // What was taken back may well be made again as it was.
  if (run.artifacts.revert?.valid) return false;
  return (
    there?.valid === true &&
    there.content.tree === tree &&
    Object.entries(inputs).every(([name, digest]) => there.inputs[name] === digest)
  );
}

interface Patch {
  readonly head: readonly string[];
  readonly patch: string | Buffer;
  readonly content: Readonly<Record<string, Json>>;
}

/** The lines at its head say what it was made from, so that the same words about another plan are another patch. */
function keepPatch(run: Run, { head, patch, content }: Patch): Input {
  const from = Object.entries(inputsFor(run, "diff")).map(
    ([name, digest]) => `${name}: ${digest.slice(0, 16)}`,
  );
  const base = typeof content.base === "string" ? [`base: ${content.base}`] : [];
  const lines = [`task: ${run.id}`, ...base, ...from, ...head].map(
    (line) => `# ${line.replaceAll(/\s+/g, " ")}\n`,
  );
  const bytes = Buffer.concat([Buffer.from(`${lines.join("")}\n`), Buffer.from(patch)]);
  const path = fileOf(run, "diff");
  makeFolder(dirname(path));
  const said = [...saidIn(content), ...ownVersionLine(run, "diff")];
  keepOwnVersion(run, "diff");
  replaceFile(path, bytes);
  return registering(run, { name: "diff", digest: textDigest(bytes), content: { ...content, said } });
}

/** The changed files as they are after the change, made aside and put in place at once. */
async function writeFiles(repository: Repository, run: Run, commit: string): Promise<Input> {
  const path = fileOf(run, "files");
  const aside = `${path}.new`;
  await removeTree(aside);
  makeFolder(aside);
  const list = await demandGit(repository, {
    args: ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=d", `${commit}^`, commit],
  });
  for (const name of list
    .toString("utf8")
    .split("\0")
    .filter((each) => each !== "")) {
    const { out, code } = await runGit(repository, { args: ["cat-file", "blob", `${commit}:${name}`] });
    if (code !== 0) continue;
    makeFolder(dirname(join(aside, name)));
    replaceFile(join(aside, name), out);
  }
  const said = ownVersionLine(run, "files");
  keepOwnVersion(run, "files");
  await removeTree(path);
  rename(aside, path);
  return registering(run, { name: "files", digest: digestAt(path) ?? "", content: { said } });
}

export function checkingOf(jobs: Jobs, scene: Scene, repository: Repository): Checking | undefined {
  const plan = planOf(scene.run);
  if (!plan) return undefined;
  return {
    ...{
      repository,
      bench: benchOf(jobs),
      setUp: changedSetUp(jobs, scene, repository),
      network: jobs.config.network?.checks ?? false,
    },
    ...{ folder: scene.attempt, criteria: taskDefOf(scene.run, plan).criteria, mark: scene.mark },
  };
}

/** The coder may have changed what set-up reads; where it began, and what the person committed since, is the person's. */
function changedSetUp(jobs: Jobs, { run, attempt: folder }: Scene, { head }: Repository): SetUp {
  const { base } = run.artifacts.diff?.content ?? {};
  const agent = jobs.agents.forRole("coder", { phase: run.phase });
  const trusted = [typeof base === "string" ? base : null, head];
  return setUpFor(jobs, { trusted, agents: isProblem(agent) ? [] : [agent.name], folder });
}

async function runTests(jobs: Jobs, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const { run, folder } = scene;
  const plan = planOf(run);
  const repository = await repositoryOf(jobs.app);
  const checking = checkingOf(jobs, scene, repository);
  const tree = run.artifacts.diff?.content.tree;
  if (!plan || !checking || typeof tree !== "string") return impossible("there is nothing to test");
  const began = beganAt(scene);
  const seen = await outcomeOf(jobs, { kind: "run-checks", ...checking, tree }, signal);
  if (!seen.ok || !seen.evidence) return seen;
  if (signal.aborted) return failure("runtime", "it was ended");
  makeFolder(folder.outbox);
  const { root } = jobs.app.paths;
  const report = reportOf(plan, seen.evidence.checks, { task_id: run.id, tree, began, root });
  replaceFile(folder.output, `${JSON.stringify(report, null, 2)}\n`);
  return { ok: true };
}

interface TestedTree {
  readonly task_id: string;
  readonly tree: string;
  readonly began: string;
  /** What the report names lies in it. */
  readonly root: string;
}

function reportOf(plan: TaskPlan, checks: readonly Check[], { task_id, tree, began, root }: TestedTree) {
  const left = [...checks];
  const suites = suitesOf(plan).map(({ id, name, cases }) => {
    const ran = cases.map((each) => ({ ...each, check: left.shift() }));
    const shown = ran.map(({ check, ...each }) => caseOf(each, check, root));
    return {
      ...{ id, name, kind: "command", status: "completed" },
      overall_pass: shown.every(({ status }) => status === "passed"),
      summary: countsOf(shown),
      cases: shown,
    };
  });
  const all = suites.flatMap(({ cases }) => cases);
  return {
    task_id,
    status: "completed",
    overall_pass: all.length > 0 && all.every(({ status }) => status === "passed"),
    summary: countsOf(all),
    suites,
    meta: { tree, started_at: began },
  };
}

function caseOf({ id, criterion, command }: Suite["cases"][number], check: Check | undefined, root: string) {
  const status =
    check === undefined ? "skipped" : check.ok ? "passed" : check.exit === null ? "error" : "failed";
  const [red] = check && !check.ok ? redOutput([check]) : [];
  const said = red ? `${red.note ?? `exit code ${red.exit}`}\n${red.output}`.trim() : "";
  return {
    ...{ id, name: criterion, status, duration_ms: check?.ms ?? 0 },
    ...(said !== "" && { details: said }),
    metadata: {
      ...{ command, exit: check?.exit ?? null, digest: check?.digest ?? null },
      log: check ? relative(root, check.log) : null,
    },
  } as const;
}

function countsOf(cases: readonly { readonly status: string }[]) {
  const count = (word: string) => cases.filter(({ status }) => status === word).length;
  return {
    passed: count("passed"),
    failed: count("failed"),
    skipped: count("skipped"),
    error: count("error"),
  };
}
