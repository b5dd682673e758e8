// Thousands of broken inputs, by a fixed seed: through every parser in this process, and some of them through the real command
// line. Nothing may throw what is not a Problem, take seconds, show a stack trace, or lose what the journal knew.
//   HEDDLE_MUTATIONS=40 HEDDLE_MUTATIONS_CLI=400 HEDDLE_MUTATIONS_SEED=7   per file; in all; where to begin
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, type Project, readyProject, start } from "../e2e/rig.ts";
import { type Mutant, mutant } from "./mutate.ts";
import { parsers } from "./parsers.ts";

const corpus = join(import.meta.dirname, "corpus");
const number = (name: string, usual: number) => Number(process.env[name] ?? usual);
const perFile = number("HEDDLE_MUTATIONS", 60);
const commands = number("HEDDLE_MUTATIONS_CLI", 100);
const seed = number("HEDDLE_MUTATIONS_SEED", 20_260_101);
const mostMs = 3_000;

const textOf = (name: string) => readFileSync(join(corpus, name), "utf8");

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What went wrong, if anything did: an error without a problem, or seconds of work. */
async function faultOf(name: string, whole: string, { text, how }: Mutant): Promise<string[]> {
  const before = process.cpuUsage();
  const faults: string[] = [];
  try {
    await parsers[name]?.(text, whole);
  } catch (error) {
    if (!("problem" in (error as object)) && !("problems" in (error as object)))
      faults.push(String((error as Error).stack).slice(0, 600));
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  if (ms > mostMs) faults.push(`it took ${Math.round(ms)} ms`);
  if ("polluted" in {}) faults.push("it changed Object.prototype");
  return faults.map((fault) => `${name} ${how}: ${fault}`);
}

describe("C14 mutated inputs", () => {
  it("C14 has a parser for everything in the corpus", () => {
    const files = readdirSync(corpus, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const names = files.map(({ parentPath, name }) => join(parentPath, name).slice(corpus.length + 1));
    expect(names.sort()).toEqual(Object.keys(parsers).sort());
  });

  it("C14 never make a parser throw, wait or change what all objects share", async () => {
    const faults: string[] = [];
    let tried = 0;
    for (const [at, name] of Object.keys(parsers).entries()) {
      const whole = textOf(name);
      for (let n = 0; n < perFile; n++, tried++) {
        const made = seed + at * 100_000 + n;
        const found = await faultOf(name, whole, mutant(whole, valueIn(whole), made));
        faults.push(...found.map((fault) => `seed ${made} ${fault}`));
      }
    }
    console.log(`${tried} mutated inputs through ${Object.keys(parsers).length} parsers`);
    expect(faults).toEqual([]);
  }, 600_000);

  it("C14 G1 never end a command with exit 70 or a stack trace, and cost the journal nothing", async () => {
    const project = await shared();
    const facts = (await project.history("--run", "plan-1")).length;
    const faults: string[] = [];
    for (let n = 0; n < commands; n++) faults.push(...(await attackedBy(project, seed + n, n)));
    const shown = [...exits].map(([code, times]) => `${times} with exit ${code}`).join(", ");
    console.log(`${commands} mutated files before a command of the real CLI: ${shown}`);
    // A word that no command knows would try nothing.
    expect(exits.get(64) ?? 0).toBeLessThan(commands / 10);
    expect(faults).toEqual([]);
    expect((await project.must("verify")).code).toBe(0);
    expect((await project.history("--run", "plan-1")).length).toBeGreaterThanOrEqual(facts);
  }, 900_000);
});

const plan = ["--run", "plan-1"];
const task = ["--run", "task-1"];

/** A file of the project, and the commands that read it. */
const targets: readonly (readonly [string, readonly (readonly string[])[]])[] = [
  [
    "project-planning/state.json",
    [["status", ...plan], ["state", "ready-tasks"], ["doctor"], ["state", "restore", ...plan]],
  ],
  [
    "project-planning/tasks/T001.json",
    [
      ["state", "validate", "tasks"],
      ["bundle", "generate", "T001"],
      ["why", "T001"],
    ],
  ],
  [
    "project-planning/artifacts/capability-map.json",
    [
      ["state", "validate", "capability_map"],
      ["report", ...plan],
      ["state", "spec-coverage"],
    ],
  ],
  [
    "project-planning/artifacts/physical-map.json",
    [
      ["state", "validate", "physical_map"],
      ["bundle", "generate", "T001"],
    ],
  ],
  [
    "project-planning/bundles/T001-bundle.json",
    [
      ["bundle", "show", "T001"],
      ["bundle", "show", "T001", "--size"],
      ["bundle", "validate", "T001"],
      ["check-output", "project-planning/bundles/T001-bundle.json"],
    ],
  ],
  [
    "project-planning/inputs/spec.md",
    [
      ["state", "spec-coverage"],
      ["bundle", "generate", "T001"],
    ],
  ],
  [".heddle/config.json", [["status", ...plan], ["doctor"], ["protocol", "check"], ["config", "show"]]],
  [
    ".heddle/protocols/loop.yaml",
    [
      ["status", ...plan],
      ["status", "--run", "loop-1"],
      ["protocol", "check"],
      ["verify"],
      ["next", "--run", "loop-1"],
      ["protocol", "list"],
    ],
  ],
  [
    ".heddle/tasks/task-1/state.json",
    [
      ["status", ...task],
      ["next", "--dry-run", ...task],
      ["state", "restore", ...task],
    ],
  ],
  [
    ".heddle/tasks/task-1/planning/plan.json",
    [
      ["status", ...task],
      ["next", "--dry-run", ...task],
    ],
  ],
  [
    ".claude/skills/a/SKILL.md",
    [
      ["tune", "--check", "--all"],
      ["tune", "--check", ".claude/skills/a"],
    ],
  ],
  ["app/package.json", [["doctor"], ["bundle", "generate", "T001"]]],
  ["app/Makefile", [["doctor"]]],
  [
    "other/project-planning/state.json",
    [
      ["status", "--dir", "other"],
      ["state", "ready-tasks", "--dir", "other"],
    ],
  ],
];

let project: Promise<Project> | undefined;

/** Every attack puts back what it broke, so one project serves them all. */
function shared(): Promise<Project> {
  project ??= prepared();
  return project;
}

async function prepared(): Promise<Project> {
  const project = await readyProject({ tasks: 3 });
  project.write("app/package.json", textOf("manifests/package.json"));
  project.write("app/Makefile", textOf("manifests/Makefile"));
  await project.must("bundle", "generate", "T001");
  await project.must("protocol", "new", "loop");
  await project.must("protocol", "start", "loop", "write it");
  await project.must("task", "new", "greet people", "--target", "app");
  project.write(
    ".heddle/config.json",
    textOf("config.json").replace('"readable": ["/opt/tools"]', '"readable": []'),
  );
  project.write(".heddle/tasks/task-1/planning/plan.json", textOf("lifecycle-plan.json"));
  project.write(".claude/skills/a/SKILL.md", textOf("skill.md"));
  project.write(
    "other/project-planning/state.json",
    JSON.stringify({ ...JSON.parse(textOf("state.json")), digest: undefined, run: undefined }),
  );
  return project;
}

const exits = new Map<number | null, number>();

/** What no command may do, whatever it was given. */
async function faultIn(project: Project, words: readonly string[], input?: string): Promise<string[]> {
  const told = `heddle ${words.map((word) => word.slice(0, 60)).join(" ")}`;
  const child = start(words, { cwd: project.root });
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const { code, out, err } = await ended(child, input);
  clearTimeout(timer);
  exits.set(code, (exits.get(code) ?? 0) + 1);
  const isTrace = /\n\s+at \S+ ?\(?(?:node:|file:|\/)/.test(out + err);
  return code === 70 || code === null || isTrace ? [`${told}: exit ${code}\n${err.slice(0, 400)}`] : [];
}

/** With one file broken; `other` is another program's plan, taken over or refused. */
async function withBroken<T>(
  project: Project,
  { file, change }: { file: string; change: (whole: string) => string },
  work: () => Promise<T>,
) {
  const path = project.path(file);
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, change(whole));
  try {
    return await work();
  } finally {
    writeFileSync(path, whole);
  }
}

async function attackedBy(project: Project, made: number, n: number): Promise<string[]> {
  const [file, all] = targets[n % targets.length] ?? ["", []];
  const words = all[Math.floor(n / targets.length) % all.length] ?? [];
  let how = "";
  const change = (whole: string) => {
    const broken = mutant(whole, valueIn(whole), made);
    how = broken.how;
    return broken.text;
  };
  const faults = await withBroken(project, { file, change }, () => faultIn(project, words));
  return faults.map((fault) => `seed ${made}, ${file} ${how}, ${fault}`);
}

const deep = 100_000;
const deepTexts: Readonly<Record<string, string>> = {
  arrays: "[".repeat(deep) + "]".repeat(deep),
  objects: `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`,
};

describe("C14 JSON of a hundred thousand levels", () => {
  it.each(targets)("C14 in %s costs one sentence", async (file, all) => {
    const project = await shared();
    const faults: string[] = [];
    for (const [shape, text] of Object.entries(deepTexts))
      for (const words of all)
        faults.push(
          ...(await withBroken(project, { file, change: () => text }, () => faultIn(project, words))).map(
            (fault) => `${shape}: ${fault}`,
          ),
        );
    expect(faults).toEqual([]);
    expect((await project.must("verify")).code).toBe(0);
  });

  it("C14 on the command line or over MCP is refused", async () => {
    const project = await shared();
    const line = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${deepTexts.arrays}}\n`;
    expect(await faultIn(project, ["mcp"], line)).toEqual([]);
    const words = [
      "state",
      "record-verification",
      "T001",
      "--verdict",
      "PASS",
      "--recommendation",
      "PROCEED",
      "--criteria",
    ];
    expect(await faultIn(project, [...words, "[".repeat(60_000) + "]".repeat(60_000)])).toEqual([]);
    expect(await faultIn(project, [...words, '{"a":'.repeat(20_000)])).toEqual([]);
  });
});

describe("U8 a protocol of the project's own that cannot be read", () => {
  const broken = {
    "contains itself": "name: &a [*a]\nabout: &b {c: *b}\n",
    "is a bomb of aliases": `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
      .split("")
      .map((letter, at) => `${letter}: &${letter} [${Array(9).fill(`*${"abcdefgh"[at]}`)}]`)
      .join("\n")}\n`,
    "nests without end": "- ".repeat(30_000),
    "is all commas": `[${",".repeat(60_000)}`,
    "is too large": "# a\n".repeat(400_000),
  };

  it.each(Object.entries(broken))(
    "U8 %s: stops the runs that follow it and no other command",
    async (_, text) => {
      const project = await shared();
      await withBroken(project, { file: ".heddle/protocols/loop.yaml", change: () => text }, () =>
        readOn(project),
      );
    },
  );

  async function readOn(project: Project): Promise<void> {
    const { code, out, err } = await project.heddle("status", "--run", "loop-1");
    expect([code, out]).toEqual([2, expect.stringContaining("loop-1 (loop) is in draft")]);
    expect(err).toMatch(/^warning: /);
    for (const words of [
      ["status", ...plan],
      ["status", ...task],
      ["backup", `kept-${Math.random()}.db`],
      ["protocol", "list"],
    ])
      expect(await project.heddle(...words)).toMatchObject({ code: 0 });
    for (const words of [
      ["protocol", "check"],
      ["next", "--run", "loop-1"],
      ["protocol", "show", "loop"],
      ["verify"],
    ])
      expect((await project.heddle(...words)).err).toMatch(/^error: [^\n]+\n --> .*loop\.yaml/);
    expect((await project.heddle("doctor")).out).toMatch(/fail {2}project.*cannot be read: `loop`/);
  }
});
