// A project with skills of the corpus in it, and the real CLI at work on them.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, heddle } from "../e2e/rig.ts";
import { corpus } from "./corpus.ts";

export interface Shown {
  readonly run: string;
  readonly phase: string;
  readonly gate: string;
  readonly score: number;
  readonly workDir: string;
  readonly halted: string | null;
  readonly open: readonly {
    readonly id: string;
    readonly point: string;
    readonly text: string;
    readonly options: readonly string[];
  }[];
  readonly summary: readonly string[];
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly applied: readonly { readonly fix_id: string; readonly strategy: string }[];
  readonly left: readonly { readonly pattern: string }[];
  readonly deep: Readonly<Record<string, unknown>> | null;
}

export class Bench {
  readonly root = folder();

  constructor(...skills: readonly string[]) {
    for (const name of skills) cpSync(join(corpus, name), join(this.root, name), { recursive: true });
  }

  async tune(...words: readonly string[]): Promise<{ code: number | null; shown: Shown; err: string }> {
    const { code, out, err } = await heddle(["tune", ...words, "--dir", this.root, "--json"], {
      cwd: this.root,
    });
    if (out === "") throw new Error(err);
    return { code, err, shown: JSON.parse(out) as Shown };
  }

  run(...words: readonly string[]) {
    return heddle([...words, "--dir", this.root], { cwd: this.root });
  }

  text(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  /** What agents will do, by role; the name for `--agent`. */
  script(turns: Readonly<Record<string, readonly object[]>>): string {
    writeFileSync(join(this.root, "script.json"), JSON.stringify(turns));
    return "scripted:script.json";
  }
}

/** A turn that leaves this answer. */
export function answers(path: string, value: unknown, more: object = {}): object {
  const answer = { stateUpdates: { [path]: value }, outputFiles: [], summary: "done" };
  return { text: JSON.stringify(answer), ...more };
}
