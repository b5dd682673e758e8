// What goes wrong around a task, and what heddle says then (L4–L10, C3, C8, C9).
import { existsSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { hasBox } from "../needs.ts";
import { code, json, Lifecycle, plan } from "./rig.ts";

const tried = async (project: Lifecycle, ...words: string[]) => {
  const ran = await project.heddle(...words);
  return { code: ran.code, said: ran.err + ran.out };
};

describe("artifacts that are not what they should be", () => {
  it("L4 L5 L6 a review is edited, deleted and fixed by hand, and each time the suggestion fits", async () => {
    const project = await Lifecycle.begun();
    await project.next();
    await project.next();
    expect(project.stateJson().phase).toBe("codegen");
    const review = ".heddle/tasks/task-1/review/plan-review.json";
    project.write(review, JSON.stringify({ blocking_issues: [] }));
    const invalid = await project.json("next", "--dry-run");
    expect(invalid).toMatchObject({
      currentPhase: "codegen",
      suggestedNext: "plan_review",
      reason: "no review passed this plan: `plan_review` is the last consistent phase",
    });
    expect(project.stateJson().phase).toBe("codegen");
    rmSync(project.path(review));
    expect(await project.json("next", "--dry-run")).toMatchObject({ evidence: { "plan review": "missing" } });
    await project.must("next");
    expect(project.stateJson()).toMatchObject({ phase: "plan_review", round: 1 });
    const missing = await project.json("next", "--dry-run");
    expect(missing).toMatchObject({ action: "job", reason: "the plan review is missing" });
    project.write(review, '{ "blocking_issues": [] }');
    const named = await project.json("next", "--dry-run");
    expect(named.reason).toBe("the plan review is invalid");
    expect(named.hint).toContain("`ok` is missing");
    project.write(review, '{ "ok": true }');
    await project.must("next");
    expect(project.stateJson().phase).toBe("codegen");
  });

  it("L5 an agent's review without `ok` never counts: it is asked again, three times, then it halts", async () => {
    const project = await Lifecycle.begun({ "plan-reviewer": [json({ blocking_issues: [] })] });
    const { code: exit, out } = await project.all();
    expect(exit).toBe(1);
    expect(out).toContain("`ok` is missing");
    expect((await project.facts("job-failed")).length).toBe(3);
    expect(await project.phase()).toBe("plan_review");
    project.script({});
    expect((await project.all()).code).toBe(0);
  });

  it("L6 code that comes back unchanged is refused, and ends in a halt, not in a loop", async () => {
    const project = await Lifecycle.begun({ coder: [code({ "greet.txt": "Goodbye\n" })] });
    const { code: exit, out } = await project.all();
    expect(exit).toBe(1);
    expect(out).toContain("the code is the same as the one that was sent back");
    expect(await project.phase()).toBe("codegen");
  });

  it("L3 L14 when the rounds are used up a person decides", async () => {
    const wrong = Array.from({ length: 12 }, (_, n) => code({ "greet.txt": `Goodbye ${n}\n` }));
    const project = await Lifecycle.begun({ coder: wrong });
    const { code: exit, out } = await project.all();
    expect(exit).toBe(1);
    expect(out).toContain("the rounds are used up");
    expect(out).toContain('heddle next --override "<reason>" --to codegen');
    expect(project.stateJson().round).toBe(5);
  });

  it("L3 the coder says that the plan does not fit, or is unclear, and the plan is made or judged again", async () => {
    const stop = (status: string) => ({
      files: {},
      result: { status, summary: "it", reasons: ["which file?"] },
    });
    const project = await Lifecycle.begun({
      planner: [json({ ...plan, approach: "first" }), json(plan)],
      "plan-reviewer": [json({ ok: true }), json({ ok: true, reasons: ["clear enough"] })],
      coder: [stop("plan_unclear"), stop("scope_mismatch"), code({ "greet.txt": "Hello\n" })],
    });
    const ran = await project.all();
    expect(ran.code, ran.err + ran.out).toBe(0);
    const taken = await project.phases();
    expect(taken).toContain("codegen → plan_review");
    expect(taken).toContain("codegen → planning");
  });

  it("X11 a coder that strays outside of its plan is refused with the path", async () => {
    const project = await Lifecycle.begun({
      coder: [code({ "README.md": "mine\n", "greet.txt": "Hello\n" }), code({ "greet.txt": "Hello\n" })],
    });
    expect((await project.all()).code).toBe(0);
    const [failed] = await project.facts("job-failed");
    expect(JSON.stringify(failed)).toContain("README.md (modified)");
  });
});

describe("a folder that is taken away while a role works", () => {
  it("L4 L6 C3 what is gone halts the task by name; whoever goes on without it has it made again", async () => {
    const project = await Lifecycle.begun({ "plan-reviewer": [{ ...json({ ok: true }), afterMs: 1500 }] });
    await project.next();
    const child = start(["next", "--agent", "scripted:script.json"], { cwd: project.root });
    const over = ended(child);
    await until("the reviewer works", () =>
      existsSync(project.path(".heddle/attempts/task-1/plan-reviewer-1/token")),
    );
    rmSync(project.task(), { recursive: true });
    const halted = await over;
    expect(halted.code).toBe(1);
    expect(halted.out).toContain("task-1` is missing");
    await project.must("resume");
    expect(await project.json("next", "--dry-run")).toMatchObject({
      suggestedNext: "planning",
      reason: "there is no usable plan: `planning` is the last consistent phase",
    });
    await project.must("next");
    expect((await project.json("next", "--dry-run")).hint).toContain("planning/plan.json is gone");
    const ran = await project.all();
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(project.git("log", "-1", "--format=%s").trim()).toBe("task-1: Greet people by name");
    expect((await project.heddle("verify")).code).toBe(0);
  });
});

describe("a view that was changed by hand", () => {
  it("C3 L6 L7 an unknown phase is named with the valid ones, and nothing is lost", async () => {
    const project = await Lifecycle.begun();
    await project.must("next", "--agent", "scripted:script.json");
    const edited = (phase: string) =>
      project.write(
        ".heddle/tasks/task-1/state.json",
        readFileSync(project.view, "utf8").replace(/"phase": ".*"/, `"phase": "${phase}"`),
      );
    edited("banana");
    const unknown = await tried(project, "next");
    expect(unknown.code).toBe(1);
    expect(unknown.said).toContain("planning, plan_review, codegen, review, test, accept, revert, done");
    expect(unknown.said).toContain("hint: heddle state restore goes back to `plan_review`");
    expect((await tried(project, "state", "adopt", "--reason", "x")).said).toContain(
      "phase `banana` is unknown",
    );
    await project.must("state", "restore");
    edited("test");
    const early = await tried(project, "state", "adopt", "--reason", "I tested it myself");
    expect(early.code).toBe(1);
    expect(early.said).toContain("phase `test` does not fit: in `plan_review`, the plan review is missing");
    await project.must("state", "restore");
    edited("planning");
    await project.must("state", "adopt", "--reason", "once more");
    expect(project.stateJson().phase).toBe("planning");
  });

  it("C3 a truncated or missing state.json is written again, and that is on record", async () => {
    const project = await Lifecycle.begun();
    project.write(".heddle/tasks/task-1/state.json", '{ "phase": "tes');
    const cut = await project.must("next", "--dry-run");
    expect(cut.out).toContain("planning (job): the plan is missing");
    expect(cut.err).toContain("state.json was cut off or damaged: it was written again from the journal");
    rmSync(project.view);
    expect((await project.must("status")).err).toContain("state.json was gone");
    expect(project.stateJson().phase).toBe("planning");
    expect((await project.facts("view-repaired")).length).toBe(2);
  });
});

describe("a person's word", () => {
  it("C8 a plan's blocking questions wait for answers, which the planner is given", async () => {
    const asking = { ...plan, blocking_questions: [{ text: "Which language?", options: ["en", "de"] }] };
    const project = await Lifecycle.begun({ planner: [json(asking), json(plan)] });
    const stuck = await project.all();
    expect(stuck.code).toBe(1);
    expect(stuck.out).toContain("the plan has blocking questions");
    expect(project.stateJson().actors.planning.status).toBe("clarifying");
    const [question] = (await project.status()).questions;
    expect(question.text).toBe("Which language?");
    for (const wrong of [[], ["en", "--file", "answer.md"], ["--file", "none.md"]])
      expect((await tried(project, "answer", question.id, ...wrong)).code).not.toBe(0);
    project.write("answer.md", "en\n");
    await project.must("answer", question.id, "--file", "answer.md");
    expect((await project.all()).code).toBe(0);
    const bundle = readFileSync(project.path(".heddle/attempts/task-1/planner-2/bundle.json"), "utf8");
    expect(JSON.parse(bundle).answers).toEqual([{ question: "Which language?", answer: "en" }]);
  });

  it("L10 C9 an override needs a reason and a way, and is in transcript and history", async () => {
    const project = await Lifecycle.begun({
      "plan-reviewer": [json({ ok: false, blocking_issues: ["no"] })],
    });
    await project.next();
    expect((await tried(project, "next", "--override", " ")).said).toContain("an override needs a reason");
    const far = await tried(project, "next", "--override", "now", "--to", "test");
    expect(far.code).toBe(1);
    expect(far.said).toContain("cannot be reached from `plan_review`");
    await project.must("next", "--override", "the reviewer is wrong");
    expect(project.stateJson().phase).toBe("codegen");
    expect(readFileSync(project.task("transcript.jsonl"), "utf8")).toContain("the reviewer is wrong");
    expect((await project.facts("overridden")).at(-1)).toMatchObject({ reason: "the reviewer is wrong" });
    expect((await project.must("task", "show")).out).toContain("overridden to codegen by operator");
    expect((await project.all()).code).toBe(0);
  });

  it("L9 a phase out of turn is refused with the suggestion", async () => {
    const project = await Lifecycle.begun();
    for (const command of ["review", "test", "codegen", "accept"]) {
      const refused = await tried(project, command);
      expect(refused.code).toBe(1);
      expect(refused.said).toContain("planning (job): the plan is missing");
      expect(refused.said).toContain("hint: heddle next");
    }
    expect((await tried(project, "redo")).said).toContain("`redo` has no place in phase `planning`");
    expect(project.stateJson().phase).toBe("planning");
  });

  it("L3 a person decides in the acceptor's place: first later, then no, then yes", async () => {
    const project = await Lifecycle.begun({
      coder: [code({ "greet.txt": "Hello, Ada!\n" }), code({ "greet.txt": "Hello, you!\n" })],
    });
    for (let step = 0; step < 5; step++) await project.next();
    expect((await tried(project, "accept", "--verdict", "deferred", "--reason", "tomorrow")).said).toContain(
      "the decision is deferred",
    );
    expect(project.git("log", "--format=%s").trim()).toBe("Begin");
    await project.must("accept", "--verdict", "rejected", "--back-to", "codegen", "--reason", "be general");
    expect(project.stateJson().phase).toBe("codegen");
    for (let step = 0; step < 3; step++) await project.next();
    await project.must("accept", "--reason", "good");
    expect(project.stateJson().phase).toBe("done");
    expect(project.git("show", "HEAD:greet.txt")).toBe("Hello, you!\n");
    expect(project.document("accept/decision.json")).toMatchObject({
      verdict: "accepted",
      reasons: ["good"],
    });
  });
});

describe("stopping and going on", () => {
  it("C10 Ctrl-C halts: what runs may finish, nothing new starts, and `next` goes on", async () => {
    const project = await Lifecycle.begun({ planner: [{ ...json(plan), afterMs: 1500 }] });
    const child = start(["next", "--all", "--agent", "scripted:script.json"], { cwd: project.root });
    const over = ended(child);
    await until("the planner works", () =>
      existsSync(project.path(".heddle/attempts/task-1/planner-1/token")),
    );
    child.kill("SIGINT");
    const { code: exit, out } = await over;
    expect(exit).toBe(130);
    expect(out).toContain("halted: Ctrl-C");
    expect(project.stateJson()).toMatchObject({ phase: "planning", halt: { requested: true } });
    expect((await project.all()).code).toBe(0);
    expect((await project.facts("job-started")).filter(({ role }) => role === "planner")).toHaveLength(1);
  });

  it("C10 a STOP file beside the view halts, and resume takes it away", async () => {
    const project = await Lifecycle.begun();
    project.write(".heddle/tasks/task-1/STOP", "");
    const refused = await tried(project, "next", "--agent", "scripted:script.json");
    expect(refused.code).toBe(1);
    expect(refused.said).toContain("the run is halted: stop_file");
    await project.must("resume");
    expect((await project.all()).code).toBe(0);
  });

  it("C14 a target that is not there, or is no directory, is refused before anything is made", async () => {
    const project = await Lifecycle.begun();
    for (const [target, said] of [
      ["nowhere", "does not exist"],
      ["app/README.md", "is not a directory"],
    ] as const) {
      const refused = await tried(project, "task", "new", "more", "--target", target);
      expect(refused).toMatchObject({ code: 1, said: expect.stringContaining(said) });
    }
    expect(await project.json("task", "list")).toHaveLength(1);
  });

  it("C14 without an agent nothing begins, and the sentence says how to name one", async () => {
    const project = await Lifecycle.begun();
    const { code: exit, said } = await tried(project, "next", ...(hasBox ? [] : ["--unconfined"]));
    expect(exit).toBe(1);
    expect(said).toContain("no agent is named for role `planner`");
    expect(await project.facts("job-started")).toEqual([]);
  });

  it("L3 a plan and a decision that a person wrote by hand need no agent", async () => {
    const project = await Lifecycle.begun();
    project.write(".heddle/tasks/task-1/planning/plan.json", JSON.stringify(plan));
    expect((await project.must("next")).out).toContain("planning -> plan_review");
    for (let step = 0; step < 4; step++) await project.next();
    project.write(".heddle/tasks/task-1/accept/decision.json", '{ "verdict": "accepted" }');
    const dry = await project.json("next", "--dry-run");
    expect(dry.hint).toContain("heddle has not carried it out yet");
    await project.must("next", "--unconfined");
    expect(project.git("log", "-1", "--format=%s").trim()).toBe("task-1: Greet people by name");
    expect(await project.facts("job-failed")).toEqual([]);
  });

  it("C13 history, replay, why and status know the task", async () => {
    const project = await Lifecycle.begun();
    await project.next();
    const { position } = await project.status();
    expect(await project.json("replay", "--at", String(position))).toMatchObject({ phase: "plan_review" });
    expect(await project.json("replay", "--at", "1")).toMatchObject({ phase: "planning", artifacts: {} });
    expect((await project.must("why")).out).toContain("the plan review is missing");
    expect((await project.must("status")).out).not.toContain("no tasks yet");
  });
});
