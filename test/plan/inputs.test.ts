// What planning is given: the specification, the target, the stack, an existing project (D2–D5).
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectOneError } from "../e2e/whole.ts";
import { hasBox } from "../needs.ts";
import { confined, Planning, readyPlan, roles } from "./rig.ts";

const script = ["--agent", "scripted:script.json"];
/** Stops right after the inputs were taken. */
const stop = { "logic-architect": [{ text: "", ends: "crashed" }] };

function quick(): Planning {
  const project = new Planning();
  project.write("script.json", JSON.stringify(stop));
  project.config({ attempts: 1 });
  return project;
}

const storedSpec = (project: Planning) => readFileSync(project.path("project-planning/inputs/spec.md"));

describe.concurrent("the specification", () => {
  const odd = Buffer.from("\uFEFF# Odd\r\n\r\n- REQ-1: tabs\tand – dashes\r\nno end of line");

  it("D4 is stored byte for byte from a file, and its SHA-256 is recorded", async () => {
    const project = quick();
    project.write("spec.md", odd);
    await project.heddle("plan", "spec.md", "--target", "app", "--new", ...script);
    expect(storedSpec(project)).toEqual(odd);
    const registered = (await project.history()).find(({ fact }) => fact.artifact === "spec");
    expect(registered?.fact.digest).toContain(createHash("sha256").update(odd).digest("hex"));
  });

  it("D3 D4 is stored byte for byte from standard input", async () => {
    const project = quick();
    await project.in({ input: odd.toString() }, "plan", "-", "--target", "app", "--new", ...script);
    expect(storedSpec(project)).toEqual(odd);
  });

  it("D4 is never changed: one that is not UTF-8 is stored as it is, or refused", async () => {
    const project = quick();
    const bytes = Buffer.from([0x23, 0x20, 0xe9, 0x74, 0xe9, 0x0a]);
    project.write("spec.md", bytes);
    const { err } = await project.heddle("plan", "spec.md", "--target", "app", "--new", ...script);
    if (project.has("project-planning/inputs/spec.md")) expect(storedSpec(project)).toEqual(bytes);
    else expect(err).toMatch(/UTF-8/);
  });

  it("D3 is asked for by name where there is no terminal, and what was found is offered", async () => {
    const project = quick();
    const ran = await project.heddle("plan", "--target", "app", "--new", ...script);
    expect(ran.code).toBe(64);
    expectOneError(ran);
    expect(ran.err).toContain("spec.md");
  });

  it("D3 says which flag is missing: --target", async () => {
    const ran = await quick().heddle("plan", "spec.md", "--new", ...script);
    expect(ran.code).toBe(64);
    expectOneError(ran);
    expect(ran.err).toContain("--target");
  });

  it("C14 that does not exist is named, with the person's own word", async () => {
    const ran = await quick().heddle("plan", "nothing.md", "--target", "app", "--new", ...script);
    expect(ran.code).toBe(1);
    expectOneError(ran);
    expect(ran.err).toContain("nothing.md");
  });

  it("C14 that is empty is refused before anybody is paid", async () => {
    const project = quick();
    project.write("spec.md", " \n");
    const ran = await project.heddle("plan", "spec.md", "--target", "app", "--new", ...script);
    expect(ran.code).toBe(1);
    expect(ran.out + ran.err).toMatch(/empty/);
    expect(project.attempts()).toEqual([]);
  });

  it("D4 that is there is used, and given once more it is the same", async () => {
    const project = quick();
    await project.heddle("plan", "spec.md", "--target", "app", "--new", ...script);
    const { err } = await project.heddle("plan", "spec.md", ...script);
    expect(err).not.toContain("--replace-spec");
  });

  it("D4 is not replaced by another without --replace-spec", async () => {
    const project = await readyPlan();
    project.write("other.md", "# Other\n\n- REQ-1: something else\n");
    const before = storedSpec(project);
    const ran = await project.heddle("plan", "other.md", ...script);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("--replace-spec");
    expect(storedSpec(project)).toEqual(before);
  });

  it("D4 D16 replaced, makes everything made from it stale: the roles run again, and the same output may be right again", async () => {
    const project = await readyPlan();
    project.write("other.md", `${project.text("spec.md")}\nA last remark.\n`);
    const { code, out, err } = await project.heddle("plan", "other.md", "--replace-spec", ...script);
    expect(project.attempts("logic-architect").length, out + err).toBeGreaterThan(1);
    expect(code, out + err).toBe(0);
    expect(await project.phase()).toBe("ready");
  });

  it("D4 edited in its place, makes everything made from it stale too", async () => {
    const project = await readyPlan();
    project.write("project-planning/inputs/spec.md", `${project.text("spec.md")}\nA last remark.\n`);
    const { out, err } = await project.heddle("plan", ...script);
    expect(project.attempts("logic-architect").length, out + err).toBeGreaterThan(1);
  });
});

describe.concurrent("the target", () => {
  it("D5 that does not exist is an error for an existing project", async () => {
    const project = quick();
    const words = ["plan", "spec.md", "--target", "nowhere", "--existing", "--yes"];
    const ran = await project.heddle(...words, ...script);
    expect(ran.code).toBe(1);
    expectOneError(ran);
    expect(ran.err).toContain("nowhere");
  });

  it("D3 cannot be new and existing at once", async () => {
    const ran = await quick().heddle("plan", "spec.md", "--target", "app", "--new", "--existing", ...script);
    expect(ran.code).toBe(64);
    expectOneError(ran);
  });

  it("D3 another one than the plan's is refused, not ignored", async () => {
    const project = await readyPlan();
    const ran = await project.heddle("plan", "--target", "elsewhere", ...script);
    expect(ran.code).not.toBe(0);
    expect(ran.err).toContain("elsewhere");
  });
});

describe.concurrent("an existing project", () => {
  function existing(): Planning {
    const project = new Planning();
    project.config({ attempts: 2 });
    project.write("app/package.json", '{ "name": "old", "scripts": { "test": "node --test" } }');
    project.write("app/lib/index.js", 'import { x } from "./x.js";\nexport const y = x;\n');
    return project;
  }
  const words = ["plan", "spec.md", "--target", "app", ...confined(false)];

  it("D5 is looked at and shown, and nothing starts before it is confirmed", async () => {
    const project = existing();
    const ran = await project.heddle(...words, "--existing");
    expect(ran.code).toBe(64);
    expect(ran.err).toMatch(/hint: heddle plan spec\.md --target app .*--existing .*--yes$/m);
    expect(ran.out).toMatch(/node/i);
    expect(project.attempts()).toEqual([]);
    expect(project.has("project-planning/artifacts/project-context.json")).toBe(false);
  });

  it("U1 the hint repeats all that was said, as a shell takes it", async () => {
    const more = ["--existing", "--stack", "node, and nobody's framework"];
    const ran = await existing().heddle(...words, ...more);
    expect(ran.err).toContain("heddle plan spec.md --target app --stack 'node, and nobody'\\''s framework' ");
  });

  it("D5 with --yes its context is saved, and is in every planning bundle", async () => {
    const project = existing();
    const { code, out, err } = await project.heddle(...words, "--existing", "--yes");
    // The example creates a package.json, which is there already: that is refused, and rightly.
    expect([0, 1], err).toContain(code);
    const context = JSON.parse(project.text("project-planning/artifacts/project-context.json"));
    const bundles = project.attempts().map((name) => project.bundle(name));
    expect(bundles.length, out).toBeGreaterThan(1);
    for (const bundle of bundles) {
      expect(bundle.project_context).toEqual(context);
      expect(bundle.project_type).toBe("existing");
    }
  });

  it("D8 `create` of a file that is there goes back to the agent", async () => {
    const project = existing();
    await project.heddle(...words, "--existing", "--yes");
    expect(project.bundle("physical-architect-2").problems.join("\n")).toContain("package.json");
  });

  it("D5 is recognised by its files when nothing was said", async () => {
    const project = existing();
    await project.heddle(...words, "--yes");
    expect(project.has("project-planning/artifacts/project-context.json")).toBe(true);
  });
});

describe("the tech stack", () => {
  it("D3 is in every planning bundle as a constraint, and in the plan's metadata", async () => {
    const project = new Planning();
    await project.plan("--stack", "Deno and SQLite");
    for (const role of roles)
      expect(project.bundle(`${role}-1`).constraints).toEqual({ tech_stack: "Deno and SQLite" });
    expect(
      project.stateJson().metadata ?? JSON.parse(project.text("project-planning/state.json")),
    ).toMatchObject({
      tech_stack: "Deno and SQLite",
    });
  });
});

describe("D13 preferences", () => {
  it("of the target and the person's own reach the author and the verifier, and nobody else", async () => {
    const project = new Planning();
    project.write("app/AGENTS.md", "Use tabs.\n");
    const home = project.path("home");
    mkdirSync(`${home}/.claude`, { recursive: true });
    project.write("home/.claude/CLAUDE.md", "Never use lodash.\n");
    await project.in(
      { env: { HOME: home } },
      "plan",
      "spec.md",
      "--target",
      "app",
      "--new",
      ...confined(false),
    );
    for (const role of ["task-author-1", "task-plan-verifier-1"]) {
      const { preferences } = project.bundle(role);
      expect(JSON.stringify(preferences)).toContain("Use tabs.");
      expect(JSON.stringify(preferences)).toContain("Never use lodash.");
    }
    expect(project.bundle("logic-architect-1").preferences).toEqual([]);
    rmSync(home, { recursive: true });
  });
});

describe.concurrent("the agent", () => {
  it("U1 must be named: without one the refusal says how, before anybody is started", async () => {
    const ran = await new Planning().heddle("plan", "spec.md", "--target", "app", "--new");
    expect(ran.code).toBe(64);
    expectOneError(ran);
    expect(ran.err).toContain("--agent command:");
  });

  it("U1 that is misspelt is told from the configured ones", async () => {
    const project = new Planning();
    project.config({ agents: { helper: { command: ["./agent.cjs"] } } });
    const open = hasBox ? [] : ["--unconfined"];
    const ran = await project.heddle(
      "plan",
      "spec.md",
      "--target",
      "app",
      "--new",
      "--agent",
      "helpr",
      ...open,
    );
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("did you mean `helper`?");
  });

  it("U1 can be chosen per role in the configuration", async () => {
    const project = new Planning();
    project.config({
      unconfined: true,
      agent: "main",
      agents: { main: { command: ["./agent.cjs"] }, judge: { command: ["./agent.cjs", "--strict"] } },
      roles: { "task-plan-verifier": { agent: "judge" } },
    });
    project.program(
      project
        .text("agent.cjs")
        .replace("process.argv[2]", "process.argv.at(-1)")
        .replace("eval(", "say('words: ' + process.argv.length); eval("),
    );
    const { code, out, err } = await project.heddle("plan", "spec.md", "--target", "app", "--new");
    expect(code, err).toBe(0);
    expect(out).toContain("task-plan-verifier: words: 4");
    expect(out).toContain("task-author: words: 3");
  });
});
