// `heddle tune`: a run of the tuning protocol in the project's journal. The rules decide, the actions of `skill/`
// do the work, and a person's decisions are questions that may be answered now or later (S12).

import { join, relative } from "node:path";
import type { Config } from "../../config/config.ts";
import { fork } from "../../core/apply.ts";
import { toCall } from "../../core/hint.ts";
import type { Input } from "../../core/input.ts";
import { recordIn } from "../../core/json.ts";
import { problem } from "../../core/problem.ts";
import { decide } from "../../core/protocol.ts";
import type { Json, Run } from "../../core/run.ts";
import { App, type AppOptions, Refused } from "../../engine/app.ts";
import type { Changed } from "../../engine/changed.ts";
import { drive } from "../../engine/drive.ts";
import { refuseWhileHeld } from "../../engine/hold.ts";
import { foldersOf, runFolder } from "../../engine/paths.ts";
import { makeFolder, readIfThere } from "../../host/files.ts";
import { type Agents, agentWords, refuseWithoutAgents } from "../../orders/agents.ts";
import { type BoxChoice, usable } from "../../orders/box.ts";
import { readConfig } from "../../orders/config.ts";
import { clearPlaceHalt } from "../../orders/target-repository.ts";
import { workersFor } from "../../orders/workers.ts";
import { workersOf } from "../../protocols/workers.ts";
import { makeProject } from "../make-project.ts";
import { tuningCarriers } from "./actions.ts";
import { DeepAnalysis } from "./analysis.ts";
import { tuning } from "./protocol.ts";
import { listOf } from "./skill/actions/action.ts";
import { general } from "./skill/actions/requirements.ts";
import { isWithin } from "./skill/propose.ts";
import type { SkillPlace } from "./skill/read.ts";
import { deepAreas, roundOf, stateAt } from "./subjects.ts";

export interface TuneOrder extends AppOptions {
  readonly place: SkillPlace;
  /** Asked when a tuning is begun. */
  readonly complaint: () => Promise<string | undefined>;
  readonly focus: readonly string[];
  readonly limits: { readonly steps: number | undefined; readonly iterations: number | undefined };
}

/** The tuning of this skill: the one that was begun, or a new one. */
export async function openTuning(order: TuneOrder): Promise<App> {
  await order.packs.load("tuning");
  await makeProject({ root: order.root, journals: order.journals });
  const app = await App.open(order);
  try {
    const begun = (await app.journal.runs()).find(
      ({ protocol, archived }) => protocol === "tuning" && !archived,
    );
    if (!begun) return await createTuning(app, order);
    const { entry, isOver } = await app.journal.read(begun.id, (run) => ({
      entry: stateAt(run, "target_skill.path"),
      isOver: isFinished(run),
    }));
    if (isOver) {
      await archiveFinished(app, begun.id);
      return await createTuning(app, order);
    }
    if (entry !== order.place.entry) throw otherTuning(String(entry), order.root);
    app.close();
    return await App.open({ ...order, run: begun.id });
  } catch (error) {
    app.close();
    throw error;
  }
}

/** Nothing is left to decide but whether its summary was seen: it blocks no other tuning (S17). */
function isFinished(run: Run): boolean {
  if (run.phase !== "tuning") return true;
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  const isSummary = rule?.then.kind === "ask" && rule.then.point === "summary";
  return isSummary && !run.questions.some(({ id, answer }) => id.startsWith("summary-") && answer !== null);
}

async function archiveFinished(app: App, run: string): Promise<void> {
  await app.submitTo(run, { kind: "set", values: { status: "completed" } });
  await app.submitTo(run, { kind: "archive", reason: "the tuning is over" });
}

function otherTuning(entry: string, root: string): Refused {
  const path = relative(process.cwd(), entry) || entry;
  return new Refused([
    problem("tuning-begun", `the tuning of \`${path}\` in ${root} is not finished`, {
      hint: [toCall(`tune ${path}`), " goes on with it; with --leave it ends"],
    }),
  ]);
}

async function createTuning(app: App, { place, complaint, focus, limits }: TuneOrder): Promise<App> {
  const values: Record<string, Json> = {
    target_skill: { path: place.entry, kind: place.kind },
    user_issue_description: (await complaint()) ?? general,
    ...(focus.length > 0 && { focus_areas: withDiagnosis(focus), focus_given: true }),
    ...limitValues(limits),
  };
  const folderOf = (run: string) => runFolder(app.paths, tuning, run);
  const prepare = (run: string) => {
    for (const folder of ["", ...foldersOf(tuning)]) makeFolder(join(folderOf(run), folder));
  };
  const inputs = (run: string): readonly Input[] => [
    { kind: "create", targetDir: join(place.entry, ".."), planningDir: folderOf(run) },
    { kind: "set", values },
  ];
  await app.create("tuning", inputs, { alone: true, prepare });
  return app;
}

/** Areas that only an agent judges leave every diagnosis in focus. */
function withDiagnosis(focus: readonly string[]): string[] {
  return focus.every((area) => deepAreas.includes(area)) ? [...focus, "all"] : [...focus];
}

function limitValues({ steps, iterations }: TuneOrder["limits"]): Record<string, Json> {
  return {
    ...(steps !== undefined && { max_steps: steps }),
    ...(iterations !== undefined && { max_iterations: iterations }),
  };
}

/** Something that a person decides. */
export interface Decision {
  readonly id: string;
  /** `fixes`, `continue`, `summary`, or `requirements`. */
  readonly point: string;
  readonly text: string;
  readonly options: readonly string[];
}

/** Who is asked, when somebody should be. */
export interface Analyst {
  readonly agent: string | undefined;
  readonly unconfined: boolean;
  /** Wanted in any case. */
  readonly deep: boolean;
  /** How often each eval is run, before and after a fix. */
  readonly evalRuns?: number | undefined;
}

/** Enough to see a spread. */
const evalRuns = 3;

/** A decision, and what it is about. */
export interface Asking {
  readonly decision: Decision;
  readonly fixes: readonly Proposed[];
  readonly issues: readonly Issue[];
  /** Where the proposals and the summary are. */
  readonly workDir: string;
}

export interface TuneRun {
  readonly app: App;
  readonly by: Analyst;
  readonly limits: TuneOrder["limits"];
  readonly signal: AbortSignal;
  /** Ends agents that are at work, too. */
  readonly stopNow?: AbortSignal;
  readonly changed?: Changed;
  /** What agents do while they are at it. */
  readonly watch?: (role: string, text: string) => void;
  /** The answer, or nothing when it will be given later. */
  readonly answer: (asking: Asking) => Promise<string | undefined>;
}

export interface Tuned {
  readonly run: string;
  readonly phase: string;
  readonly gate: string;
  readonly score: number;
  readonly workDir: string;
  readonly halted: string | null;
  /** What waits for a person. */
  readonly open: readonly Decision[];
  readonly summary: readonly string[];
  /** Measured before the first change and now: issues by severity, score, tokens when loaded and on each path. */
  readonly before: Json;
  readonly after: Json;
  readonly applied: Json;
  /** Findings that nothing fixes yet. */
  readonly left: Json;
  /** What an agent found, apart from what was measured; or why nobody looked deeper. */
  readonly deep: Json;
}

export async function runTuning(tune: TuneRun): Promise<Tuned> {
  const { app, by, limits, signal, stopNow, changed, answer, watch = () => {} } = tune;
  await refuseWhileHeld(app);
  await app.submit({ kind: "set", values: limitValues(limits) });
  await clearPlaceHalt(app);
  const halt = await app.look((run) => run.halt);
  if (halt?.interrupted || halt?.reason === "step_limit")
    await app.submit({ kind: "resume", stopFile: false });
  const config = readConfig(app.paths.heddle);
  const { agents, box } = await agentsFor(app, config, by);
  if (by.deep) await app.submit({ kind: "set", values: { gemini_analysis_requested: true } });
  const tuning = { app, config, agents, box, evalRuns: by.evalRuns ?? evalRuns, watch };
  const carriers = tuningCarriers(tuning);
  const beside = new DeepAnalysis(tuning);
  for (;;) {
    await takeAnswers(app);
    await drive({
      ...{ app, slots: 1, signal, carriers, beside },
      ...(stopNow && { stopNow }),
      ...(changed && { changed }),
    });
    const open = await app.look(decisionsIn);
    const answered = signal.aborted ? [] : await answersTo(app, open, answer);
    if (answered.length === 0 && !(await isAnyAnswered(app, open))) return finish(app, open);
    for (const [id, text] of answered) await app.submit({ kind: "answer", id, answer: text });
  }
}

async function agentsFor(
  app: App,
  config: Config,
  { agent, unconfined }: Analyst,
): Promise<{ readonly agents: Agents | undefined; readonly box: BoxChoice | undefined }> {
  if (agentWords(config, agent).length === 0) return { agents: undefined, box: undefined };
  const { agents, box } = await workersFor({ app, root: app.paths.root, config, agent, unconfined });
  refuseWithoutAgents(agents, workersOf(tuning));
  usable(box);
  return { agents, box };
}

async function answersTo(
  app: App,
  open: readonly Decision[],
  answer: TuneRun["answer"],
): Promise<(readonly [string, string])[]> {
  const given: (readonly [string, string])[] = [];
  for (const decision of open) {
    const { id, text, options, point } = decision;
    if (point !== "requirements")
      await app.submit({ kind: "ask", id, text, options, about: `tuning:${point}` });
    const about = await app.look((run) => ({
      fixes: proposedFixes(run),
      issues: listOf<Issue>(stateAt(run, "issues")),
      workDir: run.planningDir,
    }));
    const said = await answer({ decision, ...about });
    if (said !== undefined) given.push([id, said]);
  }
  return given;
}

/** Elsewhere, while the question stood here. */
const isAnyAnswered = (app: App, open: readonly Decision[]) =>
  app.look(({ questions }) =>
    open.some(({ id }) => questions.some((each) => each.id === id && each.answer !== null)),
  );

/** What the rules wait for. */
function decisionsIn(run: Run): Decision[] {
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  if (rule?.then.kind === "ask" && rule.then.point !== undefined) {
    const { point } = rule.then;
    const id = `${point}-${roundOf(run)}`;
    // An answer that could not be understood is no decision: the question comes again, under another name.
    const vain = run.questions.filter((each) => each.answer !== null && baseOf(each.id) === id);
    const again = vain.at(-1)?.answer;
    const text = again === undefined ? "" : `\`${again}\` is no answer. `;
    const name = vain.length === 0 ? id : `${id}.${vain.length + 1}`;
    return [{ id: name, point, text: text + rule.then.question, options: rule.then.options }];
  }
  if (rule?.then.kind !== "wait") return [];
  return run.questions
    .filter((question) => question.answer === null)
    .map(({ id, text, options }) => ({ id, text, options, point: "requirements" }));
}

function baseOf(id: string): string {
  return id.replace(/\.\d+$/, "");
}

/** What was answered since, here or by `heddle answer`, becomes a decision of its round. */
async function takeAnswers(app: App): Promise<void> {
  const values = await app.look((run) => {
    const found: Record<string, Json> = {};
    for (const { id, answer } of run.questions) {
      const [, point, round] = /^(fixes|continue|summary)-(\d+)$/.exec(baseOf(id)) ?? [];
      const name = `decisions.${point}.${round}`;
      if (point === undefined || answer === null || run.vars[name] !== undefined) continue;
      if (point === "continue" && answer !== "continue" && answer !== "stop") continue;
      const fixes = point === "fixes" ? selectedFixes(proposedFixes(run), answer) : [];
      if (fixes === undefined) continue;
      found[name] = answer;
      if (point === "summary") found.status = "completed";
      if (point === "fixes") found.pending_fixes = fixes;
    }
    return found;
  });
  if (Object.keys(values).length > 0) await app.submit({ kind: "set", values });
}

export interface Proposed {
  readonly id: string;
  readonly risk: "low" | "medium" | "high";
  readonly description: string;
  readonly strategy: string;
  readonly issues: readonly string[];
}

export interface Issue {
  readonly id: string;
  readonly pattern: string;
  readonly severity: string;
  readonly file: string;
  readonly line: number;
  readonly description: string;
  readonly advice?: string;
}

function proposedFixes(run: Run): readonly Proposed[] {
  return listOf<Proposed>(stateAt(run, "proposed_fixes"));
}

/** `all`, `low risk`, `none`, or ids; nothing when it is something else. */
export function selectedFixes(all: readonly Proposed[], answer: string): string[] | undefined {
  const risk = /^(low|medium|high) risk$/.exec(answer)?.[1] as Proposed["risk"] | undefined;
  if (risk !== undefined) return all.filter((fix) => isWithin(fix.risk, risk)).map(({ id }) => id);
  if (answer === "none") return [];
  const ids = all.map(({ id }) => id);
  if (answer === "all") return ids;
  const named = answer
    .toUpperCase()
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  if (named.length === 0 || !named.every((word) => ids.includes(word))) return undefined;
  return ids.filter((id) => named.includes(id));
}

/** A person has left: what was done stays, and the run ends well (S10). */
export async function leave(app: App): Promise<void> {
  await app.submit({ kind: "set", values: { status: "user_exit" } });
}

async function finish(app: App, open: readonly Decision[]): Promise<Tuned> {
  const run = await app.look(fork);
  const tuned = {
    run: run.id,
    phase: run.phase,
    // Before the first report, what was measured at the start.
    gate: String(stateAt(run, "quality_gate") ?? stateAt(run, "started.gate") ?? "fail"),
    score: Number(stateAt(run, "quality_score") ?? stateAt(run, "started.score") ?? 0),
    workDir: run.planningDir,
    halted: haltOf(run),
    open,
    summary: historyOf(run),
    before: stateAt(run, "started") ?? null,
    after: stateAt(run, "measured") ?? null,
    applied: stateAt(run, "applied_fixes") ?? [],
    left: stateAt(run, "issues") ?? [],
    deep: deepOf(run),
  };
  if (tuned.phase === "done" || tuned.phase === "aborted")
    await app.submit({ kind: "archive", reason: "the tuning is over" });
  return tuned;
}

function deepOf(run: Run): Json {
  const analysis = stateAt(run, "gemini_analysis");
  if (analysis === undefined) return null;
  const found = recordIn(readIfThere(join(run.planningDir, "diagnosis/deep-analysis.json")));
  return { ...(analysis as object), ...(found as { [key: string]: Json } | undefined) };
}

function haltOf(run: Run): string | null {
  if (run.halt) return run.halt.reason;
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  return rule?.then.kind === "halt" ? rule.then.code : null;
}

function historyOf(run: Run): string[] {
  const history = stateAt(run, "action_history");
  return Array.isArray(history)
    ? history.map((each) => String((each as { summary?: string }).summary ?? ""))
    : [];
}
