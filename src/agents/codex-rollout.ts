// What Codex writes down about a conversation, in its home: the only place where it tells what each call used. Its
// stream says so at the end alone, and not at all when it is killed. A file of its own affairs: when it is not
// there, or is written otherwise, nothing is known, and nothing breaks.
import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { fieldsOf } from "./conversation.ts";
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
    try {
      this.#file ??= this.#find();
      if (this.#file !== undefined) this.#take(this.#file);
    } catch {
      // It is not there yet.
    }
    return { total: this.#total, calls: this.#calls };
  }

  #find(): string | undefined {
    const names = readdirSync(this.#folder, { recursive: true, encoding: "utf8" });
    const name = names.filter((each) => each.endsWith(".jsonl")).at(-1);
    return name === undefined ? undefined : join(this.#folder, name);
  }

  #take(file: string): void {
    const handle = openSync(file, "r");
    try {
      for (let left = fstatSync(handle).size - this.#at; left > 0; ) {
        const chunk = Buffer.alloc(Math.min(left, mostAtOnce));
        const read = readSync(handle, chunk, 0, chunk.length, this.#at);
        if (read === 0) return;
        this.#at += read;
        left -= read;
        const lines = (this.#rest + chunk.toString("latin1", 0, read)).split("\n");
        this.#rest = (lines.pop() ?? "").slice(0, mostAtOnce);
        for (const line of lines) this.#hear(line);
      }
    } finally {
      closeSync(handle);
    }
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
