// The rig of the mission tests: the real CLI, a real git repository as target, and agents that are small Node programs.
// Each does its part well (`good()`) unless a turn says otherwise: turns are statements, by role or task and attempt.
import { type ChildProcess, execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { ended, type Fact, Project, type Ran, start } from "../e2e/rig.ts";
import { hasBox } from "../needs.ts";

export { hasBox };

/** One statement per attempt; the last is repeated. */
export type Turns = Readonly<Record<string, readonly string[]>>;

export const step = (id: string) => ({
  id,
  title: `Write ${id}`,
  description: `Write ${id} into src/${id}.txt.`,
  files: [`src/${id}.txt`],
  verification_cmd: `test "$(cat src/${id}.txt)" = ${id}`,
});

export const plan = (...ids: readonly string[]) => ({
  phase_id: "01",
  objective: "the files are there",
  tasks: ids.map(step),
  must_haves: [{ truth: "every file is there", evidence_required: "`ls src`" }],
});

const prelude = (turns: Turns, ids: readonly string[]) => `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path"), { execSync } = require("node:child_process");
const bundle = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { HEDDLE_ROLE: role, HEDDLE_TASK: task, HEDDLE_OUTPUT: out } = process.env, attempt = Number(process.env.HEDDLE_ATTEMPT);
const put = (file, value) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value, null, 2));
};
const hand = (value) => put(out, value);
const say = (value) => fs.writeSync(1, (typeof value === "string" ? value : JSON.stringify(value)) + "\\n");
const step = ${step.toString()};
const plan = ${plan.toString()};
const judge = (passed, gaps = ["something is missing"]) => hand({
  passed,
  checks: (bundle.must_haves ?? [{ truth: "every file is there" }]).map(({ truth }) => ({ claim: truth, verdict: passed ? "pass" : "fail", evidence: fs.readdirSync("src").join(" ") })),
  gaps: passed ? [] : gaps.map((description) => ({ description, suggested_task: "write it" })),
});
const sum = (status, more = {}) => hand({ task_id: task, status, ...more });
const write = () => { for (const { path: file } of bundle.files) put(file, task + "\\n"); };
const parts = {
  researcher: () => hand({ knowledge: [{ topic: "files", findings: "there are few" }] }),
  "mission-planner": () => hand(plan(...${JSON.stringify(ids)})),
  executor: () => { write(); sum("complete", { changes: bundle.files.map(({ path: file }) => ({ file, action: "created" })) }); },
  verifier: () => judge(true),
};
/** A plan's roles, for what a mission hands over: each step of the specification is one behaviour, and one task. */
const spec = () => fs.readFileSync(bundle.inputs.spec.path, "utf8");
const steps = () => [...spec().matchAll(/^- REQ-(\\d+): (Write (\\S+)\\.) .*Shown by: \`(.*)\`$/gm)].map(([, n, quote, id, command]) => ({ n: Number(n), quote, id, command }));
const taskId = (n) => "T" + String(n).padStart(3, "0");
const planRoles = {
  "logic-architect": () => hand({
    version: "1.0",
    domains: [{ id: "D1", name: "Files", capabilities: steps().map(({ n, quote, id }) => ({
      id: "C" + n, name: "Write " + id, spec_ref: { quote }, behaviors: [{ id: "B" + n, name: "Write " + id, type: "state" }],
    })) }],
    flows: steps().map(({ n }) => ({ id: "F" + n, name: "Write " + n, is_steel_thread: n === 1, steps: [{ behavior_id: "B" + n }] })),
    coverage: { total_requirements: steps().length, covered_requirements: steps().length, gaps: [] },
    phase_filtering: { active_phase: 1, excluded_phases: [], total_excluded_requirements: 0 },
  }),
  "physical-architect": () => hand({
    version: "1.0", target_dir: bundle.target_dir,
    file_mapping: steps().map(({ n, id }) => ({ behavior_id: "B" + n, behavior_name: "Write " + id, files: [{ path: "src/" + id + ".txt", action: "create", layer: "data", purpose: "the file" }] })),
    summary: { total_behaviors: steps().length, total_files: steps().length, files_to_create: steps().length, files_to_modify: 0 },
  }),
  "task-author": () => { for (const { n, quote, id, command } of steps()) put(path.join(out, taskId(n) + ".json"), {
    id: taskId(n), name: "Write " + id, phase: 1, behaviors: ["B" + n],
    context: { domain: "Files", spec_ref: { quote }, steel_thread: n === 1 },
    files: [{ path: "src/" + id + ".txt", action: "create", layer: "data", purpose: "the file" }],
    dependencies: { tasks: [], external: [] },
    acceptance_criteria: [{ criterion: "it is there", verification: command }],
    estimate_hours: 2,
  }); },
  "task-plan-verifier": () => hand({ verdict: "READY", summary: "fine", issues: [], tasks: fs.readdirSync(bundle.inputs.tasks.path).map((name) => ({
    task_id: name.replace(".json", ""),
    dimensions: Object.fromEntries(["spec", "phase", "strategy", "preferences", "viability", "criteria"].map((each) => [each, { score: "PASS", evidence: "seen" }])),
  })) }),
  "plan-auditor": () => { for (const name of fs.readdirSync(bundle.inputs.tasks.path)) put(path.join(out, name), fs.readFileSync(path.join(bundle.inputs.tasks.path, name), "utf8")); },
  "task-executor": () => {
    for (const { path: file } of bundle.files) put(file, path.basename(file, ".txt") + "\\n");
    hand({ version: "1.0", task_id: task, status: "success", files: { created: bundle.files.map(({ path: file }) => file), modified: [] } });
  },
};
const good = () => (parts[role] ?? planRoles[role])();
const hang = () => setInterval(() => {}, 1000);
const turns = ${JSON.stringify(turns)};
const own = turns[task] ?? turns[role] ?? ["good()"];
eval(own[Math.min(attempt, own.length) - 1]);
`;

export class Mission extends Project {
  constructor(turns: Turns = {}, ids: readonly string[] = ["01-01", "01-02"]) {
    super();
    this.git("init", "-q", "-b", "main");
    this.write("README.md", "# The person's project\n");
    this.git("add", "README.md");
    this.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Begin");
    // The look at the base would only take time here; the tests at a terminal write a configuration of their own, with it.
    this.write(".heddle/config.json", JSON.stringify({ checks: { baseline: false } }));
    this.agent(turns, ids);
  }

  /** Writes the agent anew. It lies beside heddle's own files, so that the checkout stays clean. */
  agent(turns: Turns, ids: readonly string[] = ["01-01", "01-02"]): void {
    this.write(".heddle/agent.cjs", prelude(turns, ids));
    chmodSync(this.path(".heddle/agent.cjs"), 0o755);
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", ["-C", this.root, ...args], { encoding: "utf8" });
  }

  get words(): string[] {
    return ["--agent", "command:./.heddle/agent.cjs", ...(hasBox ? [] : ["--unconfined"])];
  }

  mission(...more: readonly string[]): Promise<Ran> {
    return this.heddle("mission", ...more, ...this.words);
  }

  /** Started, to be killed. */
  started(...more: readonly string[]): { child: ChildProcess; ran: Promise<Ran> } {
    const child = start(["mission", ...more, ...this.words], { cwd: this.root });
    return { child, ran: ended(child) };
  }

  override get view(): string {
    return this.path(".meta/session.json");
  }

  artifact(name: string) {
    return JSON.parse(readFileSync(this.path("artifacts", name), "utf8"));
  }

  bundle(name: string) {
    return JSON.parse(readFileSync(this.path(".heddle/attempts/mission-1", name, "bundle.json"), "utf8"));
  }

  /** The tasks whose change is on the branch, oldest first. */
  merged(): string[] {
    return this.mergedOn("heddle/mission-1");
  }

  mergedOn(branch: string): string[] {
    const log = this.git("log", "--reverse", "--format=%(trailers:key=Heddle-Task,valueonly)", branch);
    return log.split("\n").filter((line) => line !== "");
  }

  async facts(kind: string): Promise<Fact["fact"][]> {
    return (await this.history()).map(({ fact }) => fact).filter((fact) => fact.kind === kind);
  }

  attempts(): string[] {
    const folder = this.path(".heddle/attempts/mission-1");
    // The look at the base is no attempt of a role or a task.
    const names = existsSync(folder) ? readdirSync(folder).sort() : [];
    return names.filter((name) => !name.startsWith("baseline-"));
  }
}
