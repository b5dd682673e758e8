import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Execution, hasBox } from "./rig.ts";

describe.runIf(hasBox)("a host's claim (left out without bubblewrap)", () => {
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

  it("D25 X20 nothing that an acceptance command does reaches the person's files or heddle's own", async () => {
    const destroys = [
      "rm -rf ./* .[!.]*; test ! -e kept.txt",
      "test -e kept.txt && echo changed > kept.txt",
      'for d in "$OLDPWD" "$PWD/../../../../../../app" ../../../app; do rm -rf "$d"/* 2> /dev/null; done; test -d /usr/bin',
      "test ! -e .heddle/heddle.db && test ! -e .git",
    ];
    const acceptance_criteria = destroys.map((verification) => ({ criterion: "it holds", verification }));
    const project = await Execution.ready({ tasks: 1, more: () => ({ acceptance_criteria }) });
    project.write("app/kept.txt", "a person's\n");
    await project.must("state", "start-task", "T001");
    project.write("app/src/T001.txt", "T001\n");
    const claimed = await project.state("complete-task", "T001", "--verify", "--json");
    expect([claimed.code, claimed.err]).toEqual([0, ""]);
    expect(readFileSync(join(project.root, "app/kept.txt"), "utf8")).toBe("a person's\n");
    expect(readFileSync(join(project.root, "app/src/T001.txt"), "utf8")).toBe("T001\n");
    expect(existsSync(join(project.root, ".heddle/heddle.db"))).toBe(true);
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
