// `state.json` is a view (C2, C3): one that fell behind or broke is fixed, one that a person edited stops everything
// until it is adopted or restored.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chain } from "./plan-files.ts";
import { type Project, readyProject, within } from "./rig.ts";
import { expectNoTrace, expectRefused, expectWhole } from "./whole.ts";

let project: Project;
let back: () => void;
beforeAll(async () => {
  project = await readyProject({ tasks: 4, after: chain });
  await project.must("state", "start-task", "T001");
  back = project.save();
});
beforeEach(() => back());

const read = () => readFileSync(project.view, "utf8");
const lastKinds = async (count: number) =>
  (await project.history()).slice(-count).map(({ fact }) => fact.kind);

/** As a person would: the text is changed and the digest is not. */
function edit(from: string, to: string): void {
  const text = read();
  expect(text).toContain(from);
  writeFileSync(project.view, text.replace(from, to));
}
const toPhase = (phase: string) => edit('"current": "executing"', `"current": "${phase}"`);
const toStatus = (status: string) => edit('"status": "running"', `"status": "${status}"`);

describe("a view that is not current", () => {
  it("C3 that is older is rewritten silently", async () => {
    const older = read();
    await project.must("state", "complete-task", "T001");
    writeFileSync(project.view, older);
    const position = (await project.history()).at(-1)?.position;
    expect(await project.must("status")).toMatchObject({ err: "" });
    expect((await expectWhole(project)).position).toBe(position);
  });

  it("C3 that is older does not stop a command that changes something", async () => {
    const older = read();
    await project.must("state", "complete-task", "T001");
    writeFileSync(project.view, older);
    expect(await project.must("state", "start-task", "T002")).toMatchObject({ err: "" });
    expect(await lastKinds(1)).toEqual(["task-started"]);
    await expectWhole(project);
  });

  it("C3 whose layout alone was changed is rewritten, not called an edit", async () => {
    writeFileSync(project.view, JSON.stringify(JSON.parse(read())));
    expect(await project.must("state", "complete-task", "T001")).toMatchObject({ err: "" });
    await expectWhole(project);
  });

  it("C3 whose events were edited stops the command and is restored", async () => {
    edit('"type":"task_started"', '"type":"task_completed"');
    const refused = await project.heddle("state", "complete-task", "T001");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("events: ") });
    await project.must("state", "restore");
    await project.must("state", "complete-task", "T001");
    await expectWhole(project);
  });

  const broken: readonly (readonly [what: string, was: string, harm: () => void])[] = [
    ["missing", "missing", () => rmSync(project.view)],
    ["empty", "broken", () => writeFileSync(project.view, "")],
    ["truncated", "broken", () => writeFileSync(project.view, read().slice(0, 400))],
    ["cut by its last byte", "broken", () => writeFileSync(project.view, read().slice(0, -3))],
    ["binary", "broken", () => writeFileSync(project.view, Uint8Array.from([0, 255, 254, 0, 10]))],
    ["a list", "broken", () => writeFileSync(project.view, "[]\n")],
    ["the word null", "broken", () => writeFileSync(project.view, "null")],
  ];
  const said = (was: string) =>
    expect.stringMatching(
      was === "missing"
        ? /^warning: state\.json was gone: it was written again .*nothing is lost\n/
        : /^warning: state\.json was cut off or damaged: it was written again .*nothing is lost\n/,
    );
  for (const [what, was, harm] of broken) {
    it(`C3 that is ${what} is rewritten by a look, which says so, and the repair is a fact`, async () => {
      harm();
      expect(await project.must("state", "ready-tasks")).toMatchObject({ err: said(was) });
      expect(await project.must("state", "ready-tasks")).toMatchObject({ err: "" });
      const last = (await project.history()).at(-1);
      expect(last?.fact).toEqual({ kind: "view-repaired", view: "state.json", was });
      await expectWhole(project);
    });

    it(`C3 that is ${what} is rewritten by a change, which says so, and the repair is a fact`, async () => {
      harm();
      expect(await project.must("state", "complete-task", "T001")).toMatchObject({ err: said(was) });
      expect(await lastKinds(2)).toEqual(["view-repaired", "task-completed"]);
      await expectWhole(project);
    });
  }

  it("C3 that is a pipe is rewritten too: nobody waits for what never comes", async () => {
    rmSync(project.view);
    spawnSync("mkfifo", [project.view]);
    expect(await within(6, project, ["state", "complete-task", "T001"])).toMatchObject({
      code: 0,
      err: said("broken"),
    });
    await expectWhole(project);
  });

  it("C3 the whole planning folder, lost, is made again as far as the journal knows it", async () => {
    rmSync(project.path("project-planning"), { recursive: true });
    const ran = await project.heddle("status");
    expectNoTrace(ran);
    expect(ran.code, ran.err).toBe(0);
    await expectWhole(project);
  });

  it("C2 that cannot be written, because a folder is in its place, costs a warning and no change", async () => {
    rmSync(project.view);
    mkdirSync(project.view);
    const ran = await project.heddle("state", "complete-task", "T001");
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain("warning: the change is recorded");
    rmSync(project.view, { recursive: true });
    expect((await project.status()).tasks.complete).toBe(1);
    await expectWhole(project);
  });

  it("C11 a lost log folder stops no command", async () => {
    rmSync(project.path(".heddle/logs"), { recursive: true });
    expect((await project.heddle("state", "complete-task", "T001")).code).toBe(0);
    await expectWhole(project);
  });
});

describe("a view that was edited by hand", () => {
  const commands = [
    ["status"],
    ["state", "ready-tasks"],
    ["state", "complete-task", "T001"],
    ["state", "load-tasks"],
    ["halt"],
    ["next"],
    ["why"],
    ["state", "export"],
  ];
  for (const words of commands)
    it(`C3 stops \`heddle ${words.join(" ")}\`, shows the difference and both ways on`, async () => {
      toStatus("complete");
      const edited = read();
      const ran = await project.heddle(...words);
      expectRefused(ran, /state\.json was edited by hand/);
      expect(ran.err).toContain('tasks.T001.status: "running" -> "complete"');
      expect(ran.err).toContain("heddle state adopt --reason");
      expect(ran.err).toContain("heddle state restore");
      expect(read()).toBe(edited);
      expect(await lastKinds(1)).toEqual(["task-started"]);
    });

  it("C3 C9 is adopted with a reason, as a recorded override", async () => {
    toStatus("complete");
    const { out } = await project.must("state", "adopt", "--reason", "finished by hand");
    expect(out).toContain('tasks.T001.status: "running" -> "complete"');
    const last = (await project.history()).at(-1)?.fact;
    expect(last).toMatchObject({
      kind: "overridden",
      reason: "finished by hand",
      tasks: { T001: "complete" },
    });
    const { tasks, ready, unverified } = await expectWhole(project);
    expect([tasks.complete, ready, unverified]).toEqual([1, ["T002"], 1]);
    expect((await project.must("history", "--task", "T001")).out).toContain("finished by hand");
  });

  for (const reason of [[], ["--reason", ""], ["--reason", "  "]])
    it(`C9 is not adopted with ${reason.length === 0 ? "no reason" : `the reason "${reason[1]}"`}`, async () => {
      toStatus("complete");
      const edited = read();
      expectRefused(await project.state("adopt", ...reason), /reason/);
      expect(read()).toBe(edited);
      expect(await lastKinds(1)).toEqual(["task-started"]);
    });

  it("C3 L7 is not adopted with an unknown phase: the error lists the phases", async () => {
    toPhase("executin");
    const ran = await project.state("adopt", "--reason", "r");
    expectRefused(ran, /phase `executin` is unknown/);
    expect(ran.err).toContain("ingestion, logical, physical");
    expect(ran.err).toContain("did you mean `executing`?");
  });

  it("C3 L6 is not adopted with a phase whose artifacts are missing: each is named", async () => {
    rmSync(project.path("project-planning/artifacts/capability-map.json"));
    toPhase("complete");
    const ran = await project.state("adopt", "--reason", "r");
    expect(ran.code).toBe(1);
    expectNoTrace(ran);
    expect(ran.err).toContain("`logical`");
    expect(ran.err).toContain("capability map is missing");
    expect(ran.err).toContain("`executing`");
  });

  it("C3 is adopted with an earlier phase, which the artifacts do reach", async () => {
    toPhase("sequencing");
    await project.must("state", "adopt", "--reason", "sequence it again");
    expect((await expectWhole(project)).phase).toBe("sequencing");
  });

  it("C3 is not adopted where a field cannot be: it is named, and nothing is taken", async () => {
    toStatus("complete");
    edit('"attempts": 1', '"attempts": 7');
    const ran = await project.state("adopt", "--reason", "r");
    expectRefused(ran, /`tasks\.T001\.attempts` cannot be adopted/);
    expect(await lastKinds(1)).toEqual(["task-started"]);
  });

  it("C3 names every field that cannot be adopted at once", async () => {
    edit('"attempts": 1', '"attempts": 7');
    edit('"target_dir": "', '"target_dir": "/elsewhere');
    toStatus("finished");
    const ran = await project.state("adopt", "--reason", "r");
    expect(ran.code).toBe(1);
    expect(ran.err.match(/^error: /gm)).toHaveLength(3);
    expectNoTrace(ran);
  });

  it("C3 is not adopted with a task that is not in the plan", async () => {
    edit('"T001": {', '"T900": { "status": "complete" },\n    "T001": {');
    const ran = await project.state("adopt", "--reason", "r");
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("T900");
    expectNoTrace(ran);
  });

  it("C3 is not adopted with a task taken away", async () => {
    const { T004: _, ...tasks } = project.stateJson().tasks;
    writeFileSync(project.view, JSON.stringify({ ...project.stateJson(), tasks }, null, 2));
    const ran = await project.state("adopt", "--reason", "r");
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("T004");
    expectNoTrace(ran);
  });

  it("C3 is undone by restore, and the repair is a fact", async () => {
    toStatus("complete");
    expect((await project.must("state", "restore")).out).toContain("edited");
    expect((await project.history()).at(-1)?.fact).toMatchObject({ kind: "view-repaired", was: "edited" });
    expect((await expectWhole(project)).running).toEqual(["T001"]);
  });

  it("C3 there is nothing to adopt when nothing was edited", async () => {
    expectRefused(await project.state("adopt", "--reason", "r"), /was not edited/);
    await expectWhole(project);
  });

  it("C3 restore of a view that is current changes nothing", async () => {
    const before = read();
    expect((await project.must("state", "restore")).out).toContain("current");
    expect(read()).toBe(before);
    expect(await lastKinds(1)).toEqual(["task-started"]);
  });

  it("C3 a key named like a part of JavaScript is an edit like any other", async () => {
    edit('"tasks": {', '"tasks": { "__proto__": { "status": "complete" }, "constructor": 1,');
    const ran = await project.heddle("status");
    expectRefused(ran, /edited by hand/);
    const adopted = await project.state("adopt", "--reason", "r");
    expect(adopted.code).toBe(1);
    expectNoTrace(adopted);
  });

  it("C14 shows control characters of an edit instead of sending them to the terminal", async () => {
    edit('"status": "running"', '"status": "\\u001b[31mred\\u0007"');
    const ran = await project.heddle("status");
    expectRefused(ran, /edited by hand/);
    expect(ran.err).not.toMatch(/\u001b|\u0007/);
  });

  it("C3 a difference of a thousand lines is cut, not poured out", async () => {
    const view = project.stateJson();
    const added = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`T9${n}`, { status: "x" }]));
    writeFileSync(project.view, JSON.stringify({ ...view, tasks: { ...view.tasks, ...added } }));
    const ran = await project.heddle("status");
    expectRefused(ran, /edited by hand/);
    expect(ran.err.split("\n").length).toBeLessThan(30);
  });
});
