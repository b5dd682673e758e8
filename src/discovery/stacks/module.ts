// A module is a folder with a manifest: the target itself, or `backend/` in it. A finder looks at one module and says
// what it found there; finders see no files but through this, and run nothing.

import { plain, settled } from "../plain.ts";
import type {
  Command,
  Dependency,
  EntryPoint,
  Purpose,
  Setup,
  Stack,
  Workspace,
} from "../project-context.ts";
import type { ProjectFiles } from "../project-files.ts";
import { isTestPath } from "../survey.ts";
import { marksOf } from "./command-marks.ts";

export interface Module {
  /** Relative to the target; "." is the target. */
  readonly root: string;
  /** Files directly in it. */
  readonly names: readonly string[];
  /** Paths given and taken are relative to the module, but for `at`, which makes them relative to the target. */
  has(path: string): boolean;
  /** A manifest for patterns to go over, with what would make them slow taken out. */
  text(path: string): string | undefined;
  /** A manifest as it is, for a parser. */
  raw(path: string): string | undefined;
  at(path: string): string;
  /** A program of this name here or in a folder above, as it is called from here: `./gradlew`, `../gradlew`. */
  program(name: string): string | undefined;
  /** All files below, at any depth. */
  paths(): readonly string[];
  note(text: string): void;
  /** Of a member: the tool of the workspace that it belongs to. */
  readonly tool?: string;
}

export interface Finding {
  readonly stack: Stack;
  /** What its manifest calls it. */
  name?: string;
  readonly commands: Command[];
  readonly setup: Setup[];
  readonly dependencies: Dependency[];
  readonly entryPoints: EntryPoint[];
  readonly workspaces: Workspace[];
}

export type FindStack = (module: Module) => Finding | undefined;

export function moduleAt(files: ProjectFiles, root: string): Module {
  const at = (path: string) => (root === "." ? path : path === "." ? root : `${root}/${path}`);
  const raw = (path: string) => (files.has(at(path)) ? files.text(at(path)) : undefined);
  let below: readonly string[] | undefined;
  return {
    root,
    names: files.namesIn(root),
    has: (path) => files.has(at(path)),
    text: (path) => {
      const whole = raw(path);
      return whole === undefined ? undefined : settled(whole);
    },
    raw,
    at,
    program: (name) => {
      const steps = root === "." ? [] : root.split("/");
      for (let up = 0; up <= steps.length; up++) {
        const folder = steps.slice(0, steps.length - up).join("/");
        if (files.has(folder === "" ? name : `${folder}/${name}`))
          return up === 0 ? `./${name}` : `${"../".repeat(up)}${name}`;
      }
      return undefined;
    },
    paths: () => {
      below ??=
        root === "."
          ? files.paths
          : files.paths
              .filter((path) => path.startsWith(`${root}/`))
              .map((path) => path.slice(root.length + 1));
      return below;
    },
    note: (text) => void files.notes.add(text),
  };
}

export interface StackStart {
  readonly name: string;
  readonly language: string;
  readonly tool: string | null;
  readonly version?: string | undefined;
  readonly manifest: string;
}

export function finding(module: Module, { name, language, tool, version, manifest }: StackStart): Finding {
  const stack: Stack = {
    name,
    language,
    tool,
    version: version === undefined || version.trim() === "" ? null : plain(version, 40),
    root: module.root,
    manifest: module.at(manifest),
  };
  return { stack, commands: [], setup: [], dependencies: [], entryPoints: [], workspaces: [] };
}

export interface Offer {
  readonly run: string;
  /** A file of the module, and what in it. */
  readonly file: string;
  readonly where?: string;
  /** A script of the project's own, and what it stands for. */
  readonly does?: string;
  readonly declared?: boolean;
}

export function commandOf(module: Module, purpose: Purpose, offer: Offer): Command {
  const { run, file, where, does, declared = false } = offer;
  return {
    purpose,
    run: plain(run),
    cwd: module.root,
    found_in: plain(where === undefined ? module.at(file) : `${module.at(file)} ${where}`),
    declared,
    ...(does === undefined ? {} : { does: plain(does, 100) }),
    ...marksOf(run, { does, purpose }),
  };
}

/** What a project declares for a purpose makes what is merely usual superfluous. */
export function hasCommand(found: Finding, purpose: Purpose): boolean {
  return found.commands.some((command) => command.purpose === purpose && command.declared);
}

export function dependencyOf(
  module: Module,
  manifest: string,
  more: Omit<Dependency, "manifest">,
): Dependency {
  const { name, version, kind } = more;
  return {
    name: plain(name, 80),
    version: version === null || version.trim() === "" ? null : plain(version, 40),
    kind,
    manifest: module.at(manifest),
  };
}

/** The first of these files that is there. */
export function firstOf(module: Module, names: readonly string[]): string | undefined {
  return names.find((name) => module.has(name));
}

export function entries(module: Module, found: Finding, places: Iterable<readonly [string, string]>): void {
  for (const [path, why] of places) {
    const at = module.at(path);
    if (module.has(path) && !isTestPath(at) && !found.entryPoints.some((entry) => entry.path === at))
      found.entryPoints.push({ path: at, why: plain(why, 60) });
  }
}
