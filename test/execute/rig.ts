// The rig of the execution tests: a real plan, a real git repository as target, the real CLI and real agents, small
// Node programs written for each test. An agent does its task (`good()`) unless a turn says otherwise.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planFiles, type Shape, taskId } from "../e2e/plan-files.ts";
import { type Fact, Project, planning, type Ran } from "../e2e/rig.ts";
import { fromTemplate } from "../e2e/templates.ts";
import { hasBox } from "../needs.ts";

export { hasBox };

/** By task, one statement per attempt; the last is repeated. `*` is for every task without its own. */
export type Turns = Readonly<Record<string, readonly string[]>>;

const prelude = (turns: Turns) => `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path"), { execSync, spawn, spawnSync } = require("node:child_process");
const bundle = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { HEDDLE_TASK: task, HEDDLE_ROLE: role, HEDDLE_OUTPUT: out } = process.env, attempt = Number(process.env.HEDDLE_ATTEMPT);
const say = (value) => fs.writeSync(1, (typeof value === "string" ? value : JSON.stringify(value)) + "\\n");
const put = (file, text) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text); };
const write = () => { for (const { path: file } of bundle.files) put(file, task + "\\n"); };
const files = () => ({ created: bundle.files.map((file) => file.path), modified: [] });
const propose = (more = {}) => put(out, JSON.stringify({ version: "1.0", task_id: task, status: "success", files: files(), ...more }));
const good = () => { write(); propose(); };
const hang = () => setInterval(() => {}, 1000);
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const gate = () => { while (!fs.existsSync(path.join(path.dirname(out), "go"))) sleep(20); };
const turns = ${JSON.stringify(turns)};
const judge = (...gaps) => put(out, JSON.stringify({
  passed: gaps.length === 0,
  checks: bundle.must_haves.map(({ truth }, at) => ({ claim: truth, verdict: at < gaps.length ? "fail" : "pass", evidence: fs.readdirSync("src").join(" ") })),
  gaps: gaps.map((description) => ({ description })),
}));
const plan = (id, more = {}) => put(path.join(out, id + ".json"), JSON.stringify({
  id, name: "Close " + id, phase: 3, behaviors: [JSON.parse(fs.readFileSync(path.join(bundle.inputs.tasks.path, "T001.json"), "utf8")).behaviors[0]],
  files: [{ path: "src/" + id + ".txt", action: "create", layer: "domain", purpose: "a gap" }],
  dependencies: { tasks: ["T001"] },
  acceptance_criteria: [{ criterion: "its file is there", verification: 'test "$(cat src/' + id + '.txt)" = ' + id }],
  estimate_hours: 2, ...more,
}));
const own = turns[task] ?? turns[role] ?? turns["*"] ?? ["good()"];
eval(own[Math.min(attempt, own.length) - 1]);
`;

/** A task writes `src/T001.txt`, and is accepted when that file holds its id. */
const simple = (more: Shape["more"]) => (n: number) => ({
  files: [{ path: `src/${taskId(n)}.txt`, action: "create", layer: "domain", purpose: "its part" }],
  acceptance_criteria: [
    { criterion: "its file is there", verification: `test "$(cat src/${taskId(n)}.txt)" = ${taskId(n)}` },
  ],
  ...more?.(n),
});

export class Execution extends Project {
  /** A project in phase `ready`, for a target with one commit. */
  static async ready(shape: Shape, turns: Turns = {}): Promise<Execution> {
    const project = new Execution();
    const files = planFiles({ ...shape, more: simple(shape.more) }, "app");
    await fromTemplate(project.root, ["execution", files], async () => {
      project.makeTarget();
      await project.plan(shape);
    });
    project.agent(turns);
    project.config({});
    return project;
  }

  async plan(shape: Shape): Promise<void> {
    this.writePlan({ ...shape, more: simple(shape.more) });
    for (const words of [["init", "app"], ...planning]) await this.must(...words);
  }

  makeTarget(): void {
    mkdirSync(this.path("app"), { recursive: true });
    this.git("init", "-q", "-b", "main");
    this.write("app/README.md", "# The person's project\n");
    this.write("app/test/existing.test.js", "// a test that was here before\n");
    this.git("add", ".");
    this.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Begin");
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", ["-C", this.path("app"), ...args], { encoding: "utf8" });
  }

  /** Writes the agent anew. */
  agent(turns: Turns): void {
    this.write("agent.cjs", prelude(turns));
    chmodSync(this.path("agent.cjs"), 0o755);
  }

  /** The look at the base is for the tests that are about it (`baseline.test.ts`): here it would only take time. */
  config(config: object): void {
    const checks = { baseline: false, ...(config as { checks?: object }).checks };
    this.write(".heddle/config.json", JSON.stringify({ ...config, checks }));
  }

  get words(): string[] {
    return ["execute", "--agent", "command:./agent.cjs", ...(hasBox ? [] : ["--unconfined"])];
  }

  execute(...more: readonly string[]): Promise<Ran> {
    const all = more.some((word) => !word.startsWith("-")) && !more.includes("--parallel") ? [] : ["--batch"];
    return this.heddle(...this.words, ...(more.includes("--parallel") ? [] : all), ...more);
  }

  /** The tasks whose change is on the branch, oldest first. */
  merged(branch = "heddle/plan-1"): string[] {
    const log = this.git("log", "--reverse", "--format=%(trailers:key=Heddle-Task,valueonly)", branch);
    return log.split("\n").filter((line) => line !== "");
  }

  show(path: string, branch = "heddle/plan-1"): string {
    return this.git("show", `${branch}:${path}`);
  }

  async facts(kind: string): Promise<Fact["fact"][]> {
    return (await this.history()).map(({ fact }) => fact).filter((fact) => fact.kind === kind);
  }

  attempt(name: string, ...parts: readonly string[]): string {
    return attemptIn(this, name, ...parts);
  }

  /** Lets the agent of an attempt go on that stands at `gate()`. */
  release(name: string): void {
    writeFileSync(join(this.attempt(name, "out"), "go"), "");
  }

  attempts(): string[] {
    const folder = this.path(".heddle/attempts/plan-1");
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  }
}

/** `HEDDLE_CARRY=/a/folder`: attempts are worked on there, and what people want to see comes back. */
export const isCarriedElsewhere = process.env.HEDDLE_CARRY?.startsWith("/") === true;

/** What lies in `.heddle` where orders are carried out. */
export function heddleIn(project: Project, ...parts: readonly string[]): string {
  const home = project.path(".heddle", ...parts);
  const { HEDDLE_CARRY: elsewhere } = process.env;
  if (!isCarriedElsewhere || elsewhere === undefined) return home;
  const place = createHash("sha256").update(project.path(".heddle")).digest("hex").slice(0, 16);
  const there = join(elsewhere, place, ...parts);
  return existsSync(there) ? there : home;
}

/** A file of an attempt: at home once it came back. */
export function attemptIn(project: Project, ...parts: readonly string[]): string {
  const home = project.path(".heddle/attempts/plan-1", ...parts);
  return existsSync(home) ? home : heddleIn(project, "attempts/plan-1", ...parts);
}

/** Processes that bear a mark of this project: there must be none when nothing runs. */
export function survivors(project: Project): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(project.root));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

export { taskId };
