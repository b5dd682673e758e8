// `heddle next` itself: the suggestion is one object wherever it is asked for (L8), it is explained rule by rule (C5), a
// dry run leaves every byte as it was (L9), and an override goes where the machine can go, with a reason (L10).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { composition } from "../../src/cli/composition.ts";
import { openApp, protocols, suggest, suggestNext } from "../../src/index.ts";
import { Client } from "../mcp/rig.ts";
import { Lifecycle } from "./rig.ts";

const phases = ["planning", "plan_review", "codegen", "review", "test", "accept", "done"];

describe("the suggestion", () => {
  it("L8 is the same object from the command line, the library and MCP, in every phase", async () => {
    const project = await Lifecycle.begun();
    const client = Client.in(project);
    await client.begin();
    const seen: string[] = [];
    for (const phase of phases) {
      const said = await project.json("next", "--dry-run");
      const told = await client.call("suggestNext", { task: "task-1" });
      const app = await openApp({ root: project.root, ...composition, by: "test" });
      const { suggestion } = await suggest(app);
      expect(told, phase).toMatchObject({ isError: false, document: said });
      expect(suggestion, phase).toEqual(said);
      expect(await app.look((run) => suggestNext(run, {})), phase).toEqual(said);
      app.close();
      expect((await project.json("task", "show")).suggestion, phase).toEqual(said);
      expect(Object.keys(said)).toEqual(
        expect.arrayContaining(["currentPhase", "suggestedNext", "reason", "evidence", "alternatives"]),
      );
      seen.push(said.currentPhase);
      if (phase !== "done") expect((await project.next()).code).toBe(0);
    }
    expect(seen).toEqual(phases);
  });
});

describe("explained and dry", () => {
  let project: Lifecycle;
  beforeAll(async () => {
    project = await Lifecycle.begun();
    for (let step = 0; step < 3; step++) await project.next();
    project.write(".heddle/tasks/task-1/review/code-review.json", '{ "blocking_issues": [] }');
  });

  it("C5 `--explain` has every rule in its order, what each one saw, and why it did or did not fire", async () => {
    const { explained, reason, evidence } = await project.json("next", "--dry-run", "--explain");
    const all = protocols.lifecycle?.rules ?? [];
    const names = explained.rules.map(({ rule }: { rule: string }) => rule);
    expect(names).toEqual(all.slice(0, names.length).map(({ name }) => name));
    expect(names.length + explained.notLookedAt).toBe(all.length);
    expect(explained.saw).toEqual(evidence);
    for (const { rule, fired, conditions } of explained.rules) {
      const misses = conditions.filter(
        ({ is, wanted }: { is: string; wanted: string[] }) => !wanted.includes(is),
      );
      expect(fired, rule).toBe(misses.length === 0);
      if (!fired) expect(misses, rule).toEqual([conditions.at(-1)]);
      for (const { subject, is } of conditions) expect(is).toBe(evidence[subject]);
    }
    expect(names.at(-1)).toBe(reason);
  });

  it("C5 and says the same to people", async () => {
    const { out } = await project.must("next", "--dry-run", "--explain");
    expect(out).toContain("code review = invalid");
    expect(out).toContain("the code review has no blocking issue: code review is invalid, not passed");
    expect(out).toContain("-> the code review is invalid: fired (phase is review, code review is invalid)");
    expect(out).toMatch(/and \d+ for other phases, \d+ behind it, not looked at/);
    expect(out).toContain(
      "hint: `ok` is missing (at /ok): heddle next lets the code-reviewer make review/code-review.json, or fix",
    );
  });

  it("L9 `--dry-run` leaves every byte as it was, whatever else is said", async () => {
    const before = bytes(project);
    for (const words of [
      [],
      ["--explain"],
      ["--json"],
      ["--all"],
      ["--override", "now"],
      ["--override", "now", "--to", "codegen"],
      ["--override", "now", "--to", "done"],
    ])
      await project.heddle("next", "--dry-run", ...words);
    expect(bytes(project)).toEqual(before);
  });

  it("L10 the dry run of an override says where it would lead, or that it leads nowhere", async () => {
    const would = await project.json("next", "--dry-run", "--override", "now");
    expect(would.overridden).toEqual({ to: "test", reason: "now", position: null });
    const refused = await project.heddle("next", "--dry-run", "--override", "now", "--to", "done");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("phase `done` cannot be reached from `review`");
  });

  const wrong: readonly (readonly [words: string[], code: number, said: string, hint: string])[] = [
    [["--override", ""], 1, "an override needs a reason", 'heddle next --override "<why>"'],
    [["--override", " \t"], 1, "an override needs a reason", 'heddle next --override "<why>"'],
    [["--override"], 64, "`--override` needs a value", "heddle next"],
    [["--to", "test"], 64, "`--to` goes with `--override`", 'heddle next --override "<why>" --to PHASE'],
    [
      ["--override", "x", "--to", "accept"],
      1,
      "phase `accept` cannot be reached from `review`",
      'heddle next --override "<why>" --to planning, or --to codegen, or --to test',
    ],
    [
      ["--override", "x", "--to", "banana"],
      1,
      "phase `banana` is unknown; the phases are planning, plan_review, codegen, review, test, accept, revert, done",
      'heddle next --override "<why>" --to planning',
    ],
    [
      ["--override", "x", "--to", "codegn"],
      1,
      "phase `codegn` is unknown",
      'hint: heddle next --override "<why>" --to codegen\n',
    ],
    [["--override", "x", "--to", "review"], 1, "phase `review` cannot be reached from `review`", "--to"],
  ];
  it.each(wrong)("L10 C14 `next %j` exits %i: %s", async (words, exit, said, hint) => {
    const before = bytes(project);
    const { code, out, err } = await project.heddle("next", ...words);
    expect({ code, out }).toEqual({ code: exit, out: "" });
    expect(err).toContain(said);
    expect(err).toContain(hint);
    expect(bytes(project)).toEqual(before);
  });
});

/** A digest of every file of the project, the journal included. */
function bytes(project: Lifecycle): Record<string, string> {
  const files = readdirSync(project.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".db-shm"))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [file, createHash("sha256").update(readFileSync(file)).digest("hex")]),
  );
}
