// A repository that nobody prepared, and an agent that writes a file per task.
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { heddle, Project, type Ran } from "../e2e/rig.ts";
import { hasBox } from "./rig.ts";

const agent = (work: string) => `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path");
const bundle = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { HEDDLE_TASK: task, HEDDLE_OUTPUT: out } = process.env;
const put = (file, text) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text); };
const done = () => put(out, JSON.stringify({ status: "success" }));
const write = () => { put(task + ".txt", bundle.description + "\\n"); done(); };
${work}
`;

export class Stranger extends Project {
  constructor(work = "write()") {
    super();
    this.git("init", "-q", "-b", "main");
    this.git("config", "user.name", "Ada");
    this.git("config", "user.email", "ada@example.org");
    this.write("Makefile", "test:\n\t@ls *.md >/dev/null && echo 1 passed\n");
    this.write("README.md", "# A stranger's project\n");
    this.git("add", ".");
    this.git("commit", "-qm", "Begin");
    this.act(work);
  }

  act(work: string): void {
    this.write(".git/agent.cjs", agent(work));
    chmodSync(this.path(".git/agent.cjs"), 0o755);
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", ["-C", this.root, ...args], { encoding: "utf8" });
  }

  get who(): string[] {
    return ["--agent", `command:${this.path(".git/agent.cjs")}`, ...this.confinement];
  }

  readonly confinement = hasBox ? [] : ["--unconfined"];

  /** As a person on a machine where nothing was set up: no word about where work lands. */
  unset(...words: readonly string[]): Promise<Ran> {
    return heddle(["run", ...words, ...this.who], { cwd: this.root, env: { HEDDLE_LAND: undefined } });
  }

  run(...words: readonly string[]): Promise<Ran> {
    return this.heddle("run", ...words, ...this.who);
  }
}
