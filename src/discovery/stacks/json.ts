// JSON of a stranger: nothing in it has to be what it should be. Comments and trailing commas are let pass, because
// tools that read these files let them pass too.
import { type ParseError, parse } from "jsonc-parser";
import { isTooDeep } from "../../core/json.ts";
import type { Module } from "./module.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The object in a file, or an empty one; what is wrong with it becomes a note. */
export function readJson(module: Module, path: string): Fields | undefined {
  const text = module.raw(path);
  if (text === undefined) return undefined;
  const errors: ParseError[] = [];
  // The parser recurses: a file of brackets alone would end the process.
  const value: unknown = isTooDeep(text) ? undefined : parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || value === undefined) module.note(`${module.at(path)} is not valid JSON`);
  return fields(value);
}

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function textFields(value: unknown): [string, string][] {
  return Object.entries(fields(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
