// Evidence: the acceptance commands, run by heddle itself on a tree and on nothing else. They run in a clean room, where
// only the tree's own files and what set-up made of them lie: what an agent left beside them cannot make them pass.
import { join } from "node:path";
import type { Check, Evidence } from "../core/parts.ts";
import { isProblem, type Problem } from "../core/problem.ts";
import { textDigest } from "../host/digest.ts";
import { makeFolder, readTail, remove } from "../host/files.ts";
import { sayEnding } from "../host/program.ts";
import type { Repository } from "../host/repository.ts";
import { checkOut } from "../host/workspace.ts";
import type { AttemptFolder } from "./attempt-folder.ts";
import { ranNoTests } from "./no-tests.ts";
import { type Bench, runCommand } from "./run-command.ts";
import { provide, type SetUp } from "./set-up.ts";

export interface Checking {
  readonly repository: Repository;
  readonly bench: Bench;
  readonly setUp: SetUp;
  readonly network: boolean;
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
  const { repository, folder, setUp } = checking;
  const room = `${folder.room}-${tree.slice(0, 12)}`;
  remove(room);
  makeFolder(folder.checks);
  try {
    const unmade = await checkOut(repository, {
      folder: join(room, "tree"),
      index: join(room, "index"),
      tree,
    });
    if (unmade) return unmade;
    const provided = await provide(setUp, join(room, "tree", repository.prefix), signal);
    if (isProblem(provided)) return provided;
    const checks: Check[] = [];
    for (const [at, criterion] of checking.criteria.entries()) {
      if (signal.aborted) break;
      const place = {
        ...criterion,
        ...inRoom(checking, room),
        log: join(folder.checks, `${tree.slice(0, 12)}-${at + 1}`),
      };
      checks.push(await runCheck(checking, place, signal));
    }
    return { tree, checks };
  } finally {
    remove(room);
  }
}

function inRoom({ repository }: Checking, room: string) {
  const files = join(room, "tree");
  const [cwd, home, tmp] = [join(files, repository.prefix), join(room, "home"), join(room, "tmp")];
  return { cwd, writable: [files], home, tmp };
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
  const set = { CI: "1", HEDDLE_CHECK: "1" };
  const ended = await runCommand(bench, { command, ...place, network, set, mark }, { signal });
  const { log } = place;
  const output = [readTail(`${log}.out`, tailBytes), readTail(`${log}.err`, tailBytes)].join("\n");
  const { how } = ended;
  const exit = how.kind === "exited" ? how.code : null;
  const empty = exit === 0 && ranNoTests(command, output);
  const note = empty
    ? "succeeded, but no tests were run"
    : exit === null
      ? sayEnding(how, bench.limits)
      : null;
  const ok = exit === 0 && !empty;
  const ms = Math.round(ended.durationMs);
  return { criterion, command, ok, exit, ms, digest: textDigest(output), log, note };
}

/** Which commands were red, and how: one line each. */
export function sayRed({ checks }: Evidence): string {
  const red = checks.filter((check) => !check.ok);
  return red
    .map(({ command, exit, note }) => `\`${command}\` ${note ?? `exited with code ${exit}`}`)
    .join("; ");
}

/** The same for the next attempt, with the end of what each printed. */
export function redOutput(checks: readonly Check[]) {
  return checks
    .filter((check) => !check.ok)
    .map(({ criterion, command, exit, note, log }) => ({
      criterion,
      command,
      exit,
      note,
      output: [readTail(`${log}.out`, 4000), readTail(`${log}.err`, 4000)].join("\n").trim(),
    }));
}
