// Signs of life of a journal that is a file: small files beside it, one per process, on the one machine that has it.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { recordIn } from "../core/json.ts";
import type { Holder } from "../core/run-parts.ts";
import type { SeenSign, Sign, Signs } from "./journal.ts";

/** A file that nobody has touched for so long is of one who was killed. */
const forgottenMs = 10 * 60_000;

const nameOf = ({ pid, startTime }: Holder) => `${pid}-${startTime || "0"}.json`;

export function signFiles(folder: string, locks: readonly string[]): Signs {
  return {
    show: async (sign) => {
      const file = join(folder, nameOf(sign.by));
      // Never with what is above it: a project that was moved away is not made in its old place.
      if (!existsSync(folder)) mkdirSync(folder);
      writeFileSync(`${file}.new`, JSON.stringify(sign));
      renameSync(`${file}.new`, file);
    },
    seen: async () => namesIn(folder).flatMap((name) => signIn(join(folder, name)) ?? []),
    drop: async (by) => rmSync(join(folder, nameOf(by)), { force: true }),
    isBlocked: async () => locks.some(isLocked),
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}

function signIn(file: string): SeenSign | undefined {
  try {
    const ageMs = Math.max(0, Date.now() - statSync(file).mtimeMs);
    if (ageMs > forgottenMs) return void rmSync(file, { force: true });
    const sign = recordIn<Sign & Record<string, unknown>>(readFileSync(file, "utf8"));
    return sign && { ...sign, ageMs };
  } catch {
    // It ended while one looked.
    return undefined;
  }
}

/** Somebody writes there, or has it for a turn. */
function isLocked(file: string): boolean {
  // Opened, one that is missing would be made.
  if (!existsSync(file)) return false;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec("begin immediate");
    db.exec("rollback");
    return false;
  } catch (error) {
    return ((error as { errcode?: number }).errcode ?? 0) % 256 === busy;
  } finally {
    if (db?.isOpen) db.close();
  }
}

const busy = 5;
