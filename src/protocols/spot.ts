// A spot in a document that may hold anything. Checks walk over spots, so that they find what they look for in a
// file whose shape is wrong elsewhere, and so that every problem knows its place.

import type { Hint } from "../core/hint.ts";
import { type Problem, problem } from "../core/problem.ts";
import { type JsonDocument, placeOf, type Source, segment, visible } from "./document.ts";

export class Spot {
  readonly source: Source;
  readonly pointer: string;
  readonly value: unknown;

  constructor(source: Source, pointer: string, value: unknown) {
    this.source = source;
    this.pointer = pointer;
    this.value = value;
  }

  at(key: string): Spot {
    const { value } = this;
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, key);
    return new Spot(this.source, this.pointer + segment(key), isThere ? Reflect.get(value, key) : undefined);
  }

  get isList(): boolean {
    return Array.isArray(this.value);
  }

  /** Nothing when this is no list: the schema says so already. */
  get items(): Spot[] {
    if (!Array.isArray(this.value)) return [];
    return this.value.map((item, index) => new Spot(this.source, this.pointer + segment(index), item));
  }

  get text(): string | undefined {
    return typeof this.value === "string" ? this.value : undefined;
  }

  problem(code: string, message: string, hint: Hint): Problem {
    return problem(code, message, { place: placeOf(this.source, this.pointer), hint });
  }
}

export function rootOf(document: JsonDocument): Spot {
  return new Spot(document, "", document.value);
}

const SHOWN = 80;

/** A value of the file inside a sentence: in backticks, on one line, not too long. */
export function shown(value: unknown): string {
  const text = visible(typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"));
  return `\`${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}\``;
}
