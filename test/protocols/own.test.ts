// A project's own protocols: one file each, held to the same proofs and driven by the same engine (U8, L14).
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseYaml } from "../../src/protocols/yaml.ts";
import { Project } from "../e2e/rig.ts";

const tried = async (project: Project, ...words: string[]) => {
  const ran = await project.heddle(...words);
  return { code: ran.code, said: ran.err + ran.out };
};

/** A project with a protocol of its own, as `heddle protocol new` writes it. */
async function made(change: (text: string) => string = (text) => text): Promise<Project> {
  const project = new Project();
  mkdirSync(project.path(".heddle"));
  const { file } = await project.json("protocol", "new", "loop");
  project.write(".heddle/protocols/loop.yaml", change(readFileSync(file, "utf8")));
  return project;
}

const turns = (document: unknown) => [{ text: JSON.stringify(document) }];

describe("a table in YAML", () => {
  it("U8 the first version is right, and goes its way with agents, a loop and a hand-fixed file", async () => {
    const project = await made();
    expect((await project.must("protocol", "check")).out).toContain("loop: 3 phases, 8 rules, no finding");
    project.write(
      "script.json",
      JSON.stringify({
        writer: [...turns({ text: "first" }), ...turns({ text: "second" })],
        critic: [...turns({ ok: false }), ...turns({ ok: true })],
      }),
    );
    const { run_dir } = await project.json("protocol", "start", "loop", "a letter");
    const ran = await tried(project, "next", "--all", "--agent", "scripted:script.json");
    expect(ran.code, ran.said).toBe(0);
    expect(JSON.parse(readFileSync(join(run_dir, "text.json"), "utf8"))).toEqual({ text: "second" });
    const state = JSON.parse(readFileSync(join(run_dir, "state.json"), "utf8"));
    expect(state).toMatchObject({ protocol: "loop", phase: "done", counters: { rounds: 1 } });
    expect((await project.heddle("verify")).code).toBe(0);
  });

  it("U8 L5 an artifact without its field is refused, and the loop ends at its bound", async () => {
    const project = await made();
    const shapeless = { writer: turns({ text: "x" }), critic: turns({ good: true }) };
    project.write("script.json", JSON.stringify(shapeless));
    await project.must("protocol", "start", "loop", "a letter");
    const refused = await tried(project, "next", "--all", "--agent", "scripted:script.json");
    expect(refused.code).toBe(1);
    expect(refused.said).toContain("`ok` is missing");
    const never = Array.from({ length: 9 }, (_, n) => turns({ text: `try ${n}` })[0]);
    project.write("script.json", JSON.stringify({ writer: never, critic: turns({ ok: false }) }));
    const halted = await tried(project, "next", "--all", "--agent", "scripted:script.json");
    expect(halted.said).toContain("the text is never good");
  });

  it("U8 the example in examples/ is right, and comes to its end", async () => {
    const project = await made();
    const example = join(import.meta.dirname, "../../examples/release-notes/release-notes.yaml");
    copyFileSync(example, project.path(".heddle/protocols/release-notes.yaml"));
    rmSync(project.path(".heddle/roles"), { recursive: true });
    expect((await tried(project, "protocol", "check", "release-notes")).said).toContain("has no skill");
    cpSync(join(example, "../roles"), project.path(".heddle/roles"), { recursive: true });
    await project.must("protocol", "check", "release-notes");
    project.write(
      "script.json",
      JSON.stringify({
        writer: [...turns({ complete: true }), ...turns({ text: "notes" })],
        critic: turns({ ok: true, missing: "nothing" }),
      }),
    );
    await project.must("protocol", "start", "release-notes", "version 2.0");
    const ran = await tried(project, "next", "--all", "--agent", "scripted:script.json");
    expect(ran.code, ran.said).toBe(0);
  });

  it("L14 U8 is shown as a table, as Mermaid, as a drawing and as JSON", async () => {
    const project = await made();
    expect((await project.must("protocol", "show", "loop")).out).toContain("writer makes text.json");
    expect((await project.must("protocol", "show", "loop", "--mermaid")).out).toContain("draft --> judge");
    const { out } = await project.must("protocol", "show", "loop", "--svg");
    expect(out).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
    for (const word of ["draft", "judge", "done", "judge → draft: the text is not good yet"])
      expect(out).toContain(word);
    const lifecycle = (await project.must("protocol", "show", "lifecycle", "--svg")).out;
    expect(lifecycle.match(/<rect /g)).toHaveLength(8);
    expect((await project.json("protocol", "list")).map((each: { name: string }) => each.name)).toContain(
      "loop",
    );
  });
});

describe("the example in TypeScript", () => {
  it("U8 looks at an artifact with a function, waits, and goes on", async () => {
    const project = await made();
    const example = join(import.meta.dirname, "../../examples/release-notes/postmortem.ts");
    copyFileSync(example, project.path(".heddle/protocols/postmortem.ts"));
    await project.must("protocol", "approve", "postmortem");
    expect((await project.must("protocol", "check", "postmortem")).out).toContain("no finding");
    project.write("script.json", JSON.stringify({ writer: turns({ causes: 1 }) }));
    await project.must("protocol", "start", "postmortem", "the outage");
    const waiting = await tried(project, "next", "--all", "--agent", "scripted:script.json");
    expect(waiting).toMatchObject({ code: 1, said: expect.stringContaining("one cause is hardly ever all") });
    project.write(".heddle/runs/postmortem-1/report.json", '{ "causes": 2 }');
    await project.must("next");
    expect((await project.json("status")).phase).toBe("filed");
  });
});

describe("findings", () => {
  const cases: readonly (readonly [string, (text: string) => string, string])[] = [
    [
      "a phase that cannot be reached",
      (text) =>
        text
          .replace("  - judge:", "  - lost: nobody comes here\n  - judge:")
          .replace("rules:", "rules:\n  - { rule: it is lost, at: lost, go: done }"),
      "cannot be reached",
    ],
    [
      "a dead end",
      (text) => text.replace(/ {2}- \{ rule: nobody has judged.*\n/, ""),
      "in phase `judge` no rule decides",
    ],
    ["a loop without a bound", (text) => text.replace(", counts: rounds", ""), "has no bound"],
    [
      "a rule that never decides",
      (text) => `${text}  - { rule: it is done again, at: done, end: done }\n`,
      "rule `it is done again` never decides",
    ],
    [
      "an artifact that nobody makes",
      (text) =>
        text
          .replace("artifacts:", "artifacts:\n  spec: spec.json")
          .replace("when: { text: valid }", "when: { text: valid, spec: valid }"),
      "artifact `spec` is looked at, but no job makes it",
    ],
    [
      "a role without a skill",
      (text) => text.replaceAll("role: critic", "role: judge"),
      "role `judge` of protocol `loop` has no skill\nhint: write .heddle/roles/judge/SKILL.md",
    ],
    ["an unknown phase", (text) => text.replace("go: judge", "go: judg"), "did you mean `judge`?"],
    ["an unknown value", (text) => text.replace("text: valid", "text: vald"), "did you mean `valid`?"],
  ];
  it.each(cases)("L14 U8 %s", async (_what, change, expected) => {
    const project = await made(change);
    const { code, said } = await tried(project, "protocol", "check", "loop");
    expect(code).toBe(1);
    expect(said).toContain(expected);
    expect((await tried(project, "protocol", "start", "loop", "x")).code).toBe(1);
  });

  it("C14 what is no protocol at all is named with its line", async () => {
    const project = await made();
    project.write(
      ".heddle/protocols/odd.yaml",
      "name: odd\nabout: x\nphases:\n  - a: b\n  - c: d\nrules: []\n",
    );
    const { code, said } = await tried(project, "protocol", "check", "odd");
    expect(code).toBe(1);
    expect(said).toContain("`artifacts` is missing");
    project.write(".heddle/protocols/torn.yaml", "name: torn\nabout: [x\n");
    expect((await tried(project, "protocol", "show", "torn")).said).toMatch(/torn\.yaml:\d/);
    expect((await tried(project, "protocol", "new", "lifecycle")).said).toContain("already");
  });

  it("a small file that would grow is refused", () => {
    const bomb = [
      "a0: &a0 [x]",
      ...Array.from({ length: 60 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`),
    ];
    expect(parseYaml("bomb.yaml", bomb.join("\n"))).toMatchObject({ problems: [{ code: "bad-yaml" }] });
    expect(parseYaml("twice.yaml", "a: 1\na: 2\n")).toMatchObject({ problems: [{ code: "bad-yaml" }] });
  });
});

describe("a program in TypeScript", () => {
  const program = (about: string) => `import type { Protocol } from "heddle";
const phases: { name: string; about: string; end?: boolean }[] = [
  { name: "draft", about: "it is written" },
  { name: "done", about: "it is there", end: true },
];
export default {
  name: "short",
  about: "${about}",
  phases,
  artifacts: { text: "text.json" },
  rules: [
    { rule: "it is there", at: "draft", when: { text: "valid" }, go: "done" },
    { rule: "it is not there", at: "draft", job: { role: "writer", makes: "text" } },
    { rule: "it is done", at: "done", end: "done" },
  ],
};
`;

  it("U8 runs only as a person approved it, byte for byte", async () => {
    const project = await made();
    project.write(".heddle/protocols/short.ts", program("one text"));
    const unapproved = await tried(project, "protocol", "start", "short", "x");
    expect(unapproved.code).toBe(1);
    expect(unapproved.said).toContain("heddle protocol approve short");
    await project.must("protocol", "approve", "short");
    expect((await project.must("protocol", "check", "short")).out).toContain("no finding");
    project.write("script.json", JSON.stringify({ writer: turns({ text: "x" }) }));
    await project.must("protocol", "start", "short", "x");
    expect((await tried(project, "next", "--all", "--agent", "scripted:script.json")).code).toBe(0);
    project.write(".heddle/protocols/short.ts", program("another"));
    expect((await tried(project, "protocol", "show", "short")).said).toContain("has not been approved");
    project.write(".heddle/protocols/short.ts", `import fs from "node:fs";\n${program("x")}`);
    await project.must("protocol", "approve", "short");
    expect((await tried(project, "protocol", "show", "short")).said).toContain("only types may be imported");
  });
});
