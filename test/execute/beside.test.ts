// What others see and may do while an orchestrator works.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { expectRefused, expectWhole } from "../e2e/whole.ts";
import { Execution } from "./rig.ts";

const begin = (project: Execution) => start([...project.words, "--batch"], { cwd: project.root });

describe("beside an orchestrator", () => {
  it("X12 X17 a host cannot complete or fail what it works on; a second is told who is there", async () => {
    const project = await Execution.ready({ tasks: 1 }, { "*": ["hang()"] });
    const first = begin(project);
    await until("an agent", () => existsSync(project.attempt("T001-1", "started.json")));
    expectRefused(await project.state("complete-task", "T001"), /worked on by heddle itself/);
    expectRefused(await project.state("fail-task", "T001", "mine"), /worked on by heddle itself/);
    expectRefused(await project.execute(), new RegExp(`by process ${first.pid}`));
    first.kill("SIGKILL");
    await ended(first);
  });

  it("C2 state.json is at most a moment behind, and current when it ends", async () => {
    const project = await Execution.ready({ tasks: 8 });
    const seen = new Set<number>();
    let over = false;
    const end = ended(begin(project)).finally(() => {
      over = true;
    });
    await until("its end", () => seen.add(project.stateJson().position) && over);
    expect((await end).code).toBe(0);
    const { position } = await expectWhole(project);
    expect(seen.size).toBeGreaterThan(6);
    expect(project.stateJson().position).toBe(position);
  });
});
