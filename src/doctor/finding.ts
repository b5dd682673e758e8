// What `heddle doctor` finds, one line each.

import type { Hint } from "../core/hint.ts";
import type { Packs } from "../engine/packs.ts";
import type { Journals } from "../journal/journal.ts";
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly what: string;
  /** What to type. */
  readonly hint?: Hint;
}

export const ok = (name: string, what: string): Finding => ({ name, state: "ok", what });
export const warn = (name: string, what: string, hint: Hint): Finding => ({
  name,
  state: "warn",
  what,
  hint,
});
export const fail = (name: string, what: string, hint: Hint): Finding => ({
  name,
  state: "fail",
  what,
  hint,
});

/** Where things are tried: a folder on the project's own disk, gone afterwards. */
export interface TestBed {
  readonly root: string;
  readonly packs: Packs;
  readonly journals: Journals;
  readonly heddle: string;
  readonly folder: string;
}
