// `heddle coverage`, and what a complete run says of requirements that nothing shows to hold (D23).
import { expect, it } from "vitest";
import { specText } from "../e2e/plan-files.ts";
import { Execution } from "./rig.ts";

it("D23 traces requirements to evidence, and `complete` names those that nothing shows to hold", async () => {
  const project = await Execution.ready({ tasks: 1 });
  project.write("project-planning/inputs/spec.md", `${specText}- REQ-2: There is another.\n`);
  const before = JSON.parse((await project.must("coverage", "--json")).out);
  expect(before.counts).toEqual({ proven: 0, unproven: 0, open: 1, without_task: 1 });
  const ran = await project.execute("--batch");
  expect(ran.code, ran.out + ran.err).toBe(0);
  expect(ran.out).toContain("not proven: REQ-2\n  hint: heddle coverage\n");
  const { out } = await project.must("coverage");
  expect(out).toMatch(/^✓ REQ-1 {2}.*\n(?:.*\n)*? {4}T001 .* complete\n {6}green: `/);
  expect(out).toContain("✗ REQ-2  There is another.\n    no task\n");
  expect(out).toContain("1 of 2 requirements proven; without a task: REQ-2");
  const unknown = await project.heddle("coverage", "REQ-3");
  expect(unknown.code).toBe(1);
  expect(unknown.err).toContain("hint: heddle coverage REQ-");
});
