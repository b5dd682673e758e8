// What a planning agent can reach: its own attempt and nothing else (C16, D17; architecture §5).
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { ended, pathWithoutBox, start } from "../e2e/rig.ts";
import { confined, example, hasBox, Planning } from "./rig.ts";

/** Runs `code` and says under `name` whether it worked. */
const tries = (attempts: Readonly<Record<string, string>>) =>
  Object.entries(attempts)
    .map(
      ([name, code]) =>
        `try { ${code}; say("can ${name}") } catch (error) { say("cannot ${name}: " + error.code) }`,
    )
    .join("\n");

const first = ["plan", "spec.md", "--target", "app", "--new"];

describe.skipIf(!hasBox)("an agent in the box (left out without bubblewrap)", () => {
  const project = new Planning();
  const root = project.root;
  let said = "";
  beforeAll(async () => {
    const home = project.path("person");
    mkdirSync(`${home}/.ssh`, { recursive: true });
    project.write("person/.ssh/id_rsa", "private");
    execFileSync("git", ["init", "-q", project.path("app")]);
    const look = tries({
      "write the plan": `fs.writeFileSync("${root}/project-planning/inputs/spec.md", "mine")`,
      "make a file in the plan": `fs.writeFileSync("${root}/project-planning/tasks/T999.json", "{}")`,
      "read the journal": `fs.readFileSync("${root}/.heddle/heddle.db")`,
      "write the journal": `fs.writeFileSync("${root}/.heddle/heddle.db", "x")`,
      "write the target": `fs.writeFileSync("${root}/app/index.js", "mine")`,
      "write its bundle": `fs.writeFileSync(process.argv[2], "{}")`,
      "write the skill": `fs.writeFileSync("${example}/spec.md", "x")`,
      "say that it ended": `fs.writeFileSync(path.join(path.dirname(process.argv[2]), "ended.json"), '{"ok":false,"error":"forged"}')`,
      "make another attempt": `fs.mkdirSync("${root}/.heddle/attempts/plan-1/physical-architect-7", { recursive: true })`,
      "write the configuration": `fs.writeFileSync("${root}/.heddle/config.json", "{}")`,
      "read the person's keys": `fs.readFileSync("${home}/.ssh/id_rsa")`,
      "read the target's objects": `fs.readFileSync("${root}/app/.git/HEAD")`,
      "write its workspace": 'fs.writeFileSync("scratch.txt", "x")',
      "write its home": 'fs.writeFileSync(path.join(process.env.HOME, "x"), "x")',
    });
    const facts = 'say("home is " + process.env.HOME); say("cwd is " + process.cwd());';
    const check = 'say("check says " + execSync(bundle.output.check, { encoding: "utf8" }));';
    project.agent({ "logic-architect": [`${look}; ${facts} good(); ${check}`] });
    const ran = await project.in({ env: { HOME: home } }, ...first, ...confined(true));
    said = ran.out + ran.err;
  });

  it("C16 cannot write the plan, the target or its bundle", () => {
    for (const what of ["the plan", "the target", "its bundle", "the skill"])
      expect(said).toContain(`cannot write ${what}`);
    expect(said).toContain("cannot make a file in the plan");
  });

  // Around what it is shown there is nothing but the box's own /tmp: a write there may work, and reaches nobody.
  it("C16 does not reach the journal, the configuration or another attempt, whatever it writes", async () => {
    expect(said).toContain("cannot read the journal");
    expect((await project.heddle("verify")).code).toBe(0);
    expect(project.has(".heddle/config.json")).toBe(false);
    expect(project.has(".heddle/attempts/plan-1/physical-architect-7")).toBe(false);
  });

  it("G9 does not see what the person stashed or dropped in the target", () => {
    expect(said).toContain("cannot read the target's objects");
    expect(project.has("app/.git/HEAD")).toBe(true);
  });

  it("D17 does not say for heddle that it ended", () => {
    const { ok, error } = JSON.parse(
      readFileSync(project.attempt("logic-architect-1", "ended.json"), "utf8"),
    );
    expect({ ok, error }).toEqual({ ok: true, error: undefined });
  });

  it("sees a home of its own and not the person's", () => {
    expect(said).toContain("cannot read the person's keys");
    expect(said).toContain(`home is ${project.attempt("logic-architect-1", "home")}`);
  });

  it("C16 has a workspace that exists, as its current directory", () => {
    expect(said).toContain("can write its workspace");
    expect(said).toContain("can write its home");
    expect(said).toContain(`cwd is ${project.attempt("logic-architect-1", "work")}`);
  });

  it("D17 can run the check command that its bundle names", () => {
    expect(said).toMatch(/check says .*capability-map\.json is right/);
  });

  it("gets to `ready` for all that", async () => {
    expect(await project.phase()).toBe("ready");
  });
});

describe
  .skipIf(!hasBox)
  .concurrent("an output that is not what it seems (left out without bubblewrap)", () => {
    it("a link to a file of the person is not read, and what it names is not copied anywhere", async () => {
      const project = new Planning();
      project.config({ attempts: 1 });
      project.write("secret.txt", '{ "token": "the person\'s own words", }');
      project.agent({
        "logic-architect": [`fs.symlinkSync("${project.path("secret.txt")}", out)`],
        fixer: [
          'try { say("got: " + fs.readFileSync(bundle.inputs.broken.path, "utf8")) } catch { say("got nothing") }',
        ],
      });
      const { out } = await project.boxed();
      expect(out).not.toMatch(/got: .*the person's own words/);
      const copies = project.files(".heddle").filter(([, text]) => text.includes("the person's own words"));
      expect(copies.map(([file]) => file)).toEqual([]);
    });

    it("a link in the place of the task folder does not make heddle write where it points", async () => {
      const project = new Planning();
      project.config({ attempts: 1 });
      const text = '{\n  // kept\n  "strict": true,\n}\n';
      project.write("app/tsconfig.json", text);
      project.agent({
        "task-author": [`fs.rmdirSync(out); fs.symlinkSync("${project.path("app")}", out)`],
        fixer: ["put('{}')"],
      });
      await project.boxed();
      expect(project.text("app/tsconfig.json")).toBe(text);
      expect(project.has("app/tsconfig.json.raw")).toBe(false);
    });

    it("a pipe does not make heddle wait for ever", async () => {
      const project = new Planning();
      project.config({ attempts: 1 });
      project.agent({ "logic-architect": ['execSync("mkfifo " + out)'] });
      const child = start([...first, ...confined(true)], { cwd: project.root });
      const patience = setTimeout(() => child.kill("SIGKILL"), 30_000);
      const { code, signal } = await ended(child);
      clearTimeout(patience);
      expect({ code, signal }).toEqual({ code: 1, signal: null });
    });

    it("a folder in the place of a file is refused in one sentence", async () => {
      const project = new Planning();
      project.config({ attempts: 1 });
      project.agent({ "logic-architect": ["fs.mkdirSync(out)"] });
      const { code, out } = await project.boxed();
      expect(code).toBe(1);
      expect(out).toMatch(/HALTED: logic-architect failed(?: \d times)?/);
    });
  });

describe.concurrent("where there is no bubblewrap", () => {
  it("refuses in a sentence, with what to install and how to do without, before anybody is started", async () => {
    const project = new Planning();
    const { code, err } = await project.in({ env: { PATH: pathWithoutBox() } }, ...first, ...confined(true));
    expect(code).toBe(1);
    expect(err).toContain("bubblewrap");
    expect(err).toContain("--unconfined");
    expect(project.attempts()).toEqual([]);
  });

  it("goes on with --unconfined, and every view says so", async () => {
    const project = new Planning();
    const ran = await project.in({ env: { PATH: pathWithoutBox() } }, ...first, ...confined(false));
    expect(ran.code, ran.err).toBe(0);
    expect((await project.must("status")).out).toContain("UNCONFINED");
    expect(JSON.stringify(await project.status())).toMatch(/unconfined/i);
  });

  it("a scripted agent needs no box", async () => {
    const project = new Planning();
    const script = `scripted:${example}/script.json`;
    const ran = await project.in({ env: { PATH: pathWithoutBox() } }, ...first, "--agent", script);
    expect(ran.code, ran.err).toBe(0);
  });
});
