// Bundles of tasks: what an executor is told, and whether it is still true (X4, X5).
import { rmSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Planning, readyPlan } from "./rig.ts";

let project: Planning;
let back: () => void;

async function done(id: string, files: Readonly<Record<string, string>>): Promise<void> {
  await project.must("state", "start-task", id);
  for (const [path, text] of Object.entries(files)) project.write(`app/${path}`, text);
  await project.must("state", "complete-task", id, "--created", ...Object.keys(files));
}

beforeAll(async () => {
  project = await readyPlan();
  await done("T001", { "src/failure.js": "export class Failure extends Error {}\nconst hidden = 1;\n" });
  await done("T002", { "src/note.js": "export function makeNote(text) {\n  return { text };\n}\n" });
  await done("T003", {
    "src/store.js": "export const read = () => [];\nexport async function write(notes) {\n}\n",
  });
  back = project.save();
});
beforeEach(() => back());

const bundle = async (id: string) => {
  await project.must("bundle", "generate", id);
  return JSON.parse(project.text(`project-planning/bundles/${id}-bundle.json`));
};

describe("a task's bundle", () => {
  it("X4 has the documents' field names", async () => {
    expect(Object.keys(await bundle("T004"))).toEqual(
      expect.arrayContaining([
        "version",
        "bundle_created_at",
        "task_id",
        "name",
        "phase",
        "target_dir",
        "context",
        "behaviors",
        "files",
        "dependencies",
        "acceptance_criteria",
        "constraints",
        "project_context",
        "checksums",
      ]),
    );
  });

  it("C11 says how to log, and at which level", async () => {
    const { logging } = await bundle("T004");
    expect(logging.command).toMatch(/ log <LEVEL> task-executor <event> <message>$/);
    expect(logging.levels).toEqual({
      start: "INFO",
      decision: "INFO",
      tool: "INFO",
      complete: "INFO",
      warning: "WARN",
      error: "ERROR",
    });
  });

  it("X4 has its behaviours in full, not only their ids", async () => {
    const { behaviors } = await bundle("T004");
    expect(behaviors.map(({ id }: { id: string }) => id)).toEqual(["B17", "B2", "B7"]);
    for (const behaviour of behaviors)
      expect(behaviour).toMatchObject({ type: expect.any(String), name: expect.any(String) });
  });

  it("X4 has the files with purposes, and criteria with commands", async () => {
    const { files, acceptance_criteria: criteria } = await bundle("T004");
    for (const file of files) expect(file.purpose).not.toBe("");
    for (const { verification } of criteria) expect(verification).toMatch(/\S/);
  });

  it("X4 has the physical map's tests of its behaviours, but none that another task writes", async () => {
    const path = "project-planning/artifacts/physical-map.json";
    const map = JSON.parse(project.text(path));
    const entry = map.file_mapping.find((each: { behavior_id: string }) => each.behavior_id === "B17");
    entry.tests = [
      { path: "test/extra.test.js", action: "create" },
      { path: "src/failure.js", action: "create" },
    ];
    project.write(path, JSON.stringify(map));
    const { files } = await bundle("T004");
    expect(files.at(-1)).toEqual({
      path: "test/extra.test.js",
      action: "create",
      layer: "test",
      behaviors: ["B17"],
    });
    expect(files.map((file: { path: string }) => file.path)).not.toContain("src/failure.js");
  });

  it("X4 X5 has what inputs/constraints.md says, and says when that changed", async () => {
    const file = "project-planning/inputs/constraints.md";
    project.write(file, "# Decided\n\nWe go with TypeScript, and vitest for tests.\n\n- no global state\n");
    const { constraints, checksums } = await bundle("T004");
    expect(constraints).toMatchObject({
      language: "TypeScript",
      testing: "vitest",
      patterns: ["no global state"],
      raw: expect.stringContaining("We go with TypeScript"),
    });
    expect(checksums.artifacts.constraints).toMatch(/^[0-9a-f]+$/);
    project.write(file, "Python.\n");
    expect(await project.heddle("bundle", "validate-integrity", "T004")).toMatchObject({ code: 2 });
  });

  it("X4 quotes the specification in its context", async () => {
    const { context } = await bundle("T004");
    expect(context.spec_ref.quote).not.toBe("");
    expect(context).toMatchObject({ domain: expect.any(String), capability: expect.any(String) });
  });

  it("X4 names the files of all transitive dependencies, not only of the direct ones", async () => {
    const { dependencies } = await bundle("T004");
    expect(dependencies.tasks).toEqual(["T002", "T003"]);
    expect(dependencies.files).toEqual(
      expect.arrayContaining(["src/note.js", "src/store.js", "src/failure.js"]),
    );
  });

  it("X4 shows what those files offer, and nothing that they keep to themselves", async () => {
    const { dependencies } = await bundle("T004");
    const offered = Object.fromEntries(
      dependencies.interfaces.map((each: { path: string; interface: string[] }) => [
        each.path,
        each.interface,
      ]),
    );
    expect(offered["src/note.js"]).toEqual(["export function makeNote(text)"]);
    expect(offered["src/store.js"]).toEqual([
      "export const read = () => [];",
      "export async function write(notes)",
    ]);
    expect(JSON.stringify(offered)).not.toContain("hidden");
  });

  it("X11 holds what went wrong the last time", async () => {
    await project.must("state", "start-task", "T004");
    await project.must("state", "fail-task", "T004", "the tests are red", "--category", "test");
    await project.must("state", "retry-task", "T004");
    const { previous_attempt: previous } = await bundle("T004");
    expect(previous).toMatchObject({ attempt: 1, error: "the tests are red", category: "test" });
  });

  it("X4 has checksums of everything it was made from", async () => {
    const { checksums } = await bundle("T004");
    expect(Object.keys(checksums.artifacts)).toEqual(
      expect.arrayContaining(["spec", "capability_map", "physical_map", "task_definition"]),
    );
    expect(checksums.dependency_files["src/note.js"]).toMatch(/^[0-9a-f]{16}/);
  });

  it("X5 validates against its schema", async () => {
    await bundle("T004");
    expect((await project.heddle("bundle", "validate", "T004")).code).toBe(0);
    project.write("project-planning/bundles/T004-bundle.json", '{ "task_id": "T004" }');
    const { code, err } = await project.heddle("bundle", "validate", "T004");
    expect(code).toBe(1);
    expect(err).toMatch(/T004-bundle\.json:\d+:\d+/);
  });

  it("C14 of an unknown task is refused with a hint", async () => {
    const { code, err } = await project.heddle("bundle", "generate", "T04");
    expect(code).toBe(1);
    expect(err).toContain("T004");
  });
});

describe("validate-integrity", () => {
  it("X5 exits 0 when nothing changed", async () => {
    await bundle("T004");
    expect((await project.heddle("bundle", "validate-integrity", "T004")).code).toBe(0);
  });

  it("X5 exits 1 when a dependency's file is missing, and names it", async () => {
    await bundle("T004");
    rmSync(project.path("app/src/failure.js"));
    const { code, err } = await project.heddle("bundle", "validate-integrity", "T004");
    expect(code).toBe(1);
    expect(err).toContain("src/failure.js");
  });

  it("X5 exits 2 when a dependency's file changed, and names it", async () => {
    await bundle("T004");
    project.write("app/src/note.js", "export function makeNote(text, tags) {}\n");
    const { code, err, out } = await project.heddle("bundle", "validate-integrity", "T004");
    expect(code).toBe(2);
    expect(err).toContain("src/note.js");
    expect(out).toContain("heddle bundle generate T004");
  });

  it.each([
    ["inputs/spec.md", "spec"],
    ["artifacts/capability-map.json", "capability_map"],
    ["artifacts/physical-map.json", "physical_map"],
    ["tasks/T004.json", "task_definition"],
  ])("X5 exits 2 when %s changed", async (file, name) => {
    await bundle("T004");
    project.write(`project-planning/${file}`, `${project.text(`project-planning/${file}`)}\n`);
    const { code, err } = await project.heddle("bundle", "validate-integrity", "T004");
    expect(code).toBe(2);
    expect(err).toContain(name);
  });

  it("X5 is fine again after the bundle was made again", async () => {
    await bundle("T004");
    project.write("app/src/note.js", "export function makeNote(text, tags) {}\n");
    await bundle("T004");
    expect((await project.heddle("bundle", "validate-integrity", "T004")).code).toBe(0);
  });

  it("C14 of a bundle that is not there says how to make it", async () => {
    const { code, err } = await project.heddle("bundle", "validate-integrity", "T004");
    expect(code).toBe(1);
    expect(err).toContain("heddle bundle generate T004");
  });
});

describe("all bundles", () => {
  it("X5 generate-ready makes those of ready tasks, list lists them, clean takes them away and leaves results", async () => {
    await project.must("bundle", "clean");
    await project.must("bundle", "generate-ready");
    const listed = (await project.must("bundle", "list")).out.trim().split("\n");
    expect(listed.sort()).toEqual(["T004", "T008"]);
    project.write("project-planning/bundles/T001-result.json", "{}");
    await project.must("bundle", "clean");
    expect((await project.must("bundle", "list")).out.trim()).toBe("");
    expect(project.has("project-planning/bundles/T001-result.json")).toBe(true);
  });
});
