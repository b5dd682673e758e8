// The documents' own command lines and loops, run as they are written (X20): not a letter is changed, only the programs
// they name (`python3 scripts/state.py`, `scripts/bundle.py`, `./scripts/log-activity.sh`, `init-planning-dirs.sh`) are
// heddle. `test/state/documents/` has the verbatim copies; words that the documents leave open (`<id>`) are filled in.
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { planning, type Ran } from "../e2e/rig.ts";
import { expectWhole, folder, Project, plan, read, record, stepsTo, taskId, writePlan } from "./desk.ts";
import { asked, served } from "./served.ts";

const copies = join(import.meta.dirname, "documents");
const copy = (name: string) => readFileSync(join(copies, name), "utf8");
const calls = copy("calls.txt").trimEnd().split("\n");

/** Stands in for the programs of the first implementation; an executor is at work as soon as its task is started. */
const programs: Readonly<Record<string, string>> = {
  "bin/python3": `#!/usr/bin/env bash
${asked}
case "$1" in
  scripts/state.py)
    shift; heddle state "$@"; code=$?
    if [ "$1" = start-task ] && [ $code -eq 0 ] && [ -n "$EXECUTOR" ]; then "$EXECUTOR" "$2" > /dev/null; fi
    exit $code ;;
  scripts/bundle.py) shift; heddle bundle "$@" ;;
  -c) [[ "$2" =~ open\\(\\'([^\\']+)\\'\\) ]] && "$NODE" -p "JSON.parse(fs.readFileSync('\${BASH_REMATCH[1]}')).status" ;;
esac
`,
  "bin/executor": `#!/usr/bin/env bash
status=success
case " $FAILING " in *" $1 "*) status=failed ;; esac
if [ $status = success ]; then python3 scripts/state.py complete-task $1 --created src/$1.ts
else python3 scripts/state.py fail-task $1 "red" --category test --retryable; fi
printf '{"version": "1.0", "task_id": "%s", "status": "%s"}' $1 $status > "$PLANNING_DIR/bundles/$1-result.json"
`,
  "scripts/log-activity.sh": `#!/usr/bin/env bash\n${asked}\nheddle log "$@"\n`,
  "scripts/init-planning-dirs.sh": `#!/usr/bin/env bash\n${asked}\nheddle init "$TARGET_DIR"\n`,
};

function install(project: Project): void {
  for (const [path, text] of Object.entries(programs)) {
    project.write(path, text);
    chmodSync(project.path(path), 0o755);
  }
}

function bash(project: Project, text: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return served(text, {
    cwd: project.root,
    input: "y\n".repeat(50),
    env: {
      PATH: `${project.path("bin")}:${process.env.PATH}`,
      HOME: folder(),
      NODE: process.execPath,
      TARGET_DIR: "app",
      PLANNING_DIR: project.path("project-planning"),
      TASK_ID: "T001",
      STATUS: "success",
      ERROR: "it broke",
      AGENT_NAME: "task-author",
      ...env,
    },
  });
}

/** Twenty tasks; T001 and the three orphans of the documents are under way, the first of them in a batch. */
const underWay = ["T001", "T006", "T011", "T019"];
const places = {
  empty: async () => {},
  logical: (each: Project) => plan(each, plans, stepsTo.logical),
  physical: (each: Project) => plan(each, plans, stepsTo.physical),
  definition: (each: Project) => plan(each, plans, stepsTo.definition),
  validation: (each: Project) => plan(each, plans, stepsTo.validation),
  ready: (each: Project) => plan(each, plans),
  working: async (each: Project) => {
    await plan(each, plans);
    await each.must("bundle", "generate", "T001");
    await each.must("state", "checkpoint", "create", "T001", "T002", "T003");
    for (const id of underWay) await each.must("state", "start-task", id);
  },
  halted: async (each: Project) => {
    await places.working(each);
    await each.must("halt", "lunch");
  },
} as const;
const plans = { tasks: Array.from({ length: 20 }, () => ({})) };
type Place = keyof typeof places;

/** Where a command is at home: the first pattern that fits. */
const home: readonly (readonly [RegExp, Place])[] = [
  [/state\.py init|init-planning-dirs/, "empty"],
  [/validate (capability_map|<art>)/, "logical"],
  [/validate physical_map/, "physical"],
  [/load-tasks/, "definition"],
  [/validate-tasks/, "validation"],
  [/start-task|advance|checkpoint create/, "ready"],
  [/confirm-halt|resume/, "halted"],
  [/./, "working"],
];

/** What the documents leave open. */
const open: readonly (readonly [string, string])[] = [
  ["<VERDICT> ...", 'READY "all pass"'],
  ["<VERDICT>", "BLOCKED"],
  ["<verdict>", "ready"],
  ["[summary]", '"two notes"'],
  ["[--issues ...]", '--issues "T001 is large" "T002 too"'],
  ["<summary>", "T003 has no test"],
  ["<dir>", "app"],
  ["<art>", "capability_map"],
  ["<s> <i> <o> <c>", "a1b2c3d4 1200 340 0.0087"],
  ["<t1> [t2 ...]", "T001 T002"],
  ["<status>", "failed"],
  ["<id>", "T001"],
  ["<e>", '"tests are red"'],
  ["[reason]", "user_message"],
  ["[--format json]", "--format json"],
  ["[TASK_ID]", "T001"],
  ["<cat>", "test"],
  ["<LEVEL> <AGENT> <EVENT>", "INFO orchestrator start"],
  ["<MESSAGE>", "begins"],
  ["{PLANNING_DIR}", "$PLANNING_DIR"],
];
const filled = (call: string) => open.reduce((text, [gap, word]) => text.replaceAll(gap, word), call);

const projects = {} as Record<Place, { project: Project; back: () => void }>;

beforeAll(async () => {
  const all = Object.entries(places) as [Place, (each: Project) => Promise<void>][];
  await Promise.all(
    all.map(async ([place, prepare]) => {
      const project = new Project();
      install(project);
      await prepare(project);
      projects[place] = { project, back: project.save() };
    }),
  );
}, 240_000);

function at(place: Place): Project {
  const { project, back } = projects[place];
  back();
  return project;
}

describe("every command line of the documents", () => {
  it("X20 is here, word for word", () => {
    expect(calls).toHaveLength(85);
    for (const name of readdirSync(copies).filter((each) => each.endsWith(".sh")))
      for (const [, call = ""] of copy(name).matchAll(/^\s*((?:python3 scripts|\.\/scripts)\S+ [^#\n]*)/gm))
        expect(calls).toContain(call.trim());
  });

  it.each(calls)("X20 %s", async (call) => {
    const place = home.find(([pattern]) => pattern.test(call))?.[1] ?? "working";
    const text = `BATCH_ARRAY=(T001 T002)\n${filled(call)}`;
    expect(text).not.toMatch(/[<>]|\[[a-zA-Z-]/);
    const ran = await bash(at(place), text);
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.err).not.toMatch(/^error: /m);
  });
});

describe("the documents' blocks", () => {
  it("X20 D1 begin a plan where there is none, and only there", async () => {
    for (const name of ["001-plan-dispatch.sh", "004-plan-dispatch.sh"]) {
      const project = at("empty");
      expect((await bash(project, copy(name))).out).toMatch(
        /^Initialized state for .*\/app\nPhase: ingestion$/m,
      );
      expect((await bash(project, copy(name))).out).toMatch(/^Phase: ingestion$/m);
      expect((await bash(project, copy(name))).out).not.toMatch(/Initialized/);
    }
  });

  it("X20 D17 see whether outputs are there", async () => {
    expect((await bash(at("ready"), copy("004-output-verification.sh"))).out).toBe("");
    const text = (await bash(at("empty"), copy("004-output-verification.sh"))).out;
    expect(text.match(/^ERROR: /gm)).toHaveLength(3);
  });

  it.each(["001-execute-prerequisites.sh", "004-execute-prerequisites.sh"])("X20 %s", async (name) => {
    const project = at("ready");
    project.write("app/.keep", "");
    expect(await bash(project, copy(name))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Phase: ready$/m),
    });
  });

  it("X20 X4 generate bundles", async () => {
    const project = at("ready");
    expect(await bash(project, `set -e\n${copy("001-bundles.sh")}`)).toMatchObject({ code: 0 });
    expect(readdirSync(project.path("project-planning/bundles"))).toHaveLength(20);
  });

  it("C11 log what they do", async () => {
    const project = at("ready");
    expect(await bash(project, `set -e\n${copy("004-logging.sh")}`)).toMatchObject({ code: 0, out: "" });
    expect(read(project, ".heddle/logs/activity.log")).toMatch(
      /\[INFO\] \[orchestrator\] validation: capability_map - PASSED\n$/,
    );
  });

  it("X13 X14 recover and retry the orphans by their names", async () => {
    const project = at("working");
    expect((await bash(project, `set -e\n${copy("004-recovery.sh")}`)).out).toMatch(/^Orphaned: T001$/m);
    expect(await bash(project, `set -e\n${copy("004-retry-orphans.sh")}`)).toMatchObject({ code: 0 });
    for (const id of ["T019", "T011", "T006"]) expect(record(project, id).status).toBe("pending");
  });

  it("X13 keep a checkpoint from its creation to its end", async () => {
    const { code, out } = await bash(at("ready"), `set -e\n${copy("004-checkpoint-commands.sh")}`);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/Updated T001: success \(2 pending\)\nUpdated T002: failed \(1 pending\)\n/),
    });
  });

  it("C10 halt, confirm and resume", async () => {
    const project = at("working");
    const { code, out } = await bash(project, filled(copy("004-halt-commands.sh")));
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^Halt requested: user_message.*\nHALTED: user_message\nHalt confirmed\.[\s\S]*\nExecution resumed/,
      ),
    });
    project.write("project-planning/STOP", "");
    expect((await bash(project, `set -e\n${copy("004-resume.sh")}`)).out).toMatch(/STOP file removed/);
  });
});

describe("the documents' loops", { timeout: 240_000 }, () => {
  /** Six tasks in two chains, so that there are batches, and tasks that wait. */
  const project = new Project();
  let back = () => {};
  beforeAll(async () => {
    install(project);
    const after = (n: number) => (n <= 2 ? [] : [taskId(n - 2)]);
    const tasks = Array.from({ length: 6 }, (_, n) => ({
      dependencies: { tasks: after(n + 1), external: [] },
    }));
    await project.must("init", "app");
    writePlan(project, { tasks });
    for (const words of planning) await project.must(...words);
    project.write("app/.keep", "");
    back = project.save();
  }, 120_000);

  const fresh = () => {
    back();
    return { EXECUTOR: project.path("bin/executor") };
  };

  it("X1 X20 001's loop, one task at a time, takes the plan to `complete`", async () => {
    back();
    const { out } = await bash(project, copy("001-execute-loop.sh"), { SUCCESS: "1" });
    expect(out).toMatch(/Advanced from executing to complete\nAll tasks complete!\n$/);
    expect(await expectWhole(project)).toMatchObject({ phase: "complete", tasks: { complete: 6 } });
  });

  it("X11 X20 001's loop ends when everything that is left is blocked", async () => {
    back();
    const { out } = await bash(project, copy("001-execute-loop.sh"));
    expect(out).toMatch(/No ready tasks\. Check for blockers\.\nPhase: executing/);
    expect(await expectWhole(project)).toMatchObject({ tasks: { failed: 2, blocked: 4 } });
  });

  it("X13 X20 004's loop, in batches with executors that complete themselves, takes it to `complete`", async () => {
    const { out, err } = await bash(project, copy("004-execute-loop.sh"), fresh());
    expect(out, err).toMatch(
      /Advanced from executing to complete\nAll tasks complete!\nCheckpoint cleared\n$/,
    );
    expect(out.match(/^Batch: T\d+ T\d+$/gm)).toHaveLength(3);
    expect(await expectWhole(project)).toMatchObject({ phase: "complete", tasks: { complete: 6 } });
  });

  it("X11 X20 004's loop with a task that fails leaves its chain blocked, and the rest done", async () => {
    const { out } = await bash(project, copy("004-execute-loop.sh"), { ...fresh(), FAILING: "T003" });
    expect(out).toMatch(/^Updated T003: failed/m);
    expect(out).toMatch(/No ready tasks\. Check for blockers\./);
    expect(await expectWhole(project)).toMatchObject({ tasks: { complete: 4, failed: 1, blocked: 1 } });
  });

  it("C10 X20 004's loop stops for a STOP file, and after resume goes on to the end", async () => {
    const env = fresh();
    project.write("project-planning/STOP", "");
    const stopped = (await bash(project, copy("004-execute-loop.sh"), env)).out;
    expect(stopped).toMatch(/^HALTED: stop_file\nHalt requested\. Stopping gracefully\.\n/);
    expect(stopped).toMatch(/Halt confirmed\. Running tasks: none\n$/);
    await bash(project, copy("004-resume.sh"));
    expect((await bash(project, copy("004-execute-loop.sh"), env)).out).toMatch(/All tasks complete!/);
    await expectWhole(project);
  });
});
