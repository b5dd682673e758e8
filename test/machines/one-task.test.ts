// Tasks on another machine, over a real ssh: placed, worked on, checked and merged. What goes wrong is in `losses.slow.ts`.
import { readdirSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { Execution } from "../execute/rig.ts";
import { hasSshd, Machines } from "./sshd.ts";

let machines: Machines | undefined;
afterEach(() => machines?.stop());

test.skipIf(!hasSshd)(
  "U5 tasks are worked on and checked on another machine (left out without sshd)",
  async () => {
    machines = new Machines();
    const there = await machines.start("build-2");
    const project = await Execution.ready(
      { tasks: 2 },
      // Where it stands is what tells one machine from another here.
      { "*": ["good(); say(process.cwd())"] },
    );
    project.config({
      hosts: [
        { here: true, slots: 0 },
        { ssh: "build-2", slots: 2 },
      ],
    });
    const env = { PATH: machines.path };
    const ran = await ended(start([...project.words, "--batch"], { cwd: project.root, env }));
    expect(ran.out + ran.err + there.log()).toContain("T001 begins on build-2");
    expect(ran.code).toBe(0);
    expect(project.merged().sort()).toEqual(["T001", "T002"]);
    expect(project.show("src/T001.txt")).toBe("T001\n");
    expect((await project.facts("task-started")).map(({ machine }) => machine)).toEqual([
      "build-2",
      "build-2",
    ]);
    const [own = ""] = readdirSync(there.carried);
    expect(readdirSync(`${there.carried}/${own}`)).toContain("repository.git");
    await until("nothing runs there", () => there.processes().length === 0);
  },
);
