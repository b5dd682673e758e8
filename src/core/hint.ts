// What can be done about a problem, as data: the core names the deed, and a surface says how it is done there
// (`view/hint.ts`): `heddle state retry-task T001` in a shell, `/state retry-task T001` at the prompt.
import type { TaskId } from "./run.ts";

export type Deed =
  | { readonly do: "answer"; readonly question: string }
  | { readonly do: "attach" | "complete-task" | "start-task" | "why"; readonly task: TaskId }
  | { readonly do: "confirm-verification"; readonly task: TaskId }
  | { readonly do: "fail-task"; readonly task: TaskId; readonly reason?: string }
  | { readonly do: "skip-task"; readonly task: TaskId }
  | { readonly do: "retry-task"; readonly task: TaskId; readonly force?: boolean }
  | { readonly do: "halt"; readonly now?: boolean }
  /** `budgetUsd`: null when the person chooses. */
  | { readonly do: "resume"; readonly budgetUsd?: number | null; readonly skipBaseline?: boolean }
  | { readonly do: "override"; readonly to?: readonly string[] }
  /** A check that may stay as it is, for a reason. */
  | { readonly do: "allow"; readonly code: string }
  | { readonly do: "show-protocol" | "check-protocol"; readonly protocol: string }
  | { readonly do: "checkpoint"; readonly action: "create" | "recover" | "clear" }
  | { readonly do: SimpleDeed }
  /** A command of a protocol's own, or of the surface, by its name and whatever follows it. */
  | { readonly do: "call"; readonly command: string };

/** Deeds that need nothing to be said. */
export type SimpleDeed =
  | "adopt-edit"
  | "begin-anew"
  | "change-plan"
  | "examine-machine"
  | "follow"
  | "load-tasks"
  | "restore-view"
  | "show-history"
  | "show-next"
  | "show-status";

/** A sentence in which deeds are named: `[{ do: "resume" }, " goes on"]`. Text alone is typed or done as it stands. */
export type Hint = string | Deed | readonly (string | Deed)[];

export const toCall = (command: string): Deed => ({ do: "call", command });

export const isDeed = (part: unknown): part is Deed =>
  typeof part === "object" && part !== null && "do" in part;

/** As one sentence, whatever each of them is; a plain text when none of them names a deed. */
export function joined(...hints: readonly Hint[]): Hint {
  const parts = hints.flatMap((hint) => (typeof hint === "string" || isDeed(hint) ? [hint] : hint));
  return parts.some(isDeed) ? parts : parts.join("");
}
