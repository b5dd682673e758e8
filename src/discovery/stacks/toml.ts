// Manifests in TOML, as tables by their dotted names. A manifest that is not quite valid should still give what can be
// read of it: lines that the parser stumbles over are left out, and nothing here throws.
import { parse, TomlError, type TomlTable } from "smol-toml";

/** Table by its dotted name, then key; the n-th `[[bin]]` is `bin[n]`. A table is also a key of the one around it. */
export type Toml = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

const maxLength = 1_000_000;
/** Each costs another reading of the file; of one that is slow to read, not many. */
const maxWrongLines = 30;
const enoughMs = 500;
const maxDepth = 12;
const maxTables = 20_000;

export function readToml(text: string): Toml {
  const tables = new Map<string, Map<string, unknown>>();
  addTable(tables, parsed(text.slice(0, maxLength)), []);
  return tables;
}

function parsed(text: string): unknown {
  const lines = text.split(/\r?\n/);
  const until = performance.now() + enoughMs;
  for (let wrong = 0; wrong <= maxWrongLines && performance.now() < until; wrong++) {
    try {
      return parse(lines.join("\n"));
    } catch (error) {
      // Anything else is a value that is nested deeper than the stack.
      if (!(error instanceof TomlError)) return {};
      lines[Math.min(error.line, lines.length) - 1] = "";
    }
  }
  return {};
}

const isTable = (value: unknown): value is TomlTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function addTable(tables: Map<string, Map<string, unknown>>, value: unknown, name: readonly string[]): void {
  if (!isTable(value) || name.length > maxDepth || tables.size >= maxTables) return;
  const keys = Object.entries(value);
  if (name.length > 0 || keys.length > 0) tables.set(name.join("."), new Map(keys));
  for (const [key, inner] of keys) {
    if (Array.isArray(inner))
      inner.forEach((each: unknown, at) => {
        addTable(tables, each, [...name, `${key}[${at}]`]);
      });
    else addTable(tables, inner, [...name, key]);
  }
}

/** All strings within a value: of an array, or the one that it is. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Name and version of every dependency in a table, whichever way it is written: `a = "1"`, `a = { version = "1" }`, a
 * table `[dependencies.a]` of its own, or a list of versions for different places.
 */
export function dependenciesIn(toml: Toml, table: string): (readonly [string, string | null])[] {
  return [...(toml.get(table) ?? [])].map(([name, value]) => [name, versionIn(value) ?? null]);
}

function versionIn(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return textIn(one) ?? (isTable(one) ? textIn(one.version) : undefined);
}
