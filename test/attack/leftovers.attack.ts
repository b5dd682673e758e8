// What agents and checks print and leave behind: absurd numbers, links to themselves, folders that may not be written or are
// deeper than any path, names that are no text, pipes and sockets. None of it crashes, freezes or wedges the orchestrator.
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDoor } from "../../src/work/inside/door.ts";
import { canMount, Namespace } from "../e2e/namespace.ts";
import { ended, folder, type Options, start } from "../e2e/rig.ts";
import { Execution, hasBox } from "../execute/rig.ts";

const nobody: Options = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Makes a tree by a small program of its own, as the user whom everything runs as; without a path that could be too long. */
const python = (code: string) => `execFileSync("python3", ["-c", ${JSON.stringify(code)}])`;

const deep = `
import os
for n in range(6000):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
`;

const strange = `
import os, socket
os.mkdir(b"\\xff" * 255)
os.mkfifo("pipe")
socket.socket(socket.AF_UNIX).bind("socket")
os.symlink(".", "loop"); os.symlink(".", "again"); os.symlink("/etc", "host")
os.makedirs("mod/cache"); open("mod/cache/file", "w").close()
os.chmod("mod/cache", 0o555); os.chmod("mod", 0)
`;

/** As somebody who is not root: for root no folder is read-only. */
async function executeAsNobody(project: Execution) {
  if (nobody.uid) execFileSync("chown", ["-R", `${nobody.uid}:${nobody.gid}`, project.root]);
  const words = ["execute", "--batch", "--agent", "command:./agent.cjs", "--unconfined"];
  const env = { HOME: project.root, TMPDIR: project.root };
  const ran = await ended(start(words, { cwd: project.root, env, ...nobody }));
  if (nobody.uid) execFileSync("chown", ["-R", "-h", "0:0", project.root]);
  return ran;
}

describe("what is printed", () => {
  it("C13 two lines of 1e308 tokens leave a journal that can be proven", async () => {
    const usage = { type: "usage", input_tokens: 1e308, output_tokens: 1e308, cost_usd: 0 };
    const line = `say(${JSON.stringify(usage)});`;
    const project = await Execution.ready({ tasks: 2 }, { "*": [`${line}${line} good()`] });
    const ran = await project.execute();
    expect(ran.code, ran.out + ran.err).toBe(0);
    expect((await project.heddle("verify")).code).toBe(0);
    for (const fact of await project.facts("usage-recorded"))
      expect(Number.isSafeInteger(fact.inputTokens), String(fact.inputTokens)).toBe(true);
  });
});

describe("what is left behind", () => {
  it("G5 folders that may not be written, pipes, loops and odd names in the agent's home and workspace", async () => {
    const mess = `const { execFileSync } = require("node:child_process");
      for (const at of [process.env.HOME, path.join(process.cwd(), "left")]) {
        fs.mkdirSync(at, { recursive: true }); process.chdir(at); ${python(strange)}; ${python(deep)};
      }`;
    const inWorkspace = "const before = process.cwd();";
    const project = await Execution.ready(
      { tasks: 2 },
      { "*": [`${inWorkspace} ${mess} process.chdir(before); good()`] },
    );
    project.write("app/.gitignore", "left/\n");
    project.git("add", ".gitignore");
    project.git("-c", "user.name=Ada", "-c", "user.email=a@x", "commit", "-qm", "Ignore");
    project.config({ limits: {}, setup: ["true"] });
    const ran = await executeAsNobody(project);
    expect(ran.code, ran.out + ran.err).toBe(0);
    for (const name of project.attempts().filter((each) => /^T\d+-1$/.test(each)))
      for (const part of ["work", "home"])
        expect(existsSync(project.attempt(name, part)), `${name}/${part}`).toBe(false);
  });

  it("G5 a read-only folder that an acceptance command left stops no later task", async () => {
    const check = "mkdir -p cache/a && touch cache/a/f && chmod -R a-w cache && test -f src/T001.txt";
    const more = () => ({ acceptance_criteria: [{ criterion: "it is there", verification: check }] });
    const project = await Execution.ready({ tasks: 1, more });
    const ran = await executeAsNobody(project);
    expect(ran.code, ran.out + ran.err).toBe(0);
    expect(
      project
        .attempts()
        .flatMap((name) => readdirSync(project.attempt(name)))
        .join(),
    ).not.toMatch(/room/);
  });
});

describe.runIf(hasBox && canMount)("a full disk", () => {
  it("G7 while an agent reports over its socket and at its end: nobody crashes, and it goes on", async () => {
    const talk = `const said = [];
      for (let n = 0; n < 3; n++) said.push(spawnSync("heddle", ["state", "log-activity", "INFO", task, "x", "y"]).status);
      for (let n = 0; n < 3; n++) said.push(spawnSync("heddle", ["progress", "still at it"], { encoding: "utf8" }).status);
      spawnSync("heddle", ["state", "complete-task", task], { encoding: "utf8" });`;
    const project = await Execution.ready({ tasks: 1 }, { "*": [`write(); sleep(1500); ${talk}`, "good()"] });
    const { root } = project;
    const copy = folder();
    execFileSync("cp", ["-a", `${root}/.`, copy]);
    const space = await Namespace.open(`mount -t tmpfs -o size=24m none ${root}; cp -a ${copy}/. ${root}`);
    try {
      const inside = (...words: readonly string[]) => space.heddle(root, ...words);
      const running = inside(...project.words, "--batch");
      const started = space.path(`${root}/.heddle/attempts/plan-1/T001-1/started.json`);
      while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 20));
      spawnSync("sh", ["-c", `head -c 100m /dev/zero > ${space.path(`${root}/filler`)}`]);
      const stopped = await running;
      expect(stopped.err + stopped.out).not.toMatch(/\n\s+at .*\(.*:\d+:\d+\)/);
      expect([0, 1, 74], stopped.out + stopped.err).toContain(stopped.code);
      execFileSync("rm", [space.path(`${root}/filler`)]);
      await inside("resume");
      for (let n = 0; n < 3; n++) await inside(...project.words, "--batch");
      expect(JSON.parse((await inside("status", "--json")).out)).toMatchObject({ phase: "complete" });
      expect((await inside("verify")).code).toBe(0);
    } finally {
      space.close();
    }
  });
});

describe("a request over an attempt's socket", () => {
  it("G7 that cannot be written down is answered so, and the orchestrator goes on", async () => {
    const place = folder();
    const at = (name: string) => join(place, name);
    writeFileSync(at("token"), "secret");
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const door = await openDoor({
      ...{ task: "T001", who: "executor", attempt: 1, left: { lines: 10, refusals: 10 } },
      folder: {
        folder: place,
        ...{ bundle: at("b"), token: at("token"), events: at("e") },
        asked: at("a"),
        proposed: at("p"),
      },
      submit: async () => undefined,
      log: () => {
        throw full;
      },
      now: () => "now",
      redact: (text) => text,
      watch: () => {},
    });
    try {
      const socket = connect(door.path);
      socket.write(
        `${JSON.stringify({ token: "secret", what: "log", level: "INFO", event: "x", message: "y" })}\n`,
      );
      const [said] = (await once(socket.setEncoding("utf8"), "data")) as [string];
      expect(JSON.parse(said)).toEqual({ ok: false, message: "heddle could not take it down (ENOSPC)" });
    } finally {
      await door.close();
    }
  });
});
