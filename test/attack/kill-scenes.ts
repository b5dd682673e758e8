// The commands that are killed at exact calls, each on a project made for it, and what the next commands must lead to.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Turn } from "../../src/agents/scripted.ts";
import { planFiles, taskFile } from "../e2e/plan-files.ts";
import { type Project, planning } from "../e2e/rig.ts";
import { good } from "../lifecycle/rig.ts";
import { plan as missionPlan } from "../mission/rig.ts";
import { firstFiles } from "../state/first-plan.ts";
import { corpus } from "../tuning/corpus.ts";

export interface Scene {
  readonly name: string;
  readonly make: (project: Project) => Promise<void>;
  /** What is killed. */
  readonly words: readonly string[];
  /** What is typed afterwards; each must end with 0, or be refused with words that say that it was done. */
  readonly after: readonly (readonly string[])[];
  readonly done?: RegExp;
  /** What shows that it was done; otherwise it was not acknowledged, and is typed again. */
  readonly shown?: { readonly by: readonly string[]; readonly as: RegExp };
  /** Whether a command that looks is refused as well, because there may be no project yet. */
  readonly mayBeNothing?: boolean;
}

const sh = (project: Project, ...words: readonly string[]) =>
  execFileSync("git", ["-C", project.path("app"), ...words], { encoding: "utf8" });

export function repository(project: Project): void {
  mkdirSync(project.path("app"), { recursive: true });
  sh(project, "init", "-q", "-b", "main");
  project.write("app/README.md", "# The person's project\n");
  project.write("app/old/gone.txt", "goes\n");
  sh(project, "add", ".");
  sh(project, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Begin");
}

async function planned(project: Project, tasks: number, more?: (n: number) => object): Promise<void> {
  await project.must("init", "app");
  for (const [path, text] of planFiles({ tasks, ...(more && { more }) }, project.path("app")))
    project.write(path, text);
  for (const words of planning) await project.must(...words);
}

const file = (path: string, action: string) => ({ path, action, layer: "domain", purpose: "its part" });

/** A host's attempt: a file changed, one made, and a folder with a person's own file in it. */
async function attempted(project: Project): Promise<void> {
  const files = [file("src/old.ts", "modify"), file("src/new.ts", "create"), file("lib", "modify")];
  await planned(project, 2, (n) => (n === 1 ? { files } : {}));
  project.write("app/src/old.ts", "as it was\n");
  project.write("app/lib/kept.ts", "kept\n");
  await project.must("state", "start-task", "T001");
  project.write("app/src/old.ts", "half done\n");
  project.write("app/src/new.ts", "half done\n");
  project.write("app/lib/kept.ts", "changed\n");
  project.write("app/lib/mine.ts", "a person's\n");
}

const agent = ["--agent", "scripted:script.json"] as const;

async function task(project: Project, steps: number): Promise<void> {
  repository(project);
  project.write("script.json", JSON.stringify(good));
  await project.must("task", "new", "greet people by name", "--target", "app");
  for (let n = 0; n < steps; n++) await project.must("next", ...agent);
}

/** A plan that a scripted agent has carried out, and that has not landed. */
async function executed(project: Project): Promise<void> {
  await readyToExecute(project);
  await project.must("execute", "--batch", ...agent);
}

async function readyToExecute(project: Project): Promise<void> {
  const more = (n: number) => ({
    files: [file(`src/T00${n}.txt`, "create"), file("README.md", "modify"), file("old/gone.txt", "delete")],
    acceptance_criteria: [{ criterion: "it is there", verification: `test -f src/T00${n}.txt` }],
  });
  await planned(project, 1, more);
  project.write(".heddle/config.json", JSON.stringify({ land: "never" }));
  const turn: Turn = {
    files: { "src/T001.txt": "T001\n", "README.md": "# Changed\n", "old/gone.txt": null },
  };
  project.write("script.json", JSON.stringify({ T001: [turn], "task-executor": [turn] }));
}

async function backedUp(project: Project): Promise<void> {
  await planned(project, 2);
  await project.must("backup", project.path("saved.db"));
  await project.must("state", "start-task", "T001");
}

const example = join(import.meta.dirname, "../../examples/notes");
const planWords = [
  ...["plan", join(example, "spec.md"), "--target", "app", "--new"],
  ...["--agent", `scripted:${join(example, "script.json")}`],
];

const runTurn: Turn = { files: { "greet.txt": "Hello!\n" } };
const runWords = ["run", "write the greeting", "--check", "test -f greet.txt", "--target", "app", ...agent];

const missionWords = ["mission", "write two files", "--target", "app", ...agent];
const json = (value: unknown) => [{ text: JSON.stringify(value) }];
const missionScript: Readonly<Record<string, readonly Turn[]>> = {
  researcher: json({ knowledge: [{ topic: "files", findings: "there are few" }] }),
  "mission-planner": json(missionPlan("01-01", "01-02")),
  "01-01": [missionStep("01-01")],
  "01-02": [missionStep("01-02")],
  verifier: json({
    passed: true,
    checks: [{ claim: "every file is there", verdict: "pass", evidence: "01-01.txt 01-02.txt" }],
    gaps: [],
  }),
};

function missionStep(id: string): Turn {
  const path = `src/${id}.txt`;
  const changes = [{ file: path, action: "created" }];
  return { files: { [path]: `${id}\n` }, result: { task_id: id, status: "complete", changes } };
}

export const scenes: readonly Scene[] = [
  {
    name: "init",
    make: async () => {},
    words: ["init", "app"],
    after: [["init", "app"]],
    done: /is active already/,
    mayBeNothing: true,
  },
  {
    name: "init --force",
    make: (project) => planned(project, 2),
    words: ["init", "app", "--force"],
    after: [["status"]],
    // It may be typed again in any case: what is there then is archived, too.
    shown: { by: ["status"], as: /(?!)/ },
    mayBeNothing: true,
  },
  {
    name: "import",
    make: async (project) => {
      for (const [path, text] of firstFiles(project.path("app"))) project.write(`elsewhere/${path}`, text);
    },
    words: ["import", "tasker", "elsewhere"],
    after: [["import", "tasker", "elsewhere"]],
    done: /there is a heddle project already/,
    mayBeNothing: true,
  },
  {
    name: "backup",
    make: (project) => planned(project, 2),
    words: ["backup", "copy.db"],
    after: [["backup", "copy.db"]],
    done: /exists already/,
  },
  {
    name: "restore",
    make: backedUp,
    words: ["restore", "saved.db"],
    after: [["verify"], ["restore", "saved.db"]],
  },
  {
    name: "fail-task",
    make: attempted,
    words: ["state", "fail-task", "T001", "red"],
    after: [["state", "fail-task", "T001", "red"]],
    done: /T001` is failed/,
  },
  {
    name: "retry-task",
    make: attempted,
    words: ["state", "retry-task", "T001"],
    after: [["state", "retry-task", "T001"]],
    done: /T001` is pending/,
  },
  {
    name: "state adopt",
    make: async (project) => {
      await planned(project, 2);
      const view = project.stateJson();
      view.tasks.T001.status = "skipped";
      project.write("project-planning/state.json", JSON.stringify(view));
    },
    words: ["state", "adopt", "--reason", "by hand"],
    after: [["state", "adopt", "--reason", "by hand"]],
    done: /was not edited/,
    mayBeNothing: true,
  },
  {
    name: "state restore",
    make: async (project) => {
      await planned(project, 2);
      project.write("project-planning/state.json", "{}");
    },
    words: ["state", "restore"],
    after: [["state", "restore"]],
    mayBeNothing: true,
  },
  {
    name: "plan-task edit",
    make: async (project) => {
      await planned(project, 2);
      const changed = { ...taskFile(2), name: "Another name" };
      project.write("T002.json", JSON.stringify(changed));
    },
    words: ["plan-task", "edit", "T002", "T002.json"],
    after: [["plan-task", "edit", "T002", "T002.json"]],
  },
  {
    name: "commit-task",
    make: async (project) => {
      repository(project);
      sh(project, "config", "user.name", "Ada");
      sh(project, "config", "user.email", "ada@example.org");
      await planned(project, 2);
      await project.must("state", "start-task", "T001");
      project.write("app/src/T001.ts", "done\n");
      await project.must("state", "complete-task", "T001", "--created", "src/T001.ts");
    },
    words: ["state", "commit-task", "T001"],
    after: [["state", "commit-task", "T001"]],
  },
  {
    name: "task new",
    make: async (project) => {
      repository(project);
      project.write("script.json", JSON.stringify(good));
    },
    words: ["task", "new", "greet people by name", "--target", "app"],
    after: [["task", "list"]],
    shown: { by: ["task", "list"], as: /greet/ },
    mayBeNothing: true,
  },
  {
    name: "next",
    make: (project) => task(project, 2),
    words: ["next", ...agent],
    after: [["next", "--all", ...agent]],
  },
  {
    name: "accept",
    make: (project) => task(project, 5),
    words: ["accept", "--reason", "good", ...agent],
    // The decision was made: no agent is named again.
    after: [["accept", "--reason", "good"], ["next"]],
    done: /task is in phase `done`/,
  },
  {
    name: "revert",
    make: async (project) => {
      await task(project, 5);
      await project.must("accept", "--reason", "good");
    },
    words: ["revert", "--reason", "no"],
    after: [["revert", "--reason", "no"]],
    done: /nothing of this task is integrated/,
  },
  {
    name: "revert before it is accepted",
    make: (project) => task(project, 5),
    words: ["revert", "--reason", "no", ...agent],
    after: [["revert", "--reason", "no"]],
    done: /nothing of this task/,
  },
  {
    name: "land",
    make: async (project) => {
      repository(project);
      await executed(project);
    },
    words: ["land"],
    after: [["land"]],
  },
  {
    name: "land without git",
    make: async (project) => {
      project.write("app/README.md", "# The person's project\n");
      project.write("app/old/gone.txt", "goes\n");
      await executed(project);
    },
    words: ["land"],
    after: [["land"]],
  },
  {
    name: "execute",
    make: async (project) => {
      repository(project);
      await readyToExecute(project);
    },
    words: ["execute", "--batch", ...agent],
    after: [["execute", "--batch", ...agent], ["land"]],
    done: /nothing is executed in phase `complete`/,
  },
  {
    name: "plan",
    make: async () => {},
    words: planWords,
    after: [planWords],
    mayBeNothing: true,
  },
  {
    name: "plan-task drop, allowed",
    make: (project) => planned(project, 2),
    words: ["allow", "behaviour-without-task", "for later"],
    after: [
      ["allow", "behaviour-without-task", "for later"],
      ["plan-task", "drop", "T002", "--rewire"],
    ],
    done: /has no task `T002`/,
  },
  {
    name: "run",
    make: async (project) => {
      repository(project);
      project.write("script.json", JSON.stringify({ T001: [runTurn], "task-executor": [runTurn] }));
    },
    words: runWords,
    after: [runWords, ["land"]],
    mayBeNothing: true,
  },
  {
    name: "mission",
    make: async (project) => {
      repository(project);
      project.write("script.json", JSON.stringify(missionScript));
    },
    words: missionWords,
    after: [missionWords],
    mayBeNothing: true,
  },
  {
    name: "protocol new",
    make: (project) => planned(project, 1),
    words: ["protocol", "new", "notes"],
    after: [["protocol", "new", "notes"]],
    done: /there is a protocol `notes` already/,
  },
  {
    name: "protocol start",
    make: async (project) => {
      repository(project);
      await project.must("protocol", "new", "notes");
    },
    words: ["protocol", "start", "notes", "what is new", "--target", "app"],
    after: [],
    shown: { by: ["runs"], as: /notes-1/ },
    mayBeNothing: true,
  },
  {
    name: "tune",
    make: async (project) => {
      cpSync(join(corpus, "doc-researcher"), project.path("doc-researcher"), { recursive: true });
    },
    words: ["tune", "doc-researcher", "--yes", "high"],
    after: [["tune", "doc-researcher", "--yes", "high"]],
    mayBeNothing: true,
  },
  {
    name: "tune --undo",
    make: async (project) => {
      cpSync(join(corpus, "doc-researcher"), project.path("doc-researcher"), { recursive: true });
      const { out } = await project.must("tune", "doc-researcher", "--yes", "high", "--json");
      const fixes = (JSON.parse(out).applied as { fix_id: string }[]).map((each) => each.fix_id);
      for (const fix of fixes.slice(1).toReversed())
        await project.must("tune", "doc-researcher", "--undo", fix);
    },
    words: ["tune", "doc-researcher", "--undo", "FIX-1"],
    after: [["tune", "doc-researcher", "--undo", "FIX-1"]],
    done: /no fix `FIX-1` of this skill is in place/,
    mayBeNothing: true,
  },
  {
    name: "undo",
    make: async (project) => {
      repository(project);
      await executed(project);
      await project.must("land");
    },
    words: ["undo", "T001", "--yes"],
    after: [["undo", "T001", "--yes"], ["land"]],
    done: /has no change on the integration branch/,
  },
];
