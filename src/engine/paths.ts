// Where things are: the project's root, and everything under it that has a fixed name.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Protocol } from "../core/protocol.ts";

export interface Paths {
  readonly root: string;
  readonly heddle: string;
  readonly logs: { readonly text: string; readonly json: string };
  readonly planning: string;
  /** A mission's session and context, and what its roles make. */
  readonly meta: string;
  readonly artifacts: string;
}

/** `--dir`, else `$HEDDLE_DIR`, else the nearest ancestor with `.heddle/`, else the current directory. */
export function findRoot(
  dir: string | undefined,
  environment: NodeJS.ProcessEnv,
  from = process.cwd(),
): string {
  const named = dir ?? environment.HEDDLE_DIR;
  if (named) return resolve(from, named);
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, ".heddle"))) return at;
    if (dirname(at) === at) return from;
  }
}

export function pathsIn(root: string): Paths {
  const heddle = join(root, ".heddle");
  return {
    root,
    heddle,
    logs: { text: join(heddle, "logs/activity.log"), json: join(heddle, "logs/activity.jsonl") },
    planning: join(root, "project-planning"),
    meta: join(root, ".meta"),
    artifacts: join(root, "artifacts"),
  };
}

/** Where the files of a run lie that is no plan. */
export function runFolder({ heddle }: Pick<Paths, "heddle">, { own }: Protocol, run: string): string {
  return join(heddle, own?.home ?? "runs", run);
}

/** The folders of a run's own, made before anybody works in them (C16). */
export function foldersOf({ own }: Protocol): readonly string[] {
  return own?.folders ?? [];
}

/** What is heddle's own, and no part of a task's work, wherever the project lies. `artifacts` only where there is a mission. */
export function ownFolders({ heddle, planning, meta, artifacts }: Paths): string[] {
  return [heddle, planning, meta, ...(existsSync(meta) ? [artifacts] : [])];
}

/** In heddle's folder: where programs of others leave files. */
export const privateFolders = ["attempts", "setup"] as const;
