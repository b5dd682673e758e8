// What is said between an orchestrator and `heddle carry --machine` on another machine, beside what every carrying process
// says (`messages.ts`): who is there, which commits are missing, packs of commits in pieces, and signs of life. Both sides
// speak regularly, so that each notices when the other is gone, whatever the network does.
import { jsonIn } from "../../core/json.ts";
import type { Said } from "./messages.ts";

/** Raised when two sides would no longer understand each other although their versions are alike. */
export const wireFormat = 1;

/** Each side speaks at least so often, and gives the other up after so long. */
export const beatMs = 5_000;
export const silenceMs = 30_000;

/** What of a pack goes into one line. */
export const pieceBytes = 192 * 1024;

/** The first line out, before anything is asked. */
export interface Hello {
  readonly kind: "hello";
  readonly version: string;
  readonly wire: number;
}

/** Where it is carried out: a folder for each project of each machine that gives orders. */
export interface Lodging {
  readonly project: string;
  /** Where these folders lie; in the account's own state folder otherwise. */
  readonly folder?: string;
}

/** What an agent is made of there: the words of the configuration, and no secret. */
export interface Fitting {
  readonly settings: string;
  readonly unconfined: boolean;
}

/** What is asked of a machine before it is given anything. */
export interface Looking {
  readonly agents: readonly string[];
  /** Whether everything is tried for real, as `heddle doctor` does. */
  readonly thorough: boolean;
}

/** What was found; a sentence for each thing that is missing. */
export interface Seen {
  readonly agents: readonly string[];
  readonly missing: readonly string[];
  readonly findings: readonly SeenFinding[];
}

export interface SeenFinding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly what: string;
  readonly hint?: string;
}

/** Lines out that only a machine says. */
export type MachineSaid =
  | Hello
  | { readonly kind: "beat" }
  /** Commits that are missing there, and those that are known. */
  | { readonly kind: "needs"; readonly commits: readonly string[]; readonly known: readonly string[] }
  /** From here on something may be lost. */
  | { readonly kind: "begins" }
  | { readonly kind: "piece"; readonly piece: string }
  | { readonly kind: "packed"; readonly commit: string }
  | { readonly kind: "seen"; readonly seen: Seen };

/** Lines in, beside the order and answers. */
export type ToMachine = { readonly beat: true } | { readonly piece: string } | { readonly packed: true };

export const machineSaidIn = (line: string) => jsonIn(line) as MachineSaid | Said | undefined;
