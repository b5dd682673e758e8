// A project that is moved, between commands and after a kill in the middle of a run: nothing is lost, nothing names the old place.
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, folder, start, until } from "../e2e/rig.ts";
import { Execution, hasBox, isCarriedElsewhere, survivors, taskId } from "./rig.ts";

const wrong = 'put("src/" + task + ".txt", "wrong\\n"); propose()';

/** Red and green show what they saw. */
const shown = (n: number) => {
  const [file, id] = [`src/${taskId(n)}.txt`, taskId(n)];
  return {
    acceptance_criteria: [
      { criterion: "its file is there", verification: `cat ${file}; test "$(cat ${file})" = ${id}` },
    ],
  };
};

/** The same project at another place. */
function moved(project: Execution): Execution {
  const to = join(folder("heddle-moved-"), "new place");
  renameSync(project.root, to);
  return new Execution(to);
}

// Where its orders are carried elsewhere, what was begun there stays behind when the project moves.
describe.runIf(hasBox && !isCarriedElsewhere)("a project that is moved (left out without bubblewrap)", () => {
  it("C1 after a kill in the middle goes on: the red task is told what was red, and every command names the new place", async () => {
    const first = await Execution.ready({ tasks: 3, more: shown }, { T002: [wrong], T003: ["hang()"] });
    first.config({ attempts: 1 });
    const child = start([...first.words, "--batch", "--parallel", "3"], { cwd: first.root });
    await until("an agent", () => existsSync(first.attempt("T003-1", "started.json")));
    await until("the others", async () => {
      const { complete, failed } = (await first.status()).tasks;
      return complete + failed === 2;
    });
    child.kill("SIGKILL");
    await ended(child);

    const project = moved(first);
    project.agent({});
    await project.must("state", "retry-task", "T002");
    const ran = await project.execute();
    expect(ran.err + ran.out).not.toContain(first.root);
    expect(ran).toMatchObject({ code: 0 });
    expect(project.merged().sort()).toEqual(["T001", "T002", "T003"]);
    expect(survivors(first)).toEqual([]);
    const bundle = JSON.parse(readFileSync(project.attempt("T002-2", "bundle.json"), "utf8"));
    expect(bundle.previous_attempt.red[0]).toMatchObject({ exit: 1, output: "wrong" });
    expect(readFileSync(bundle.previous_attempt.diff, "utf8")).toContain("+wrong");

    const outputs = await Promise.all([
      project.must("report", "--json"),
      project.must("why", "T002"),
      project.must("history", "--all", "--json"),
      project.must("transcript", "T002#1"),
      project.must("workspace", "ls", "--json"),
      project.must("state", "export"),
    ]);
    for (const { out } of outputs) expect(out).not.toContain(first.root);
    await project.must("undo", "T001", "--yes");
    expect(project.git("log", "--format=%s", "heddle/plan-1")).toContain("T001");
    expect((await project.must("verify")).code).toBe(0);
  });
});
