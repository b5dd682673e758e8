// The rig of the planning tests: the real CLI, and agents that are small Node programs written for each test. An agent
// does the example's work (`good()`) unless a turn says otherwise: turns are statements, by role and attempt.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cli, ended, type Options, Project, type Ran, start } from "../e2e/rig.ts";
import { commandLines, hasBox } from "../needs.ts";

/** The example of the package that is tried: agents in the box see that package, and no other. */
export const example = join(dirname(cli), "../examples/notes");
export { hasBox };

export const roles = [
  "logic-architect",
  "physical-architect",
  "task-author",
  "task-plan-verifier",
  "plan-auditor",
] as const;

/** By role, one statement per attempt; the last is repeated, and a role without turns is good. */
export type Turns = Readonly<Record<string, readonly string[]>>;

const prelude = (turns: Turns) => `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path"), { execSync, spawn } = require("node:child_process");
const bundle = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { HEDDLE_ROLE: role, HEDDLE_OUTPUT: out } = process.env, attempt = Number(process.env.HEDDLE_ATTEMPT);
const example = ${JSON.stringify(example)};
const read = (name) => fs.readFileSync(path.join(example, name), "utf8").replaceAll("@TARGET@", bundle.target_dir);
const made = { "logic-architect": "capability-map", "physical-architect": "physical-map", "task-plan-verifier": "task-validation" };
const document = () => JSON.parse(read("artifacts/" + made[role] + ".json"));
const ids = Array.from({ length: 10 }, (_, at) => "T" + String(at + 1).padStart(3, "0"));
const put = (value) => fs.writeFileSync(out, typeof value === "string" ? value : JSON.stringify(value, null, 2));
const putTasks = (change = () => {}) => {
  for (const id of ids) {
    const task = JSON.parse(read("tasks/" + id + ".json"));
    change(task);
    fs.writeFileSync(path.join(out, id + ".json"), JSON.stringify(task, null, 2));
  }
};
const order = () => {
  const { path: tasks } = bundle.inputs.tasks;
  for (const name of fs.readdirSync(tasks)) fs.copyFileSync(path.join(tasks, name), path.join(out, name));
};
const good = () => (made[role] ? put(document()) : role === "plan-auditor" ? order() : putTasks());
const say = (value) => fs.writeSync(1, (typeof value === "string" ? value : JSON.stringify(value)) + "\\n");
const hang = () => setInterval(() => {}, 1000);
const turns = ${JSON.stringify(turns)}[role] ?? ["good()"];
eval(turns[Math.min(attempt, turns.length) - 1]);
`;

/** `plan-1`, the first run of a project. */
const firstRun = ".heddle/attempts/plan-1";

export class Planning extends Project {
  constructor(turns: Turns = {}) {
    super();
    cpSync(join(example, "spec.md"), this.path("spec.md"));
    mkdirSync(this.path("app"));
    this.agent(turns);
  }

  /** Writes the agent anew. */
  agent(turns: Turns): void {
    this.program(prelude(turns));
  }

  program(text: string): void {
    this.write("agent.cjs", text);
    chmodSync(this.path("agent.cjs"), 0o755);
  }

  config(config: object): void {
    this.write(".heddle/config.json", JSON.stringify(config));
  }

  /** The first call of a plan, with the agent unconfined. */
  plan(...more: readonly string[]): Promise<Ran> {
    return this.heddle("plan", "spec.md", "--target", "app", "--new", ...confined(false), ...more);
  }

  boxed(...more: readonly string[]): Promise<Ran> {
    return this.heddle("plan", "spec.md", "--target", "app", "--new", ...confined(true), ...more);
  }

  /** Goes on. */
  again(...more: readonly string[]): Promise<Ran> {
    return this.heddle("plan", ...confined(false), ...more);
  }

  in(options: Options, ...args: readonly string[]): Promise<Ran> {
    return ended(start(args, { cwd: this.root, ...options }), options.input);
  }

  attempt(name: string, file: string): string {
    return this.path(firstRun, name, file);
  }

  bundle(name: string) {
    return JSON.parse(readFileSync(this.attempt(name, "bundle.json"), "utf8"));
  }

  /** Attempts that there were, of all roles or of one. */
  attempts(role = ""): string[] {
    const folder = this.path(firstRun);
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(role)) : [];
  }

  text(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  task(id: string) {
    return JSON.parse(this.text(`project-planning/tasks/${id}.json`));
  }

  async phase(): Promise<string> {
    return (await this.status()).phase;
  }

  /** Every file below, with its text. */
  files(folder: string): [string, string][] {
    const root = this.path(folder);
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, readFileSync(file, "latin1")]);
  }
}

export function confined(boxed: boolean): string[] {
  return ["--agent", "command:./agent.cjs", ...(boxed ? [] : ["--unconfined"])];
}

/** A project at `ready`, made by the example's own script. */
export async function readyPlan(): Promise<Planning> {
  const project = new Planning();
  const script = Object.fromEntries(roles.map((role) => [role, [{ from: join(example, sources[role]) }]]));
  project.write("script.json", JSON.stringify(script));
  await project.must("plan", "spec.md", "--target", "app", "--new", "--agent", "scripted:script.json");
  return project;
}

export const sources = {
  "logic-architect": "artifacts/capability-map.json",
  "physical-architect": "artifacts/physical-map.json",
  "task-author": "tasks",
  "task-plan-verifier": "artifacts/task-validation.json",
  "plan-auditor": "tasks",
} as const;

/** Command lines of living processes that name `marker`. */
export function living(marker: string): string[] {
  return commandLines().filter((line) => line.includes(marker));
}
