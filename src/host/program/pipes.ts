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
import { join } from "node:path";
import { passingPrefix } from "../underway.ts";
import { ownProgram } from "./programs.ts";

/** `ours` is read here; `theirs` is a descriptor for the program, which heddle closes once the program has it. */
export interface Pipe {
  readonly ours: Socket;
  readonly theirs: number;
}

export interface Pipes {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
}

/** Folders that begin so are this heddle's, and exist for moments; after a `kill -9` the keeper removes what is left. */
export const passingFolders = () => `${passingPrefix()}pipes-`;

/** The two ends of one FIFO, ours first. */
type Ends = readonly [number, number];
const spare: (readonly [Ends, Ends])[] = [];
/** Making them takes a process, so several are made at once. */
const batch = 4;

let making: Promise<boolean> | undefined;

/** Nothing where FIFOs cannot be made; the caller takes Node's pipes then. Never throws. */
export async function makePipes(): Promise<Pipes | undefined> {
  for (;;) {
    const ends = spare.pop();
    if (ends) return { stdout: pipeOf(ends[0]), stderr: pipeOf(ends[1]) };
    // Many programs may start at once; they wait for the same batch, and those it did not suffice for, for the next.
    making ??= makeSpare().finally(() => {
      making = undefined;
    });
    if (!(await making)) return undefined;
  }
}

async function makeSpare(): Promise<boolean> {
  try {
    return await withFolder(async (folder) => {
      const names = Array.from({ length: 2 * batch }, (_, at) => join(folder, `${at}`));
      if (!(await madeFifos(names))) return false;
      const all = names.map(openBoth);
      for (const [at, ends] of all.entries()) {
        const next = all[at + 1];
        if (at % 2 === 0 && next) spare.push([ends, next]);
      }
      return true;
    });
  } catch {
    // No folder for them, or no descriptors left.
    return false;
  }
}

async function withFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(passingFolders());
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether they could be made. Never throws. */
export function madeFifos(names: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(ownProgram("mkfifo"), ["-m", "600", ...names], { stdio: "ignore" });
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

export type StandardInput = { readonly text: string } | { readonly file: string };

/**
 * A descriptor from which the program reads `input`. It is always a copy: from a descriptor of the original a boxed
 * program could reach the file itself, and write to it. Throws what the file system says; anything but a regular
 * file is refused, because reading it may never end.
 */
export async function openInput(input: StandardInput): Promise<number> {
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
