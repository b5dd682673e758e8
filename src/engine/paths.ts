// Where things are: the project's root, and everything under it that has a fixed name.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface Paths {
  readonly root: string;
  readonly heddle: string;
  readonly database: string;
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
    database: join(heddle, "heddle.db"),
    logs: { text: join(heddle, "logs/activity.log"), json: join(heddle, "logs/activity.jsonl") },
    planning: join(root, "project-planning"),
    meta: join(root, ".meta"),
    artifacts: join(root, "artifacts"),
  };
}

/** Where the files of a run lie that is no plan. */
export function runFolder({ heddle }: Pick<Paths, "heddle">, protocol: string, run: string): string {
  const homes: Readonly<Record<string, string>> = { lifecycle: "tasks", tuning: "tune" };
  return join(heddle, homes[protocol] ?? "runs", run);
}

const taskFolders = ["planning", "review", "code", "eval", "accept", "revert"] as const;
const tuningFolders = ["diagnosis", "fixes", "actions"] as const;

/** The folders of a run's own, made before anybody works in them (C16). */
export function foldersOf(protocol: string): readonly string[] {
  if (protocol === "decomposition") return planningFolders;
  if (protocol === "mission") return ["bundles"];
  if (protocol === "tuning") return tuningFolders;
  return protocol === "lifecycle" ? taskFolders : [];
}

/** What is heddle's own, and nobody's work, wherever the project lies. `artifacts` only where there is a mission. */
export function ownFolders({ heddle, planning, meta, artifacts }: Paths): string[] {
  return [heddle, planning, meta, ...(existsSync(meta) ? [artifacts] : [])];
}

export const planningFolders = ["inputs", "artifacts", "tasks", "bundles", "reports"] as const;
