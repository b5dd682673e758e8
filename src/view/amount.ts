// Time, tokens and money as people read them. What nobody told is unknown, never zero.
import type { Usage } from "../core/run-parts.ts";

/** `42s`, `3m05s`, `2h07m`: at most six cells below a hundred hours. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** Only as exact as a guess is. */
export function about(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 1) return "under 1 min";
  return minutes < 90 ? `about ${Math.round(minutes)} min` : `about ${Math.round(minutes / 6) / 10} h`;
}

export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export function usd(amount: number): string {
  return amount > 0 && amount < 0.005 ? "<$0.01" : `$${amount.toFixed(2)}`;
}

type Cost = Pick<Usage, "costUsd" | "unknownCosts">;

/** `$1.20`, `≥$1.20`, or `?` when nothing is known at all. */
export function cost({ costUsd, unknownCosts }: Cost): string {
  if (unknownCosts === 0) return usd(costUsd);
  return costUsd === 0 ? "?" : `≥${usd(costUsd)}`;
}

/** Nobody told anything: that is not the same as nothing. */
export function isUntold({
  inputTokens,
  outputTokens,
  costUsd,
  unknownCosts,
}: Omit<Usage, "largestCallUsd">): boolean {
  return inputTokens + outputTokens === 0 && costUsd === 0 && unknownCosts === 0;
}

/** Against a budget, if there is one to name. */
export function costSentence({ costUsd, unknownCosts }: Cost, budgetUsd?: number): string {
  const of = budgetUsd === undefined ? "" : ` of $${budgetUsd}`;
  if (unknownCosts === 0) return `${usd(costUsd)}${of}`;
  const calls = `${unknownCosts} call${unknownCosts === 1 ? "" : "s"} of unknown cost`;
  return costUsd === 0 ? `cost unknown${of} (${calls})` : `at least ${usd(costUsd)}${of} (${calls})`;
}

export function bytes(count: number): string {
  const [kib, mib] = [1024, 1024 * 1024];
  if (count < 1000 * kib) return `${Math.ceil(count / kib)} KiB`;
  return count < 1000 * mib ? `${(count / mib).toFixed(1)} MiB` : `${(count / mib / kib).toFixed(1)} GiB`;
}
