// Repositories so large that work on them in one go would be felt: the loop turns on meanwhile, because agents report,
// limits of time run out and people press Ctrl-C at any moment. What is measured is computing in one turn of the loop,
// which no other load on the machine can lengthen; and, with room for a slow disk, how long a turn took.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { digestInTurns } from "../../src/host/digest.ts";
import { Gathered } from "../../src/host/gathered.ts";
import { treeChanges } from "../../src/host/git/changes.ts";
import { readIndex } from "../../src/host/git/index-file.ts";
import { takeFiles } from "../../src/host/git/take-files.ts";
import { findWork } from "../../src/host/git/work-files.ts";
import { removeTree } from "../../src/host/remove-tree.ts";
import { inTurns } from "../../src/host/turns.ts";
import { offersOf } from "../../src/work/given/offers.ts";
import { ended, start } from "../e2e/rig.ts";
import { Execution, hasBox } from "../execute/rig.ts";

interface Watched {
  readonly longest: { readonly ms: number; readonly cpuMs: number };
}

const watcher = join(import.meta.dirname, "loop-watch.cjs");
const { watchLoop } = createRequire(import.meta.url)(watcher) as { watchLoop: () => () => Watched };

/** In memory, where there is such a place: what a disk makes of so many files is not looked at here. */
const memory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "heddle-standing-"));
const folder = () => mkdtempSync(join(memory, "f-"));
afterAll(() => rmSync(memory, { recursive: true, force: true }));

const git = (at: string, args: readonly string[], input: string) =>
  execFileSync("git", ["-C", at, ...args], { input, encoding: "utf8", maxBuffer: 2 ** 28 });

const empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
const paths = (count: number) => Array.from({ length: count }, (_, n) => `lib/d${n % 1_000}/file-${n}.txt`);

/** A bare repository whose index names so many files, none of which is there. */
function indexOf(count: number): { gitDir: string; flags: []; index: string } {
  const gitDir = folder();
  git(gitDir, ["init", "-q", "--bare"], "");
  git(gitDir, ["hash-object", "-w", "--stdin"], "");
  const lines = paths(count).map((path) => `100644 ${empty}\t${path}\n`);
  git(gitDir, ["update-index", "--index-info"], lines.join(""));
  return { gitDir, flags: [], index: join(gitDir, "index") };
}

function openFile(path: string): string {
  writeFileSync(path, "");
  return path;
}

function fill(root: string, names: readonly string[]): string {
  for (let n = 0; n < 1_000; n++) mkdirSync(join(root, "lib", `d${n}`), { recursive: true });
  for (const name of names) writeFileSync(join(root, name), "");
  return root;
}

/** The most that was computed in one turn of the loop while this was done. */
async function mostAtOnce<T>(work: () => Promise<T>): Promise<{ cpuMs: number; result: T }> {
  await new Promise((turn) => setTimeout(turn, 20));
  const end = watchLoop();
  const result = await work();
  const { cpuMs } = end().longest;
  return { cpuMs, result };
}

/** A turn's allowance, a collection of garbage, and what else a turn does. */
const bearableMs = 60;

describe("what grows with the repository", () => {
  it("G10 reads an index of 120,000 files without standing still", async () => {
    const { index } = indexOf(120_000);
    const { cpuMs, result } = await mostAtOnce(() => readIndex(index, 20));
    expect(result.entries.size).toBe(120_000);
    expect(cpuMs).toBeLessThan(bearableMs);
  });

  it("G10 finds and takes in 30,000 new files without standing still", async () => {
    const { index, ...at } = indexOf(1);
    const root = fill(folder(), paths(30_000));
    const look = { at, folder: root, skip: [], declared: [], rules: root, nested: "plain" as const };
    const { cpuMs, result } = await mostAtOnce(async () => {
      const known = await readIndex(index, 20);
      const work = await findWork({ ...look, index: known, maxFileBytes: 1e6 });
      if ("code" in work) throw new Error(work.message);
      const tree = await takeFiles(at, { folder: root, index, work });
      return { tree, touched: work.touched.length };
    });
    expect(result).toMatchObject({ touched: 30_000 });
    expect(cpuMs).toBeLessThan(bearableMs);
  });

  it("G10 sees what is gone, and what 120,000 changes are, without standing still", async () => {
    const { index, ...at } = indexOf(120_000);
    const from = git(at.gitDir, ["mktree"], "").trim();
    const to = git(at.gitDir, ["write-tree"], "").trim();
    const bare = folder();
    const look = { at, folder: bare, skip: [], declared: [], rules: null, nested: "plain" as const };
    const { cpuMs, result } = await mostAtOnce(async () => {
      const work = await findWork({ ...look, index: await readIndex(index, 20), maxFileBytes: 1e6 });
      return { work, changes: await treeChanges(at, from, to) };
    });
    expect(result.changes).toHaveLength(120_000);
    expect("gone" in result.work && result.work.gone.length).toBe(120_000);
    expect(cpuMs).toBeLessThan(bearableMs);
  });

  it("G10 looks through one folder of 100,000 files without standing still", async () => {
    const root = folder();
    const names = Array.from({ length: 100_000 }, (_, n) => `f${n}`);
    for (const name of names) writeFileSync(join(root, name), "");
    const { index, ...at } = indexOf(1);
    const look = { at, folder: root, skip: [], declared: [], rules: null, nested: "plain" as const };
    const { cpuMs, result } = await mostAtOnce(async () =>
      findWork({ ...look, index: await readIndex(index, 20), maxFileBytes: 1e6 }),
    );
    expect("touched" in result && result.touched.length).toBe(100_000);
    expect(cpuMs).toBeLessThan(bearableMs);
    const removal = await mostAtOnce(() => removeTree(root));
    expect(existsSync(root)).toBe(false);
    expect(removal.cpuMs).toBeLessThan(bearableMs);
  });
});

describe("turns", () => {
  it("G10 lets many that work at once take turns, and all of them end", async () => {
    const busy = () => {
      for (const until = performance.now() + 2; performance.now() < until; );
    };
    const done: number[] = [];
    const { cpuMs } = await mostAtOnce(() =>
      Promise.all(
        Array.from({ length: 80 }, async (_, n) => {
          await inTurns(Array.from({ length: 4 }), busy);
          done.push(n);
        }),
      ),
    );
    expect(done).toHaveLength(80);
    expect(cpuMs).toBeLessThan(bearableMs);
  });
});

describe("what grows with an agent's work", () => {
  it("G10 takes the digest of a file of 600 MB, and of 5,000 small ones, without standing still", async () => {
    const [root, small] = [folder(), paths(5_000)];
    const large = join(root, "large");
    truncateSync(openFile(large), 600_000_000);
    fill(root, small);
    const { cpuMs, result } = await mostAtOnce(() => digestInTurns(large));
    expect(result).toBe(execFileSync("sha256sum", [large], { encoding: "utf8" }).slice(0, 64));
    expect(cpuMs).toBeLessThan(bearableMs);
    const many = await mostAtOnce(() => offersOf(root, [...small, "missing"]));
    expect(many.result.size).toBe(5_001);
    expect(many.cpuMs).toBeLessThan(bearableMs);
  });

  it("G10 writes what an agent prints in one turn at once, also when its folder was away", async () => {
    const file = join(folder(), "events.jsonl");
    const { cpuMs } = await mostAtOnce(async () => {
      const kept = new Gathered(file);
      for (let n = 0; n < 20_000; n++) kept.push(`${n}\n`);
      await new Promise(setImmediate);
      kept.push("last\n");
      kept.end();
    });
    const lines = readFileSync(file, "utf8").split("\n");
    expect([lines.length, lines[0], lines[19_999], lines[20_000]]).toEqual([20_002, "0", "19999", "last"]);
    expect(cpuMs).toBeLessThan(bearableMs);
    const away = join(folder(), "away");
    const kept = new Gathered(join(away, "events.jsonl"));
    kept.push("first\n");
    await new Promise(setImmediate);
    mkdirSync(away);
    kept.push("second\n");
    kept.end();
    expect(readFileSync(join(away, "events.jsonl"), "utf8")).toBe("first\nsecond\n");
  });
});

describe("a folder that goes", () => {
  it("G10 goes without the loop standing still, whatever an agent made of it", async () => {
    const outside = join(folder(), "kept");
    writeFileSync(outside, "kept");
    const root = fill(folder(), paths(30_000));
    symlinkSync(outside, join(root, "link"));
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), "");
    // Deeper than any path that a system call takes.
    const deeper = 'fs.mkdirSync("0123456789"); process.chdir("0123456789");';
    execFileSync(process.execPath, ["-e", `for (let n = 0; n < 500; n++) { ${deeper} }`], { cwd: root });
    chmodSync(join(root, "lib/d0"), 0o500);
    chmodSync(join(root, "lib/d1"), 0);
    const { cpuMs } = await mostAtOnce(() => removeTree(root));
    expect(existsSync(root)).toBe(false);
    expect(readFileSync(outside, "utf8")).toBe("kept");
    expect(cpuMs).toBeLessThan(bearableMs);
  });
});

describe.runIf(hasBox)("the orchestrator", () => {
  it("G10 executes on a repository of 12,000 files without standing still", {
    timeout: 230_000,
  }, async () => {
    const project = await Execution.ready({ tasks: 2 });
    fill(project.path("app"), paths(12_000));
    project.git("add", ".");
    project.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Grow");
    const file = join(folder(), "watch.json");
    const options = { cwd: project.root, node: ["--require", watcher], env: { LOOP_WATCH: file } };
    const ran = await ended(start([...project.words, "--parallel", "2", "--json"], options));
    expect(ran.code, ran.err).toBe(0);
    expect(project.merged()).toHaveLength(2);
    const { longest } = JSON.parse(readFileSync(file, "utf8")) as Watched;
    expect(longest.cpuMs).toBeLessThan(100);
    expect(longest.ms).toBeLessThan(1_000);
  });
});
