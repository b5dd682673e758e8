// A program's three streams. Node's own pipes are sockets, and a socket cannot be opened again: `echo … > /dev/stderr`
// and `jq . /dev/stdin` fail on them, so a check that is green by hand would be red in heddle. Output comes through
// FIFOs instead, input from a private file; their names are gone before anybody else could use them.
import { spawn } from "node:child_process";
import {
  closeSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `ours` is read here; `theirs` is a descriptor for the program, which heddle closes once the program has it. */
export interface Pipe {
  readonly ours: Socket;
  readonly theirs: number;
}

export interface Pipes {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
}

/** The two ends of one FIFO, ours first. */
type Ends = readonly [number, number];
const spare: (readonly [Ends, Ends])[] = [];
/** Making them takes a process, so several are made at once. */
const batch = 4;

/** Nothing where FIFOs cannot be made; the caller takes Node's pipes then. Never throws. */
export async function makePipes(): Promise<Pipes | undefined> {
  if (spare.length === 0) await makeSpare();
  const ends = spare.pop();
  return ends && { stdout: pipeOf(ends[0]), stderr: pipeOf(ends[1]) };
}

async function makeSpare(): Promise<void> {
  try {
    await withFolder(async (folder) => {
      const pairs = Array.from(
        { length: batch },
        (_, at) => [join(folder, `${at}-out`), join(folder, `${at}-err`)] as const,
      );
      if (await madeFifos(pairs.flat()))
        for (const [out, err] of pairs) spare.push([openBoth(out), openBoth(err)]);
    });
  } catch {
    // No folder for them, or no descriptors left.
  }
}

async function withFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-pipes-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function madeFifos(names: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn("mkfifo", ["-m", "600", ...names], { stdio: "ignore" });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
  });
}

/** Opening for reading without a writer must not block; opening for writing then finds its reader. */
function openBoth(name: string): Ends {
  return [openSync(name, constants.O_RDONLY | constants.O_NONBLOCK), openSync(name, constants.O_WRONLY)];
}

function pipeOf([reading, theirs]: Ends): Pipe {
  return { ours: new Socket({ fd: reading, readable: true, writable: false }), theirs };
}

export type Input = { readonly text: string } | { readonly file: string };

/**
 * A descriptor from which the program reads `input`. It is always a copy: from a descriptor of the original a boxed
 * program could reach the file itself, and write to it. Throws what the file system says; anything but a regular
 * file is refused, because reading it may never end.
 */
export async function openInput(input: Input): Promise<number> {
  return withFolder((folder) => {
    const copy = join(folder, "in");
    if ("text" in input) writeFileSync(copy, input.text, { mode: 0o600 });
    else if (statSync(input.file).isFile()) copyFileSync(input.file, copy, constants.COPYFILE_FICLONE);
    else throw new Error(`\`${input.file}\` is not a regular file`);
    return openSync(copy, constants.O_RDONLY);
  });
}

/** For streams that no program took over. */
export function closePipes(pipes: Pipes): void {
  for (const { ours, theirs } of [pipes.stdout, pipes.stderr]) {
    closeSync(theirs);
    ours.destroy();
  }
}
