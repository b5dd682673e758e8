// What `heddle doctor` finds, one line each.
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly what: string;
  /** What to type. */
  readonly hint?: string;
}

export const ok = (name: string, what: string): Finding => ({ name, state: "ok", what });
export const warn = (name: string, what: string, hint: string): Finding => ({
  name,
  state: "warn",
  what,
  hint,
});
export const fail = (name: string, what: string, hint: string): Finding => ({
  name,
  state: "fail",
  what,
  hint,
});

/** Where things are tried: a folder on the project's own disk, gone afterwards. */
export interface Bench {
  readonly root: string;
  readonly heddle: string;
  readonly folder: string;
}
