// Evidence: the acceptance commands, run by heddle itself on a tree and on nothing else. Each runs in a clean room, where
// only the tree's own files and what set-up made of them lie: neither what an agent left beside them nor what the command
// before it wrote can make it pass.

import { join } from "node:path";
import { isExcused } from "../../core/baseline.ts";
import type { Problem } from "../../core/problem.ts";
import type { Check, Evidence } from "../../core/run-parts.ts";
import type { Reach } from "../../gateway/reach.ts";
import { textDigest } from "../../host/digest.ts";
import { isThere, makeFolder } from "../../host/files.ts";
import type { Repository } from "../../host/git/repository.ts";
import { readEnd, readEnds } from "../../host/handed-in.ts";
import type { Environment } from "../../host/program/environment.ts";
import { sayEnding } from "../../host/program/program.ts";
import type { AttemptFolder } from "../attempt-folder.ts";
import { type CommandSettings, runCommand } from "../run-command.ts";
import type { SetUp } from "../set-up/provide.ts";
import { storesIn } from "../set-up/stores.ts";
import { CleanRoom, placeIn, treeWithSetUp } from "./clean-room.ts";
import { emptyScript, testName } from "./empty-script.ts";
import { ranNoTests } from "./no-tests.ts";

export interface Checking {
  readonly repository: Repository;
  readonly bench: CommandSettings;
  readonly setUp: SetUp;
  readonly network: Reach;
  readonly folder: AttemptFolder;
  readonly criteria: readonly { readonly criterion: string; readonly command: string }[];
  readonly mark: string;
}

/** Long enough for a runner's summary, which stands at the end. */
const tailBytes = 64 * 1024;

export async function checkTree(
  checking: Checking,
  tree: string,
  signal: AbortSignal,
): Promise<Evidence | Problem> {
  const { repository, folder, setUp, criteria } = checking;
  const room = new CleanRoom(
    `${folder.room}-${tree.slice(0, 12)}`,
    treeWithSetUp({ repository, setUp, tree }),
  );
  makeFolder(folder.checks);
  try {
    const checks: Check[] = [];
    for (const [at, criterion] of criteria.entries()) {
      if (signal.aborted) break;
      const unmade = await room.freshen({ more: at + 1 < criteria.length }, signal);
      if (unmade) return unmade;
      const place = {
        ...criterion,
        ...placeIn(room, repository.prefix),
        log: join(folder.checks, `${tree.slice(0, 12)}-${at + 1}`),
      };
      checks.push(await runCheck(checking, place, signal));
    }
    return { tree, checks };
  } finally {
    await room.remove().catch(() => undefined);
  }
}

export interface One {
  readonly criterion: string;
  readonly command: string;
  readonly cwd: string;
  readonly writable: readonly string[];
  readonly home: string;
  readonly tmp: string;
  readonly log: string;
}

/** One acceptance command, wherever its files lie. */
export async function runCheck(
  { bench, network, mark }: Pick<Checking, "bench" | "network" | "mark">,
  { criterion, command, ...place }: One,
  signal: AbortSignal,
): Promise<Check> {
  const stores = storesIn(place.writable[0] ?? place.cwd, bench.env);
  const set = { CI: "1", HEDDLE_CHECK: "1", ...stores, ...telling(bench, command, place) };
  const script = emptyScript(command, place.cwd);
  const ended = await runCommand(bench, { command, ...place, network, set, mark }, { signal });
  const { log } = place;
  const output = outputOf(log);
  const { how } = ended;
  const exit = how.kind === "exited" ? how.code : null;
  const empty = exit === 0 ? ranNoTests({ command, output, script }) : undefined;
  const note = empty ?? (exit === null ? sayEnding(how, bench.limits) : null);
  const ok = exit === 0 && empty === undefined;
  const ms = Math.round(ended.durationMs);
  return { criterion, command, ok, exit, ms, digest: textDigest(output), log, note };
}

/** The end of what a command printed. */
export const outputOf = (log: string) =>
  [readEnd(`${log}.out`, tailBytes), readEnd(`${log}.err`, tailBytes)].join("\n");

/**
 * Python takes compiled files from a folder of its own, never from `__pycache__` in the tree, where they may differ from
 * their source. Go says which tests it skipped.
 */
function telling(
  { sandbox, env }: CommandSettings,
  command: string,
  { tmp }: { readonly tmp: string },
): Environment {
  const own = !env.includes("GOFLAGS") && testName.test(command);
  return { PYTHONPYCACHEPREFIX: join(sandbox ? "/tmp" : tmp, "pycache"), ...(own && { GOFLAGS: "-v" }) };
}

/** Which commands were red, and how: one line each. */
export function sayRed({ checks }: Evidence): string {
  const red = checks.filter((check) => !check.ok && !isExcused(check));
  return red
    .map(({ command, exit, note }) => `\`${command}\` ${note ?? `exited with code ${exit}`}`)
    .join("; ");
}

/** The same for the next attempt, with the beginning and the end of what each printed. */
export function redOutput(checks: readonly Check[]) {
  return checks
    .filter((check) => !check.ok && !isExcused(check))
    .map(({ criterion, command, exit, note, log, before }) => ({
      criterion,
      command,
      exit,
      note,
      ...(before && { before }),
      output: printed(log),
    }));
}

function printed(log: string): string {
  const files = [`${log}.out`, `${log}.err`];
  if (!files.some(isThere)) return `(what it printed is no longer there: ${files.join(", ")})`;
  return files
    .map((file) => readEnds(file, { head: 1200, tail: 2800 }))
    .join("\n")
    .trim();
}
