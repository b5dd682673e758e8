// The door for numbers and texts from outside. What an agent prints, a file says or a clock tells may be `1e308`, a lone
// surrogate or a tree of a million levels; what becomes a fact is finite, well formed and bounded, so that the state in
// memory, its JSON and the fold of its history are one and the same.
import type { Spent } from "./input.ts";

/** The largest number that a fact holds: sums stop here. */
export const mostNumber = Number.MAX_SAFE_INTEGER;

const mostDepth = 64;
const mostText = 16 * 1024 * 1024;

/** A number that JSON can hold. What is none counts as nothing. */
export function finite(value: number): number {
  if (typeof value !== "number" || Number.isNaN(value)) return 0;
  return Math.min(Math.max(value, -mostNumber), mostNumber) + 0;
}

/** So much of something: tokens, dollars, milliseconds. */
export function amount(value: number): number {
  return Math.max(0, finite(value));
}

export function sum(a: number, b: number): number {
  return finite(finite(a) + finite(b));
}

/** What was spent is never less than nothing: a budget that an agent could fill up would bound nobody. */
export function spentOf({ agent, inputTokens, outputTokens, costUsd }: Spent): Spent {
  return {
    agent,
    inputTokens: amount(inputTokens),
    outputTokens: amount(outputTokens),
    costUsd: costUsd === null ? null : amount(costUsd),
  };
}

/** The later of two run times. */
export function later(a: number, b: number): number {
  return Math.max(finite(a), finite(b));
}

/** The same value, bounded; the very same one where nothing is out of bounds. */
export function bounded<T>(value: T): T {
  return walk(value, 0) as T;
}

function walk(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "number":
      return finite(value);
    case "string":
      return textOf(value);
    case "object":
      if (value === null) return value;
      if (depth > mostDepth) return null;
      return Array.isArray(value) ? listOf(value, depth) : recordOf(value, depth);
    case "bigint":
      return finite(Number(value));
    case "function":
    case "symbol":
      return null;
    default:
      return value;
  }
}

function textOf(value: string): string {
  const whole = value.isWellFormed() ? value : value.toWellFormed();
  return whole.length > mostText ? whole.slice(0, mostText).toWellFormed() : whole;
}

function listOf(list: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [at, each] of list.entries()) {
    const good = walk(each, depth + 1) ?? null;
    if (copy === undefined && !Object.is(good, each)) copy = list.slice(0, at);
    copy?.push(good);
  }
  return copy ?? list;
}

/** One pass, however deep: what is changed at the bottom of a tree must not be walked once more on every level. */
function recordOf(record: object, depth: number): object {
  const changed = new Map<string, unknown>();
  for (const key of Object.keys(record)) {
    const each = (record as Record<string, unknown>)[key];
    const good = isPlainKey(key) ? walk(each, depth + 1) : undefined;
    if (!Object.is(good, each)) changed.set(key, good);
  }
  if (changed.size === 0) return record;
  const kept = Object.entries(record).filter(([key]) => isPlainKey(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, changed.has(key) ? changed.get(key) : each]));
}

/** A key `__proto__` would become a prototype once it is assigned. */
const isPlainKey = (key: string) => key !== "__proto__" && key.isWellFormed();
