import { describe, expect, it } from "vitest";
import { Execution, hasBox } from "./rig.ts";

describe.runIf(hasBox)("a host's claim", () => {
  it("X20 with --verify is held against the acceptance commands, and refused when one is red", async () => {
    const project = await Execution.ready({ tasks: 2 });
    await project.must("state", "start-task", "T001");
    const red = await project.state("complete-task", "T001", "--verify");
    expect(red.code).toBe(1);
    expect(red.err).toMatch(/not complete: `test .*T001` exited with code 1\nhint: cat /);
    expect((await project.status()).running).toEqual(["T001"]);
    project.write("app/src/T001.txt", "T001\n");
    expect((await project.state("complete-task", "T001", "--verify", "--json")).code).toBe(0);
    expect(await project.facts("task-completed")).toMatchObject([{ task: "T001", done: "verified" }]);
    expect((await project.status()).unverified ?? []).not.toContain("T001");
  });

  it("X20 the configuration can make that the rule", async () => {
    const project = await Execution.ready({ tasks: 1 });
    project.config({ verifyClaims: true });
    await project.must("state", "start-task", "T001");
    expect((await project.state("complete-task", "T001")).code).toBe(1);
    project.write("app/src/T001.txt", "T001\n");
    expect((await project.state("complete-task", "T001")).code).toBe(0);
  });
});
