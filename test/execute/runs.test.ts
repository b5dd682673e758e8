// Runs that follow one another and stand side by side in one project.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Project } from "../e2e/rig.ts";
import { Execution } from "./rig.ts";

interface Row {
  readonly run: string;
  readonly phase: string;
  readonly current: boolean;
  readonly about: string;
}

const rows = async (project: Project, ...more: readonly string[]): Promise<Row[]> =>
  project.json("runs", ...more);

describe("heddle runs", () => {
  it("X29 begins the next run with the next specification, lists, chooses and archives", async () => {
    const project = await Execution.ready({ tasks: 1 });
    await project.must("state", "start-task", "T001");
    await project.must("state", "complete-task", "T001");
    await project.must("state", "advance");
    expect(await rows(project)).toMatchObject([{ run: "plan-1", phase: "complete", current: true }]);
    // The agent has no turn: what counts here is that the run begins, and with which specification.
    project.write("script.json", JSON.stringify({ turns: [] }));
    project.write("other.md", "# The second feature\n\nIt greets people.\n");
    const plan = ["plan", "other.md", "--target", "app", "--new", "--agent", "scripted:script.json"];
    const begun = await project.heddle(...plan);
    expect(begun.out).toContain("plan-2 begins; heddle runs lists all runs");
    expect(await rows(project)).toMatchObject([
      { run: "plan-1", phase: "complete", current: false },
      { run: "plan-2", phase: "logical", current: true, about: "The second feature" },
    ]);
    expect(existsSync(project.path(".heddle/runs/plan-2/inputs/spec.md"))).toBe(true);
    // The same command goes on with it; a third needs a word.
    expect((await project.heddle(...plan)).out).not.toContain("begins;");
    project.write("third.md", "# The third\n");
    const refused = await project.heddle("plan", "third.md", ...plan.slice(2));
    expect(refused.err).toContain("--beside begins another run with it");

    await project.must("runs", "use", "plan-1");
    expect((await project.heddle("status")).out).toContain("plan-1");
    const typo = await project.heddle("runs", "use", "plan-11");
    expect(typo.err).toContain("did you mean `plan-1`?");
    await project.must("runs", "archive", "plan-1");
    expect(existsSync(project.path("project-planning"))).toBe(false);
    expect(await rows(project)).toMatchObject([{ run: "plan-2", current: true }]);
    expect(await rows(project, "--all")).toHaveLength(2);
    expect((await project.heddle("verify")).code).toBe(0);
  });

  it("X29 plans for the repository that one stands in, and asks for a place only elsewhere", async () => {
    const project = new Project();
    const words = ["plan", "spec.md", "--new", "--agent", "scripted:script.json"];
    project.write("spec.md", "# A feature\n");
    project.write("script.json", JSON.stringify({ turns: [] }));
    expect((await project.heddle(...words)).err).toContain("heddle plan --target ./app");
    project.write(".git/HEAD", "ref: refs/heads/main\n");
    await project.heddle(...words);
    expect(await rows(project)).toMatchObject([{ run: "plan-1", target: "." }]);
  });
});
