// `heddle carry`: one order in, what goes on and the outcome out, and nothing left behind. The order is all that it has.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../src/core/input.ts";
import { openRepository, type Repository } from "../../src/host/git/repository.ts";
import { attemptFolder } from "../../src/work/attempt-folder.ts";
import type { Carried, WorkOrder } from "../../src/work/order.ts";
import { roleFolder } from "../../src/work/role-folder.ts";
import { cli } from "../e2e/rig.ts";

const root = mkdtempSync(join(tmpdir(), "heddle-carry-"));
mkdirSync(join(root, ".heddle/attempts"), { recursive: true });
afterAll(() => rmSync(root, { recursive: true, force: true }));

const limits = { wallMs: 60_000, silenceMs: 60_000, outputBytes: 1 << 20, lineBytes: 1 << 16 };
const folder = attemptFolder(join(root, ".heddle"), "plan-1", { task: "T001", attempt: 1 });

/** A role whose agent is this shell script; it gets its bundle's path. */
function role(name: string, script: string): Extract<WorkOrder, { kind: "run-role" }> {
  const program = join(root, `${name}.sh`);
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const box = { kind: "unconfined" } as const;
  const settings = { name, env: [], readable: [], network: false, box, maxTurns: 9, maxCostUsd: 1 };
  return {
    kind: "run-role",
    agent: { kind: "command", settings: { ...settings, program: [program] } },
    limits,
    role: name,
    attempt: 1,
    makes: "file",
    bundle: JSON.stringify({ say: "hello" }),
    folder: roleFolder(join(root, ".heddle"), "plan-1", { role: name, attempt: 1, makes: "spec" }),
    readable: [],
    settings: null,
  };
}

interface Ran {
  readonly lines: readonly Record<string, unknown>[];
  readonly code: number | null;
  readonly error: string;
}

function carry(input: string, { cwd = "/", open = true } = {}): Promise<Ran> {
  return new Promise((settle) => {
    const child = spawn(process.execPath, [cli, "carry"], { cwd, env: { PATH: process.env.PATH } });
    let [out, error] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      error += chunk;
    });
    child.once("close", (code) => {
      const lines = out.split("\n").filter((line) => line !== "");
      settle({ lines: lines.map((line) => JSON.parse(line)), code, error });
    });
    child.stdin.write(input);
    if (!open) child.stdin.end();
  });
}

const outcomeOf = ({ lines }: Ran) => (lines.at(-1)?.carried as Carried | undefined)?.outcome;

async function repositoryWith(files: Readonly<Record<string, string>>): Promise<Repository> {
  const target = mkdtempSync(join(root, "app-"));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(target, path), text);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", target, "-c", "user.name=Ada", "-c", "user.email=a@b.c", ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "Begin");
  const opened = await openRepository({ target, privateDir: join(root, "private.git"), exclude: [] });
  if ("code" in opened) throw new Error(opened.message);
  return opened;
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}`);

describe("heddle carry", () => {
  it("X1 has an agent work by the order alone, and tells what it does and how it ended", async () => {
    const order = role("talker", 'echo working; cat "$1"; echo made > "$HEDDLE_OUTPUT"');
    const ran = await carry(`${JSON.stringify({ order })}\n`);
    const said = ran.lines.flatMap(({ event }) => (event ? [event] : []));
    expect(said).toContainEqual({
      who: "talker",
      agent: "talker",
      event: { kind: "said", text: "working" },
    });
    expect(JSON.stringify(said)).toContain("hello");
    expect(outcomeOf(ran)).toMatchObject({ ok: true });
    expect(readFileSync(order.folder.output, "utf8")).toBe("made\n");
    expect(ran.code).toBe(0);
  });

  it("C14 says in one sentence that there is no order, and what one looks like", async () => {
    const ran = await carry('{"order":{"kind":"make-coffee"}}\n', { open: false });
    expect(ran.code).toBe(1);
    expect(ran.error).toContain("does not begin with an order");
    expect(ran.error).toContain("run-checks");
    expect(ran.error).not.toContain(" at ");
  });

  it("G5 ends its agent when whoever gave the order is killed", async () => {
    const pids = join(root, "pids");
    const order = role("sleeper", `echo $$ > ${pids}; sleep 300`);
    const given = join(root, "given.json");
    writeFileSync(given, `${JSON.stringify({ order })}\n`);
    // The parent holds the input open, and dies with it.
    const source = `const c = require("node:child_process").spawn(process.execPath, [${JSON.stringify(cli)}, "carry"], { stdio: ["pipe", "inherit", "inherit"], detached: true });
      c.stdin.write(require("node:fs").readFileSync(${JSON.stringify(given)})); console.log(c.pid); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "ignore"] });
    const carrier = await new Promise<number>((settle) =>
      parent.stdout.once("data", (pid) => settle(Number(pid))),
    );
    const begun = performance.now() + 10_000;
    while (!existsSync(pids) && performance.now() < begun) await sleep(20);
    const agent = Number(readFileSync(pids, "utf8"));
    expect([isAlive(carrier), isAlive(agent)]).toEqual([true, true]);
    parent.kill("SIGKILL");
    const until = performance.now() + 10_000;
    while ((isAlive(carrier) || isAlive(agent)) && performance.now() < until) await sleep(20);
    expect([isAlive(carrier), isAlive(agent)]).toEqual([false, false]);
  });

  it("X8 checks a tree in another folder, with nothing but the order and a repository to fetch from", async () => {
    const repository = await repositoryWith({ "answer.txt": "42\n" });
    const commit = repository.head ?? "";
    const tree = execFileSync("git", ["--git-dir", repository.gitDir, "rev-parse", `${commit}^{tree}`], {
      encoding: "utf8",
    }).trim();
    const bench = { sandbox: null, readable: [], env: [], limits };
    const there = JSON.parse(JSON.stringify(folder).replaceAll(join(root, ".heddle"), "%place%"));
    const order: WorkOrder = {
      kind: "run-checks",
      repository,
      bench,
      setUp: { commands: [], reads: undefined, bench, network: false, cache: "%place%/setup", attempt: null },
      network: false,
      folder: there,
      criteria: [{ criterion: "it is 42", command: "grep 42 answer.txt && pwd" }],
      mark: "carry-test",
      tree,
      commit,
    };
    const place = join(root, "elsewhere");
    mkdirSync(place);
    const away = { origin: repository.gitDir, commits: [commit], files: {} };
    const ran = await carry(`${JSON.stringify({ order, away })}\n`, { cwd: place });
    expect(outcomeOf(ran) as Outcome).toMatchObject({ ok: true, evidence: { tree, checks: [{ ok: true }] } });
    const kept = ran.lines.flatMap(({ kept }) => (kept ? [kept as { path: string; text: string }] : []));
    expect(kept.map(({ path }) => path)).toContainEqual(
      expect.stringMatching(/^%place%\/attempts\/plan-1\/T001-1\/checks\/.*\.out$/),
    );
    // What it printed is told by the mark of the place, and lies there.
    expect(kept.map(({ text }) => text).join("")).toContain("%place%/attempts/");
    expect(JSON.stringify(ran.lines)).not.toContain(place);
    expect(existsSync(join(root, ".heddle", "attempts", "plan-1", "T001-1"))).toBe(false);
  });

  it("C5 gives orders and says outcomes that JSON changes nothing of", () => {
    // The compiler looks at every kind of order: a function, and so a map or a date, is no JSON.
    const isPlain: IsPlain<WorkOrder> = true;
    expect(isPlain).toBe(true);
    const order = role("plain", "true");
    expect(JSON.parse(JSON.stringify(order))).toEqual(order);
  });
});

/** Whether a function lies somewhere in it, some levels deep. */
type Holds<T, Depth extends readonly 0[] = []> = Depth["length"] extends 6
  ? never
  : T extends (...args: never[]) => unknown
    ? true
    : T extends readonly (infer E)[]
      ? Holds<E, [...Depth, 0]>
      : T extends object
        ? { [K in keyof T]: Holds<T[K], [...Depth, 0]> }[keyof T]
        : never;
type IsPlain<T> = [Extract<Holds<T>, true>] extends [never] ? true : false;
