// What a role is given: its skill, its bundle, and how large they are (C16, D17).
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { attemptIn } from "../execute/rig.ts";
import { confined, Planning, readyPlan, roles } from "./rig.ts";

describe("a planning bundle", () => {
  let project: Planning;
  beforeAll(async () => {
    project = await readyPlan();
  });

  it("holds the role's skill, whole", () => {
    for (const role of roles) expect(project.bundle(`${role}-1`).skill).toContain(`name: ${role}`);
  });

  it("X7 names no more inputs than the role needs, each with its checksum", () => {
    const named = (role: string) => Object.keys(project.bundle(`${role}-1`).inputs);
    expect(named("logic-architect")).toEqual(["spec"]);
    expect(named("physical-architect")).toEqual(["spec", "capability_map"]);
    expect(named("plan-auditor")).toEqual(["capability_map", "tasks"]);
    const { path, sha256 } = project.bundle("logic-architect-1").inputs.spec;
    expect(sha256).toBe(createHash("sha256").update(readFileSync(path)).digest("hex"));
  });

  it("D17 names a schema that is there", () => {
    for (const role of roles)
      expect(JSON.parse(readFileSync(project.bundle(`${role}-1`).output.schema, "utf8"))).toHaveProperty(
        "type",
      );
  });

  it("C11 says how to log", () => {
    const { command, levels } = project.bundle("task-author-1").logging;
    expect(command).toMatch(/ log <LEVEL> task-author <event> <message>$/);
    expect(levels).toMatchObject({ start: "INFO", warning: "WARN", error: "ERROR" });
  });

  it("D17 its check command finds what is wrong, by exit code and with place", async () => {
    const { output } = project.bundle("logic-architect-1");
    const bundle = project.attempt("logic-architect-1", "bundle.json");
    expect(output.check).toContain(bundle);
    expect((await project.heddle("check-output", bundle)).code).toBe(0);
    const map = JSON.parse(readFileSync(output.path, "utf8"));
    map.flows[0].steps[0].behavior_id = "B99";
    project.write(output.path.slice(project.root.length + 1), JSON.stringify(map, null, 2));
    const wrong = await project.heddle("check-output", bundle);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toMatch(/B99.*\n --> .*capability-map\.json:\d+:\d+/);
  });

  it("C14 check-output of something else is refused in one sentence", async () => {
    const { code, err } = await project.heddle("check-output", "spec.md");
    expect(code).toBe(1);
    expect(err).toContain("is not a bundle of a role");
  });

  it("is shown with its size, part by part", async () => {
    const { out } = await project.must("bundle", "show", "logic-architect", "--size");
    expect(out).toMatch(/^ +\d+ {2}skill$/m);
    expect(out).toMatch(/^ +\d+ {2}in all$/m);
    const sizes = await project.json("bundle", "show", "logic-architect", "--size");
    expect(sizes.total).toBeLessThan(40_000);
  });

  it("is shown whole", async () => {
    expect(await project.json("bundle", "show", "task-author")).toMatchObject({ role: "task-author" });
  });

  it("C14 of a role that was never started is refused, with something to type", async () => {
    const { code, err } = await project.heddle("bundle", "show", "fixer");
    expect(code).toBe(1);
    expect(err).toMatch(/^error: .*\n( -->.*\n)?hint: /);
  });
});

describe("a project's own skill", () => {
  it("takes the place of ours, and is what the agent reads", async () => {
    const project = new Planning();
    project.write(".heddle/roles/logic-architect/SKILL.md", "---\nname: ours\n---\nThink twice.\n");
    await project.plan();
    expect(project.bundle("logic-architect-1").skill).toContain("Think twice.");
    expect(project.bundle("physical-architect-1").skill).toContain("name: physical-architect");
  });
});

describe("the program's surroundings", () => {
  it("Names: role, attempt, output and token file are in the environment, the bundle's path is the last word", async () => {
    const project = new Planning({
      "logic-architect": [
        "say(JSON.stringify({ seen: [process.env.HEDDLE_ROLE, process.env.HEDDLE_ATTEMPT, process.env.HEDDLE_TASK, out === bundle.output.path, fs.existsSync(process.env.HEDDLE_TOKEN_FILE), process.argv.length] })); good()",
      ],
    });
    const { out } = await project.plan();
    expect(out).toContain('{"seen":["logic-architect","1","",true,true,3]}');
  });

  it("D17 the folder for tasks is there before the author starts", async () => {
    const project = new Planning({
      "task-author": ["say('there: ' + fs.statSync(out).isDirectory()); good()"],
    });
    expect((await project.plan()).out).toContain("there: true");
  });

  it("C10 Ctrl-C lets the agent finish, exits 130, and `plan` goes on without paying twice", async () => {
    const project = new Planning({
      "logic-architect": [
        "fs.writeFileSync(path.join(bundle.target_dir, 'begun'), ''); const wait = setInterval(() => { if (fs.existsSync(path.join(bundle.target_dir, 'go'))) { clearInterval(wait); good(); } }, 20)",
      ],
    });
    const child = start(
      ["plan", "spec.md", "--target", "app", "--new", "--agent", "command:./agent.cjs", "--unconfined"],
      {
        cwd: project.root,
      },
    );
    const over = ended(child);
    await until("the agent's start", () => project.has("app/begun"));
    child.kill("SIGINT");
    project.write("app/go", "");
    const interrupted = await over;
    expect(interrupted.code).toBe(130);
    expect(interrupted.out).toMatch(/hint: heddle plan( --unconfined)? goes on/);
    const { code, out, err } = await project.again();
    expect(code, out + err).toBe(0);
    expect(project.attempts("logic-architect")).toHaveLength(1);
  });

  it("C10 Ctrl-C twice stops the agent, and what it had used is counted when `plan` goes on", async () => {
    const project = new Planning({
      "logic-architect": [
        "say({ type: 'usage', input_tokens: 70, output_tokens: 7, cost_usd: 0.5 }); hang()",
        "good()",
      ],
    });
    const words = ["plan", "spec.md", "--target", "app", "--new", ...confined(false)];
    const child = start(words, { cwd: project.root });
    const over = ended(child);
    await until(
      "what it used",
      () => existsSync(used(project)) && /spent/.test(readFileSync(used(project), "utf8")),
    );
    child.kill("SIGINT");
    const halted = async () => (await project.history()).some(({ fact }) => fact.kind === "halt-requested");
    await until("the run halts", halted);
    child.kill("SIGINT");
    expect((await over).code).toBe(130);
    const { code, out, err } = await project.again();
    expect(code, out + err).toBe(0);
    expect((await project.status()).usage).toEqual({
      input_tokens: 70,
      output_tokens: 7,
      cost_usd: 0,
      unknown_costs: 1,
    });
    expect(project.attempts("logic-architect")).toHaveLength(2);
  });
});

/** What the first attempt told of itself, where it is at work. */
const used = (project: Planning) => attemptIn(project, "logic-architect-1", "events.jsonl");
