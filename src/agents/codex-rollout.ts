// What Codex writes down about a conversation, in its home: the only place where it tells what each call used. Its
// stream says so at the end alone, and not at all when it is killed. A file of its own affairs: when it is not
// there, or is written otherwise, nothing is known, and nothing breaks.

import { join } from "node:path";
import { fieldsOf } from "../core/json.ts";
import { readBytes, walkHandedIn } from "../host/handed-in.ts";
import type { Tokens } from "./prices.ts";
import { amount, jsonIn } from "./program.ts";

export interface Told {
  /** Since the conversation began, earlier processes included. */
  readonly total: Tokens;
  readonly calls: number;
}

const nothing: Tokens = { input: 0, cachedInput: 0, output: 0 };
/** A line that is longer is no count. */
const mostAtOnce = 4 * 1024 * 1024;
/** No conversation is so long. */
const mostInAll = 512 * 1024 * 1024;

/** Codex keeps them by year, month and day. The folder is the agent's: it may be full of anything. */
export function rolloutsIn(folder: string): string[] {
  return walkHandedIn(folder, { depth: 5, most: 5000 }).filter((name) => name.endsWith(".jsonl"));
}

export class Rollout {
  readonly #folder: string;
  #file: string | undefined;
  #at = 0;
  #rest = "";
  #total = nothing;
  #calls = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What is written by now. Never throws. */
  read(): Told {
    this.#file ??= this.#find();
    if (this.#file !== undefined) this.#take(this.#file);
    return { total: this.#total, calls: this.#calls };
  }

  #find(): string | undefined {
    const name = rolloutsIn(this.#folder).at(-1);
    return name === undefined ? undefined : join(this.#folder, name);
  }

  /** A part at a time: what the agent can write there may grow faster than anybody reads. */
  #take(file: string): void {
    if (this.#at > mostInAll) return;
    const piece = { bytes: mostAtOnce, from: this.#at };
    const read = readBytes(file, piece, { within: this.#folder });
    if (typeof read === "string") return;
    this.#at += read.bytes.length;
    const lines = (this.#rest + read.bytes.toString("latin1")).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, mostAtOnce);
    for (const line of lines) this.#hear(line);
  }

  #hear(line: string): void {
    if (!line.includes('"token_count"')) return;
    const { type, info } = fieldsOf(jsonIn(line)?.payload);
    const total = tokensIn(fieldsOf(info).total_token_usage);
    if (type !== "token_count" || !total) return;
    if (total.input + total.output > this.#total.input + this.#total.output) this.#calls += 1;
    this.#total = total;
  }
}

/** Codex's way of counting, in its stream and here. */
export function tokensIn(value: unknown): Tokens | undefined {
  const { input_tokens, cached_input_tokens, output_tokens } = fieldsOf(value);
  if (typeof input_tokens !== "number") return undefined;
  const count = (each: unknown) => amount(each) ?? 0;
  return {
    input: count(input_tokens),
    cachedInput: count(cached_input_tokens),
    output: count(output_tokens),
  };
}
