// The rig of the end-to-end tests: the real CLI in temporary directories. Nothing of `src` runs inside the test itself.
// `heddle` and what is built on it lend most calls a process that is there already (`warm.ts`); `start` always begins
// one. `HEDDLE_CLI` names another build to try, for instance an installed package.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect } from "vitest";
import { planFiles, type Shape } from "./plan-files.ts";
import { planning } from "./planning-steps.ts";
import { type WarmCall, WarmProcesses } from "./warm.ts";

export { planning };

export const cli = process.env.HEDDLE_CLI ?? join(import.meta.dirname, "../../dist/heddle.js");

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly signal: NodeJS.Signals | null;
}

export interface Options {
  readonly cwd?: string;
  /** Added to a small environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Options of Node itself, before the script. */
  readonly node?: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

const configHome = join(tmpdir(), `heddle-config-${process.pid}`);
const plainEnv = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  // `HEDDLE_CARRY=process npx vitest run test/execute`: every order is carried by a process of its own.
  ...(process.env.HEDDLE_CARRY && { HEDDLE_CARRY: process.env.HEDDLE_CARRY }),
  ...(process.env.HEDDLE_BLIND && { NODE_OPTIONS: `--require ${process.env.HEDDLE_BLIND}` }),
  // What a person approves in a test is not approved in earnest.
  XDG_CONFIG_HOME: configHome,
  LANG: "C.UTF-8",
  // Most tests are about the work and look for it in the checkout; `test/execute/landing.test.ts` is about where it goes.
  HEDDLE_LAND: "auto",
};

export function start(args: readonly string[], options: Options = {}): ChildProcess {
  const { cwd = tmpdir(), env, node = [], uid, gid } = options;
  const identity = uid === undefined || gid === undefined ? {} : { uid, gid };
  const words = [...node, cli, ...args];
  return spawn(process.execPath, words, { cwd, env: { ...plainEnv, ...env }, stdio: "pipe", ...identity });
}

export async function ended(child: ChildProcess, input = ""): Promise<Ran> {
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr?.on("data", (bytes: Buffer) => err.push(bytes));
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

const warm = new WarmProcesses(cli);

/** For a file of tests whose point is the processes: their number, their start, their end. Each call is one. */
export function ownProcesses(): void {
  warm.off();
}

/**
 * For a file of tests whose point is that processes meet: so many calls at one time are lent one each. They meet more
 * often than processes that are about to start; every 30th is one that starts.
 */
export function manyProcesses(count: number): void {
  warm.keep(count);
}

export async function heddle(args: readonly string[], options: Options = {}): Promise<Ran> {
  const ran = await (lent(args, options) ?? ended(start(args, options), options.input));
  // A hint is data until a surface says it: types do not see one that is put into a text as it is.
  if ((ran.out + ran.err).includes("[object Object]"))
    throw new Error(`heddle ${args.join(" ")} prints a value: ${ran.out}${ran.err}`);
  return ran;
}

function lent(words: readonly string[], options: Options, withinMs?: number): Promise<Ran> | undefined {
  const { cwd = tmpdir(), env = {}, input = "", node = [], uid } = options;
  if (input !== "" || node.length > 0 || uid !== undefined || env.NODE_OPTIONS !== undefined)
    return undefined;
  const all = Object.entries({ ...plainEnv, ...env }).filter((pair) => pair[1] !== undefined);
  const environment = Object.fromEntries(all) as WarmCall["environment"];
  return warm.run({ words, cwd, environment, ...(withinMs !== undefined && { withinMs }) });
}

const made: string[] = [];
afterAll(() => {
  warm.end();
  // Whatever a test did: what is written down names no place of this machine (C1).
  expect(made.flatMap(placesInFacts)).toEqual([]);
  for (const folder of [configHome, ...made.splice(0)]) rmSync(folder, { recursive: true, force: true });
});

/** Facts that name the project by where it lies; those that 0.1 wrote may. */
function placesInFacts(root: string): string[] {
  const database = join(root, ".heddle/heddle.db");
  if (!existsSync(database)) return [];
  try {
    const db = new DatabaseSync(database);
    const rows = db.prepare("select body from fact where format > 4 and instr(body, ?) > 0").all(root);
    db.close();
    return rows.map((row) => String(row.body));
  } catch {
    // Some tests damage the journal.
    return [];
  }
}

/** A directory that is gone after the file's last test. */
export function folder(name = "heddle-e2e-"): string {
  const path = mkdtempSync(join(tmpdir(), name));
  made.push(path);
  return path;
}

/** A PATH with everything a program needs, and no bubblewrap. */
export function pathWithoutBox(): string {
  const bin = folder();
  for (const name of ["sh", "cat", "git"])
    if (existsSync(`/usr/bin/${name}`)) symlinkSync(`/usr/bin/${name}`, `${bin}/${name}`);
  return bin;
}

export interface Fact {
  readonly position: number;
  readonly at: string;
  readonly by: string;
  readonly fact: { readonly kind: string; readonly task?: string } & Record<string, unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape are read here, and each test says which
type Document = any;

/** A project directory and what can be seen of it from outside. */
export class Project {
  readonly root: string;

  constructor(root = folder()) {
    this.root = root;
  }

  path(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  get view(): string {
    return this.path("project-planning/state.json");
  }

  get database(): string {
    return this.path(".heddle/heddle.db");
  }

  heddle(...args: readonly string[]): Promise<Ran> {
    return heddle(args, { cwd: this.root });
  }

  state(...args: readonly string[]): Promise<Ran> {
    return this.heddle("state", ...args);
  }

  /** Runs what must succeed. */
  async must(...args: readonly string[]): Promise<Ran> {
    const ran = await this.heddle(...args);
    if (ran.code !== 0) throw new Error(`heddle ${args.join(" ")}: exit ${ran.code}\n${ran.err}${ran.out}`);
    return ran;
  }

  async json(...args: readonly string[]): Promise<Document> {
    return JSON.parse((await this.must(...args, "--json")).out);
  }

  history(...args: readonly string[]): Promise<Fact[]> {
    return this.json("history", "--all", ...args);
  }

  status(): Promise<Document> {
    return this.json("status");
  }

  stateJson(): Document {
    return JSON.parse(readFileSync(this.view, "utf8"));
  }

  write(path: string, content: string | Uint8Array): void {
    const file = this.path(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** The files that planning agents would write. */
  writePlan(shape: Shape): void {
    for (const [path, text] of planFiles(shape, this.path("app"))) this.write(path, text);
  }

  /** Everything as it is now, to go back to. No process may be at work here meanwhile. */
  save(): () => void {
    const copy = join(folder("heddle-save-"), "copy");
    cpSync(this.root, copy, { recursive: true });
    return () => {
      rmSync(this.root, { recursive: true, force: true });
      cpSync(copy, this.root, { recursive: true });
    };
  }

  has(path: string): boolean {
    return existsSync(this.path(path));
  }
}

/** A new project, initialised and nothing more. */
export async function newProject(): Promise<Project> {
  const project = new Project();
  await project.must("init", "app");
  return project;
}

/** A project in phase `ready`, through the same commands that a host would type. */
export async function readyProject(shape: Shape): Promise<Project> {
  const project = await newProject();
  project.writePlan(shape);
  for (const words of planning) await project.must(...words);
  return project;
}

/** Ends a command that takes too long, and says so: one that waits for ever must not hold the tests up. */
export async function within(seconds: number, project: Project, words: readonly string[]): Promise<Ran> {
  const ran = await (lent(words, { cwd: project.root }, seconds * 1_000) ??
    killedAfter(seconds, project, words));
  if (ran.signal !== null) throw new Error(`heddle ${words.join(" ")} did not end in ${seconds} s`);
  return ran;
}

async function killedAfter(seconds: number, project: Project, words: readonly string[]): Promise<Ran> {
  const child = start(words, { cwd: project.root });
  const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1_000);
  const ran = await ended(child);
  clearTimeout(timer);
  return ran;
}

/** Waits for something that another process brings about; a test that would hang fails with what it waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 120_000) {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Kills it as soon as that is reached, unless it ends before. */
export async function killedWhen(
  child: ChildProcess,
  ran: Promise<Ran>,
  reached: () => boolean,
): Promise<void> {
  let over = false;
  void ran.then(() => {
    over = true;
  });
  await until("the moment to die", () => over || reached());
  child.kill("SIGKILL");
  await ran;
}
