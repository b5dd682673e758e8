// SQLite's errors as sentences. Whatever it was, the transaction was rolled back.

import { toCall } from "../core/hint.ts";
import { type Problem, problem } from "../core/problem.ts";
import { StoreFailure } from "./journal.ts";

interface SqliteError extends Error {
  readonly errcode?: number;
}

export function storeFailure(error: unknown, path: string): unknown {
  if (error instanceof StoreFailure) return error;
  const described = describe(error as SqliteError & NodeJS.ErrnoException, path);
  return described ? new StoreFailure(described) : error;
}

/** Whatever keeps a journal from being made, whichever of its folders it was about. */
export function unusable(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const known = storeFailure(error, path);
  if (known instanceof StoreFailure || code === undefined) return known;
  return new StoreFailure(code === "ENOSPC" || code === "EDQUOT" ? full(path) : unwritable(path));
}

function describe(error: SqliteError & NodeJS.ErrnoException, path: string): Problem | undefined {
  // Of files other than the journal's own, somebody else speaks.
  if (error.code !== undefined && error.path?.startsWith(path)) {
    if (error.code === "ENOENT")
      return problem("no-project", `there is no journal at ${path}`, { hint: toCall("init <target>") });
    if (error.code === "ENOSPC" || error.code === "EDQUOT") return full(path);
    return unwritable(path);
  }
  // The low byte is the primary code; the rest only tells its kinds apart.
  switch (error.errcode === undefined ? -1 : error.errcode & 0xff) {
    case 5:
    case 6:
      return problem("busy", `the journal was busy for too long: ${path}`, { hint: "run the command again" });
    case 8:
    case 14:
      return unwritable(path);
    case 10:
      return problem("io", `the disk failed while using the journal: ${path} (${error.message})`, {
        hint: "check the disk, then run the command again: nothing was changed",
      });
    case 13:
      return full(path);
    case 19:
      return error.errcode === byTrigger ? moved(path) : undefined;
    case 1:
    case 11:
    case 26:
      return problem("corrupt", `the journal is damaged: ${path} (${error.message})`, {
        hint: toCall("restore <backup>"),
      });
    default:
      return undefined;
  }
}

/** What a journal that was moved says to whoever had it open before (`moved.ts`): no other trigger is there. */
const byTrigger = 1811;

const moved = (path: string) =>
  problem("moved", `the journal was moved to a server meanwhile: nothing was changed in ${path}`, {
    hint: "run the command again",
  });

const full = (path: string) =>
  problem("full", `the disk is full: nothing was changed in ${path}`, {
    hint: "free some space, then run the command again",
  });

const unwritable = (path: string) =>
  problem("unwritable", `the journal cannot be written: ${path}`, { hint: `ls -ld ${path} shows who may` });
