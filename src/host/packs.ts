// Commits that travel as a pack, where two repositories cannot see each other: one side writes what the other lacks into a
// file, the other takes it in. A pack that comes from another machine is checked object by object, and counts only once
// everything that its commit leads to is there; refs are written by whoever took it, never by what came.
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isGone, makeFolder } from "./files.ts";
import { demandGit, demandLine, type GitDirectory, runGit } from "./git/git.ts";

/** What of `commits` is missing here. */
export async function missingCommits(at: GitDirectory, commits: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const commit of new Set(commits)) if (!(await hasCommit(at, commit))) missing.push(commit);
  return missing;
}

async function hasCommit(at: GitDirectory, commit: string): Promise<boolean> {
  if (!isName(commit)) return false;
  return (await runGit(at, { args: ["cat-file", "-e", `${commit}^{commit}`] })).code === 0;
}

/** An object's name and nothing else: no option, no range, no ref. */
const isName = (text: string) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

const mostKnown = 32;

const baseRef = "refs/heddle/base/";

/** Commits that came from the other side, newest first: both sides have what they lead to, and it need not travel again. */
export async function sharedCommits(at: GitDirectory): Promise<string[]> {
  const newest = ["--sort=-creatordate", `--count=${mostKnown}`, "--format=%(objectname)", baseRef];
  const listed = await demandGit(at, { args: ["for-each-ref", ...newest] });
  return listed.toString("utf8").split("\n").filter(isName);
}

export const sharedRef = (commit: string) => `${baseRef}${commit}`;

/** So that the next order that builds on it brings only what is new. */
export async function keepShared(at: GitDirectory, commit: string): Promise<void> {
  await demandGit(at, { args: ["update-ref", sharedRef(commit), commit] });
}

/** Writes what `commits` lead to, without what `known` does, into a file in `folder`; the file's path. */
export async function packFor(
  at: GitDirectory,
  { commits, known, folder }: { commits: readonly string[]; known: readonly string[]; folder: string },
): Promise<string> {
  const wanted = commits.filter(isName);
  if (wanted.length < commits.length) throw new Error("bug: what is to be packed is not named");
  const shared: string[] = [];
  for (const each of known) if (await hasCommit(at, each)) shared.push(each);
  makeFolder(folder);
  const input = `${[...wanted, ...shared.map((each) => `^${each}`)].join("\n")}\n`;
  const args = ["pack-objects", "--revs", "--quiet", "--delta-base-offset", join(folder, "pack")];
  const name = await demandLine(at, { args, input });
  rmSync(join(folder, `pack-${name}.idx`), { force: true });
  rmSync(join(folder, `pack-${name}.rev`), { force: true });
  return join(folder, `pack-${name}.pack`);
}

/** A file in pieces that fit into a line. */
export async function* piecesOf(file: string, bytes: number): AsyncGenerator<string> {
  for await (const piece of createReadStream(file, { highWaterMark: bytes }))
    yield (piece as Buffer).toString("base64");
}

/** More than any repository that is worked on like this; a machine that sends without end fills no disk. */
const mostBytes = 16 * 1024 ** 3;

/** A pack on its way in. What was begun and never finished is removed by `drop`, or by the next one that begins. */
export class IncomingPack {
  readonly #folder: string;
  readonly #file: string;
  #descriptor: number | undefined;
  #bytes = 0;

  constructor(objects: string, key: string) {
    this.#folder = join(objects, "pack");
    this.#file = join(this.#folder, `tmp_heddle-${process.pid}-${key.replaceAll(/[^\w-]/g, "_")}.pack`);
  }

  add(chunk: Uint8Array): void {
    if (this.#descriptor === undefined) {
      makeFolder(this.#folder);
      clearLeft(this.#folder);
      this.#descriptor = openSync(this.#file, "w", 0o600);
    }
    this.#bytes += chunk.length;
    if (this.#bytes > mostBytes) throw new Error("what came is larger than any repository");
    writeSync(this.#descriptor, chunk);
  }

  /** Takes it into the repository; afterwards `commits` and all that they lead to are there, durably. */
  async take(at: GitDirectory, commits: readonly string[]): Promise<void> {
    try {
      if (this.#descriptor !== undefined) {
        fsyncSync(this.#descriptor);
        this.#close();
        const args = ["index-pack", "--strict", this.#file];
        const name = await demandLine(at, { args });
        this.#place(name);
      }
      await demandGit(at, { args: ["rev-list", "--objects", "--quiet", ...commits, "--not", "--all"] });
    } finally {
      this.drop();
    }
  }

  /** The pack first: git looks for the index, and then for its pack. */
  #place(name: string): void {
    if (!isName(name)) throw new Error(`bug: git names a pack \`${name}\``);
    const from = this.#file.slice(0, -".pack".length);
    for (const ending of ["pack", "rev", "idx"])
      if (existsSync(`${from}.${ending}`))
        renameSync(`${from}.${ending}`, join(this.#folder, `pack-${name}.${ending}`));
    const folder = openSync(this.#folder, "r");
    fsyncSync(folder);
    closeSync(folder);
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  drop(): void {
    this.#close();
    const from = this.#file.slice(0, -".pack".length);
    for (const ending of ["pack", "rev", "idx"]) rmSync(`${from}.${ending}`, { force: true });
  }
}

const leftName = /^tmp_heddle-(\d+)-/;

/** What a process that was killed had begun to take in. */
function clearLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(leftName.exec(name)?.[1] ?? process.pid);
    if (pid !== process.pid && isGone(pid)) rmSync(join(folder, name), { force: true });
  }
}
