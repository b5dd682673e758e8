// Words for what is shown, the same as in the terminal. Text of others goes through `shown`, which makes visible what would
// change how the rest reads (control characters, direction overrides), as the terminal does.
import type { Amount, AttemptRow, InboxItem, RunPage, Standing, TaskRow } from "../src/page/model.ts";
import { elapsed, tokens, usd } from "../src/view/amount.ts";
import { safe, withoutEscapes } from "../src/view/safe.ts";

export const shown = (text: string): string => safe(withoutEscapes(text.replaceAll("\r\n", "\n")));

export const statuses = ["pending", "running", "complete", "failed", "blocked", "skipped"] as const;
/** As a board reads, left to right. */
export const columns = ["blocked", "pending", "running", "failed", "complete", "skipped"] as const;

export const standingWord: Readonly<Record<Standing, string>> = {
  working: "working",
  waiting: "waiting for you",
  halted: "halted",
  stopped: "stopped",
  done: "done",
};

export const kindWord: Readonly<Record<InboxItem["kind"], string>> = {
  question: "Question",
  approval: "Approval",
  halt: "Halt",
  budget: "Budget",
  agent: "Agent",
  view: "Edited view",
};

export const outcomeWord: Readonly<Record<AttemptRow["outcome"], string>> = {
  running: "running",
  complete: "complete",
  failed: "failed",
  lost: "lost",
  paused: "paused",
};

/** `$1.20`, `≥$1.20`, or `?` when nothing is known at all. */
export function cost({ costUsd, unknownCosts }: Pick<Amount, "costUsd" | "unknownCosts">): string {
  if (costUsd === null) return "?";
  if (unknownCosts === 0) return usd(costUsd);
  return costUsd === 0 ? "?" : `≥${usd(costUsd)}`;
}

export function costTitle({ unknownCosts }: Pick<Amount, "unknownCosts">): string {
  if (unknownCosts === 0) return "";
  return `${unknownCosts} call${unknownCosts === 1 ? "" : "s"} of unknown cost`;
}

/** Nobody told anything: that is not the same as nothing. */
export const tokenWords = ({ inputTokens, outputTokens, costUsd }: Amount) =>
  inputTokens + outputTokens === 0 && costUsd === null
    ? "tokens unknown"
    : `${tokens(inputTokens)} in, ${tokens(outputTokens)} out`;

export const counted = (count: number, word: string) =>
  `${count.toLocaleString("en-US")} ${word}${count === 1 ? "" : "s"}`;

/** As commands have them: `812 ms`. */
export const shortly = (ms: number | null) =>
  ms === null ? "" : ms < 10_000 ? `${ms.toLocaleString("en-US")} ms` : elapsed(ms);

/** What a card says of a task beside its name. */
export function detailOf(row: TaskRow, nowMs: number): string {
  const parts: string[] = [];
  if (row.status === "running" && row.stage) parts.push(row.stage);
  if (row.attempts > 1) parts.push(`attempt ${row.attempts}`);
  if (row.status === "running" && row.startedAt) parts.push(elapsed(nowMs - Date.parse(row.startedAt)));
  if (row.status === "complete" && row.startedAt && row.completedAt)
    parts.push(elapsed(Date.parse(row.completedAt) - Date.parse(row.startedAt)));
  if (row.status === "complete" && row.done !== "verified") parts.push("unverified");
  if (row.costUsd !== null && row.costUsd > 0) parts.push(usd(row.costUsd));
  return parts.join(" · ");
}

const two = (value: number) => String(value).padStart(2, "0");

/** `16:20:31`, in the reader's zone. */
export function clock(iso: string | number): string {
  const at = new Date(iso);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** `2026-11-16 16:20`. */
export function day(iso: string | number): string {
  const at = new Date(iso);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export const total = ({ counts }: Pick<RunPage, "counts">) =>
  statuses.reduce((sum, status) => sum + counts[status], 0);
