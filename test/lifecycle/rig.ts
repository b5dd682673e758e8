// The rig of the lifecycle's tests: a real git repository, the real CLI, and scripted agents that do their part of one
// small task unless a turn says otherwise.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import type { Turn } from "../../src/agents/scripted.ts";
import { type Fact, folder, Project, type Ran } from "../e2e/rig.ts";

export const plan = {
  title: "Greet people by name",
  approach: "a function of its own, tested alone",
  file_plan: [{ path: "greet.txt", intent: "create" }],
  acceptance_criteria: [{ description: "it greets", verification: "grep -q Hello greet.txt" }],
  test_plan: { commands: [{ name: "the old tests", command: "test -f README.md" }] },
};

export const json = (value: unknown): Turn => ({ text: JSON.stringify(value) });
/** What the coder writes, and what it says. */
export const code = (files: Readonly<Record<string, string | null>>): Turn => ({
  files,
  result: { status: "done", summary: "greets" },
});

export type Turns = Readonly<Record<string, readonly Turn[]>>;

export const good: Turns = {
  planner: [json(plan)],
  "plan-reviewer": [json({ ok: true, blocking_issues: [] })],
  coder: [code({ "greet.txt": "Hello, Ada!\n" })],
  "code-reviewer": [json({ ok: true, blocking_issues: [] })],
  acceptor: [json({ verdict: "accepted", reasons: ["it greets"] })],
};

export class Lifecycle extends Project {
  static async begun(turns: Turns = {}, brief = "greet people by name"): Promise<Lifecycle> {
    const project = new Lifecycle();
    project.makeTarget();
    project.script(turns);
    await project.must("task", "new", brief, "--target", "app");
    return project;
  }

  /** The same project once more, as it is now. */
  copy(): Lifecycle {
    const copy = new Lifecycle(folder());
    cpSync(this.root, copy.root, { recursive: true, verbatimSymlinks: true });
    return copy;
  }

  makeTarget(): void {
    mkdirSync(this.path("app"), { recursive: true });
    this.git("init", "-q", "-b", "main");
    this.write("app/README.md", "# The person's project\n");
    this.commit("Begin");
  }

  commit(subject: string): void {
    this.git(
      "add",
      "README.md",
      ...this.git("ls-files")
        .split("\n")
        .filter((name) => name !== ""),
    );
    this.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qam", subject);
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", ["-C", this.path("app"), ...args], { encoding: "utf8" });
  }

  script(turns: Turns): void {
    this.write("script.json", JSON.stringify({ ...good, ...turns }));
  }

  next(...more: readonly string[]): Promise<Ran> {
    return this.heddle("next", "--agent", "scripted:script.json", ...more);
  }

  all(...more: readonly string[]): Promise<Ran> {
    return this.next("--all", ...more);
  }

  /** A file of the task's folder. */
  task(...parts: readonly string[]): string {
    return this.path(".heddle/tasks/task-1", ...parts);
  }

  override get view(): string {
    return this.task("state.json");
  }

  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape are read here
  document(...parts: readonly string[]): any {
    return JSON.parse(readFileSync(this.task(...parts), "utf8"));
  }

  async phase(): Promise<string> {
    return (await this.json("status")).phase;
  }

  async phases(): Promise<string[]> {
    const facts = (await this.history()).map(({ fact }) => fact);
    return facts.filter(({ kind }) => kind === "phase-entered").map(({ from, to }) => `${from} → ${to}`);
  }

  async facts(kind: string): Promise<Fact["fact"][]> {
    return (await this.history()).map(({ fact }) => fact).filter((fact) => fact.kind === kind);
  }
}
