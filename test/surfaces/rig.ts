// The rig of the tests around `heddle execute`: small plans that scripted agents carry out, with the real CLI, real git
// and real processes.
import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { planFiles, type Shape } from "../e2e/plan-files.ts";
import { ended, Project, planning, type Ran, start } from "../e2e/rig.ts";
import { hasBox } from "../needs.ts";

/** By task or `*`, one turn per attempt; see `src/agents/scripted.ts`. */
export type Turns = Readonly<Record<string, readonly object[]>>;

export interface Small extends Shape {
  readonly turns?: Turns;
  /** The acceptance command of a task. */
  readonly check?: (id: string) => string;
  /** Whether the target is a git repository of the person's own. */
  readonly git?: boolean;
}

/** Where there is no box, acceptance commands run without it. */
const box = hasBox ? [] : ["--unconfined"];

export class Execution extends Project {
  execute(...more: readonly string[]): Promise<Ran> {
    return this.heddle("execute", "--batch", "--agent", "scripted:script.json", ...box, ...more);
  }

  begin(...more: readonly string[]): ChildProcess {
    const words = ["execute", "--batch", "--agent", "scripted:script.json", ...box, ...more];
    return start(words, { cwd: this.root });
  }

  end = ended;

  git(...args: readonly string[]): string {
    return execFileSync("git", ["-C", this.path("app"), ...args], { encoding: "utf8" });
  }

  attempt(name: string, ...file: readonly string[]): string {
    return this.path(".heddle/attempts/plan-1", name, ...file);
  }

  script(tasks: number, turns: Turns): void {
    const script = Object.fromEntries(
      Array.from({ length: tasks }, (_, at) => `T${String(at + 1).padStart(3, "0")}`).map((id) => [
        id,
        (turns[id] ?? turns["*"] ?? [{}]).map((turn) => ({
          files: { [`src/${id}.ts`]: `${id}\n` },
          ...turn,
        })),
      ]),
    );
    this.write("script.json", JSON.stringify(script));
  }
}

const identity = {
  GIT_AUTHOR_NAME: "P",
  GIT_AUTHOR_EMAIL: "p@x",
  GIT_COMMITTER_NAME: "P",
  GIT_COMMITTER_EMAIL: "p@x",
};

/** A project at `ready` whose tasks each write `src/<id>.ts`. */
export async function executable(small: Small): Promise<Execution> {
  const project = new Execution();
  mkdirSync(project.path("app"));
  if (small.git) {
    project.git("init", "-q", "-b", "main");
    writeFileSync(project.path("app/README.md"), "# App\n");
    project.git("add", ".");
    execFileSync("git", ["-C", project.path("app"), "commit", "-qm", "begin"], {
      env: { ...process.env, ...identity },
    });
  }
  await project.must("init", "app");
  for (const [path, text] of planFiles(small, project.path("app"))) {
    const task = path.includes("/tasks/") ? JSON.parse(text) : undefined;
    if (task)
      task.acceptance_criteria[0].verification = (small.check ?? ((id) => `test -f src/${id}.ts`))(task.id);
    project.write(path, task ? JSON.stringify(task, null, 2) : text);
  }
  project.script(small.tasks, small.turns ?? {});
  for (const words of planning) await project.must(...words);
  return project;
}
