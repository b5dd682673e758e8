// Effect `check-baseline` (X23): before anybody is paid the base is set up, and the project's own tests and every acceptance
// command of the plan run there, each in the clean room that will judge the work. One room, one command after the other.
import { join } from "node:path";
import type { Outcome } from "../core/input.ts";
import { ownRecord } from "../core/json.ts";
import { isProblem } from "../core/problem.ts";
import type { BaselineCheck, BaselineSeen, Check } from "../core/run-parts.ts";
import { discoverProject } from "../discovery/discover-project.ts";
import { textDigest } from "../host/digest.ts";
import { isPlainFolder, makeFolder, replaceFile } from "../host/files.ts";
import { treeOf } from "../host/git/integrate.ts";
import { readRecord } from "../host/handed-in.ts";
import { cannotRun, type Reason } from "./evidence/cannot-run.ts";
import { type Checking, outputOf, runCheck } from "./evidence/check-tree.ts";
import { CleanRoom, placeIn, treeWithSetUp } from "./evidence/clean-room.ts";
import { failingTests } from "./evidence/failing-tests.ts";
import { tailOf } from "./evidence/last-words.ts";
import { tellingLine, withHint } from "./set-up/failure.ts";

export interface BaselineChecking extends Omit<Checking, "criteria"> {
  readonly commit: string;
  /** Acceptance commands of the plan, each once. */
  readonly commands: readonly string[];
  /** What is still to be done, and the commands that judge each. */
  readonly open: readonly { readonly id: string; readonly commands: readonly string[] }[];
  readonly mayInstall: boolean;
}

/** So that a large plan does not fill the state, nor a slow one the day. */
const mostCommands = 100;
const mostMs = 30 * 60_000;
const mostOwn = 4;
const tailLength = 1500;
const longestName = 120;

interface Kept extends BaselineSeen {
  readonly of: string;
}

interface Seen extends BaselineCheck {
  readonly tail?: string;
  readonly reason?: Reason | undefined;
}

export async function checkBaseline(order: BaselineChecking, signal: AbortSignal): Promise<Outcome> {
  const { repository, folder, setUp, commit, commands } = order;
  const file = join(folder.folder, "baseline.json");
  const of = textDigest(JSON.stringify([commit, commands]));
  const kept = ownRecord<Kept>(file, readRecord(file));
  if (kept?.of === of)
    return { ok: true, baseline: { tree: kept.tree, checks: kept.checks, stops: kept.stops } };
  const tree = await treeOf(repository, commit);
  const room = new CleanRoom(`${folder.room}-baseline`, treeWithSetUp({ repository, setUp, tree }));
  makeFolder(folder.checks);
  try {
    const unmade = await room.freshen({ more: true }, signal);
    if (unmade)
      return {
        ok: true,
        baseline: { tree, checks: [], stops: `the base cannot be set up: ${withHint(unmade)}` },
      };
    const own = await ownCommands(join(room.files, repository.prefix));
    const checks = await runAll(order, { room, own }, signal);
    if (isProblem(checks)) return { ok: true, baseline: { tree, checks: [], stops: checks.message } };
    const stops = stopping(checks, commands) ?? hopeless(checks, order.open);
    const baseline = { tree, checks: checks.map(({ reason: _, ...check }) => check), stops };
    if (!signal.aborted && stops === null)
      replaceFile(file, JSON.stringify({ of, ...baseline } satisfies Kept));
    return { ok: true, baseline };
  } finally {
    await room.remove().catch(() => undefined);
  }
}

interface Own {
  readonly command: string;
  readonly isTest: boolean;
}

/** What the project itself is checked with, as a task would have to write it. */
async function ownCommands(target: string): Promise<Own[]> {
  if (!isPlainFolder(target)) return [];
  const found = await discoverProject(target);
  if (isProblem(found)) return [];
  const all = found.commands.map(({ run, cwd, purpose }) => ({
    command: cwd === "." ? run : `cd ${cwd} && ${run}`,
    isTest: purpose === "test",
  }));
  return [...new Map(all.map((each) => [each.command, each])).values()];
}

async function runAll(
  order: BaselineChecking,
  { room, own }: { readonly room: CleanRoom; readonly own: readonly Own[] },
  signal: AbortSignal,
) {
  const tests = own.filter(({ isTest }) => isTest).slice(0, mostOwn);
  const all = [...new Set([...tests.map(({ command }) => command), ...order.commands])].slice(
    0,
    mostCommands,
  );
  const untilMs = performance.now() + mostMs;
  const checks: Seen[] = [];
  for (const [at, command] of all.entries()) {
    if (signal.aborted) break;
    const isOwn = own.some((each) => each.command === command);
    const log = join(order.folder.checks, `baseline-${at + 1}`);
    if (performance.now() > untilMs) {
      const note = "not tried: the others took too long";
      checks.push({ command, own: isOwn, result: "untried", exit: null, note, log });
      continue;
    }
    // The room is fresh for the first one already.
    const unmade = at === 0 ? undefined : await room.freshen({ more: at + 1 < all.length }, signal);
    if (unmade) return unmade;
    const place = { criterion: "", command, ...placeIn(room, order.repository.prefix), log };
    checks.push(judged(order, await runCheck(order, place, signal), isOwn));
  }
  return checks;
}

function judged({ mayInstall }: BaselineChecking, check: Check, own: boolean): Seen {
  const { command, exit, note, log, ok } = check;
  if (ok) return { command, own, result: "green", exit, note, log };
  const output = outputOf(log);
  const reason = cannotRun({ command, exit, output, mayInstall });
  const tail = output.trim().slice(-tailLength);
  const result = reason ? "cannot-run" : "red";
  return { command, own, result, exit, note: reason?.why ?? note, log, tail, reason };
}

/**
 * Tasks that nothing judges but tests of the project's own which are red already: whoever worked on them would be failed for
 * what was there before. Work that is to make them green is for a person to say.
 */
function hopeless(checks: readonly Seen[], open: BaselineChecking["open"]): string | null {
  const red = new Map(
    checks.filter(({ own, result }) => own && result === "red").map((each) => [each.command, each]),
  );
  const lost = open.filter(({ commands }) => commands.length > 0 && commands.every((each) => red.has(each)));
  const [first] = lost;
  const seen = red.get(first?.commands[0] ?? "");
  if (!first || !seen) return null;
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : "";
  const ways = `fix it first, give ${first.id} a check of its own, or say with --skip-baseline that the work is to fix it`;
  return `\`${seen.command}\` already fails before any work begins, and nothing else checks ${first.id}${more}${whatFails(seen)}; ${ways}`;
}

/** The failing tests by name where the runner prints them, or else the line that says most; and where all of it is. */
function whatFails({ log }: Seen): string {
  const output = outputOf(log);
  const names = [...failingTests(output)].map((name) => name.slice(0, longestName));
  const rest = names.length > 3 ? `, and ${names.length - 3} more` : "";
  const line = names.length > 0 ? `failing: ${names.slice(0, 3).join(", ")}${rest}` : tellingLine(output);
  const files = tailOf(log, 1);
  const whole = [files.log, files.beside].filter((file) => file !== null).join(" and ");
  return `${line ? `: ${line}` : ""}${whole === "" ? "" : ` (whole log: ${whole})`}`;
}

/** A command that cannot run fails every task that is judged by it, however good the work is. */
function stopping(checks: readonly Seen[], planned: readonly string[]): string | null {
  const stuck = checks.filter(({ result, command }) => result === "cannot-run" && planned.includes(command));
  const [first] = stuck;
  if (!first) return null;
  const more = stuck.length > 1 ? ` (and ${stuck.length - 1} more like it)` : "";
  return `\`${first.command}\` cannot run${more}: ${first.reason?.why}; ${first.reason?.hint}`;
}
