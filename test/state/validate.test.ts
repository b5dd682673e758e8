// `heddle state validate` and the gates of `heddle state advance` (D4, D7, D16): what was found is recorded, good or
// bad, and counts as long as nothing that it rests on has changed.
import { readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { capabilityMap, physicalMap, specText } from "../e2e/plan-files.ts";
import { desk, expectDone, expectRefused, expectWhole, kindsOf, plan, stepsTo } from "./desk.ts";

const specPath = "project-planning/inputs/spec.md";
const logicalPath = "project-planning/artifacts/capability-map.json";
const physicalPath = "project-planning/artifacts/physical-map.json";
const json = (value: unknown) => JSON.stringify(value, null, 2);

/** Without its steel thread, and with a flow that names a behaviour that is not there. */
const brokenMap = {
  ...capabilityMap(),
  flows: [{ id: "F1", name: "Write", is_steel_thread: false, steps: [{ behavior_id: "B9" }] }],
};

describe("validate capability_map", () => {
  const project = desk((each) => plan(each, { tasks: [{}] }, stepsTo.logical));
  const validate = (...more: readonly string[]) => project.state("validate", "capability_map", ...more);

  it("X20 prints that the map was validated, exits 0 and records it", async () => {
    const kinds = await kindsOf(project, async () => expectDone(await validate(), /^Validated successfully/));
    expect(kinds).toEqual(["artifact-registered"]);
    expect(project.stateJson().artifacts.capability_map).toMatchObject({
      path: project.path(logicalPath),
      checksum: expect.stringMatching(/^[0-9a-f]{16}$/),
      valid: true,
      error: null,
    });
  });

  it("C15 answers with one document for --json and for --format json", async () => {
    for (const words of [["--json"], ["--format", "json"]])
      expect(JSON.parse((await validate(...words)).out)).toEqual({ artifact: "capability_map", valid: true });
  });

  it("D16 lets the phase pass only after the map was validated", async () => {
    expectRefused(
      await project.state("advance"),
      /phase `logical` is not finished.*capability map is missing/,
    );
    await validate();
    expectDone(await project.state("advance"), "Advanced from logical to physical");
  });

  it("D7 finds all errors at once, each with file, pointer and line", async () => {
    project.write(logicalPath, json(brokenMap));
    const { code, err } = await validate();
    expect(code).toBe(1);
    expect(err.match(/^error: /gm)?.length).toBeGreaterThanOrEqual(2);
    expect(err).toMatch(/B9/);
    expect(err).toMatch(/steel thread/);
    expect(err.match(/--> .*capability-map\.json:\d+:\d+ \(\/flows/g)?.length).toBeGreaterThanOrEqual(1);
  });

  it("D16 keeps a failed validation, and the phase stays although an earlier one had passed (defect 3)", async () => {
    await validate();
    project.write(logicalPath, json(brokenMap));
    expect((await validate()).code).toBe(1);
    const { valid, error } = project.stateJson().artifacts.capability_map;
    expect({ valid, error }).toEqual({ valid: false, error: expect.stringMatching(/steel thread/) });
    expectRefused(await project.state("advance"), /capability map is invalid/);
  });

  it("D16 needs a new validation after an invalid map was put right", async () => {
    project.write(logicalPath, json(brokenMap));
    await validate();
    project.write(logicalPath, json(capabilityMap()));
    expectRefused(await project.state("advance"));
    await validate();
    expectDone(await project.state("advance"));
  });

  it("D16 does not count a map that changed since it was validated", async () => {
    await validate();
    project.write(logicalPath, `${json(capabilityMap())}\n\n`);
    expectRefused(await project.state("advance"), /changed since it was validated/);
  });

  it("D4 D16 does not count a map whose specification changed, until it is validated again", async () => {
    await validate();
    project.write(specPath, `${specText}\nAnd it keeps them for ever.\n`);
    expectRefused(await project.state("advance"), /specification changed/);
    await validate();
    expectDone(await project.state("advance"));
  });

  it("D16 does not count a map whose file is gone", async () => {
    await validate();
    rmSync(project.path(logicalPath));
    expectRefused(await project.state("advance"), /missing/);
  });

  it("C14 says which role writes a map that is not there", async () => {
    rmSync(project.path(logicalPath));
    const ran = await validate();
    expectRefused(ran, /capability-map\.json` does not exist/);
    expect(ran.err).toMatch(/hint: role logic-architect writes it/);
  });

  it("C14 says where a map stops being JSON", async () => {
    project.write(logicalPath, '{ "version": "1.0",\n  "domains": [ }');
    expectRefused(await validate(), /capability-map\.json:2:/);
  });

  it("D4 keeps the specification byte for byte", async () => {
    const bytes = Buffer.from(`\ufeff${specText.replaceAll("\n", "\r\n")}\u00a0`);
    project.write(specPath, bytes);
    await validate();
    await project.state("advance");
    expect(readFileSync(project.path(specPath))).toEqual(bytes);
  });
});

describe("validate physical_map", () => {
  const project = desk(async (each) => {
    await plan(each, { tasks: [{}] }, stepsTo.physical);
    await each.must("state", "validate", "physical_map");
  });
  const validate = () => project.state("validate", "physical_map");

  it("D8 D16 passes once, and the phase goes on", async () => {
    expect(project.stateJson().artifacts.physical_map).toMatchObject({ valid: true, error: null });
    expectDone(await project.state("advance"), "Advanced from physical to definition");
  });

  it("D16 keeps a failed validation of a map that leaves the target (defect 3)", async () => {
    const map = physicalMap(project.path("app"));
    const files = [{ path: "../outside.ts", action: "create", layer: "data", purpose: "escapes" }];
    project.write(physicalPath, json({ ...map, file_mapping: [{ ...map.file_mapping[0], files }] }));
    expect(await validate()).toMatchObject({
      code: 1,
      err: expect.stringMatching(/`\.\.\/outside\.ts` climbs/),
    });
    expect(project.stateJson().artifacts.physical_map.valid).toBe(false);
    expectRefused(await project.state("advance"), /physical map is invalid/);
  });

  it("D16 does not count a physical map whose capability map changed", async () => {
    project.write(logicalPath, `${json(capabilityMap())} `);
    expectRefused(await project.state("advance"), /capability map changed/);
    await validate();
    expectDone(await project.state("advance"));
  });

  it("D4 does not count a physical map after the specification changed: it is made from it as well", async () => {
    project.write(specPath, `${specText}\nAnd it keeps them for ever.\n`);
    expectRefused(await project.state("advance"));
    expect(project.stateJson().phase.current).toBe("physical");
  });

  it("D16 does not count a physical map that changed since it was validated", async () => {
    project.write(physicalPath, `${json(physicalMap(project.path("app")))} `);
    expectRefused(await project.state("advance"), /changed since it was validated/);
  });
});

describe("advance", () => {
  const project = desk(async (each) => {
    await each.must("init", "app");
  });

  it("D16 says at every gate what is missing, and moves one phase at a time", {
    timeout: 180_000,
  }, async () => {
    const gate = async (missing: RegExp, ...then: readonly (readonly string[])[]) => {
      expectRefused(await project.state("advance"), missing);
      for (const words of then) await project.must("state", ...words);
      expectDone(await project.state("advance"), /^Advanced from \w+ to \w+\n$/);
    };
    expectRefused(await project.state("advance"), /there is no specification/);
    project.writePlan({ tasks: 2 });
    expectDone(await project.state("advance"), "Advanced from ingestion to logical");
    await gate(/capability map is missing/, ["validate", "capability_map"]);
    await gate(/physical map is missing/, ["validate", "physical_map"]);
    await gate(/no tasks are loaded/, ["load-tasks"]);
    await gate(/the plan was not judged/, ["validate-tasks", "READY"]);
    expectDone(await project.state("advance"), "Advanced from sequencing to ready");
    expectDone(await project.state("advance"), "Advanced from ready to executing");
    expectRefused(await project.state("advance"), /tasks are open/);
    for (const id of ["T001", "T002"]) await project.must("state", "skip-task", id);
    expectDone(await project.state("advance"), "Advanced from executing to complete");
    expectRefused(await project.state("advance"), /`complete` is the last phase/);
    expect((await expectWhole(project)).phase).toBe("complete");
  });

  it("D16 does not let an empty specification pass", async () => {
    project.write(specPath, " \n");
    expectRefused(await project.state("advance"));
    expect(project.stateJson().phase.current).toBe("ingestion");
  });
});
