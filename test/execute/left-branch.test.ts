// `.heddle` was removed, and its first run left a branch: the next project begins where the person is, and nothing is lost.
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Execution, hasBox } from "./rig.ts";

describe.runIf(hasBox)("a branch of an earlier project (left out without bubblewrap)", () => {
  it("G3 X21 is put aside under another name, and is not where the new run begins", async () => {
    const project = await Execution.ready({ tasks: 1 });
    project.config({ land: "never" });
    expect((await project.execute()).code).toBe(0);
    const left = project.git("rev-parse", "heddle/plan-1");
    for (const folder of [".heddle", "project-planning"]) rmSync(project.path(folder), { recursive: true });
    await project.plan({ tasks: 1 });
    project.config({ land: "never" });
    const ran = await project.execute();
    expect(ran.code, ran.out + ran.err).toBe(0);
    expect(ran.err).toContain(
      "an earlier project left the branch `heddle/plan-1`; it is now called `heddle/plan-1-old`",
    );
    expect(project.git("rev-parse", "heddle/plan-1-old")).toBe(left);
    expect(project.git("rev-list", "--count", "main..heddle/plan-1").trim()).toBe("1");
    expect((await project.heddle("verify")).code).toBe(0);
  });
});
