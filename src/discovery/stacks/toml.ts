// As much of TOML as manifests need: tables, keys, strings, arrays, inline tables. There is no TOML library here, and a
// manifest that is not quite valid should still give what can be read of it, so this goes line by line and never
// throws. Values stay as they are written; `textIn` and `textsIn` take the strings out of them.

/** Table by its dotted name, then key; the n-th `[[bin]]` is `bin[n]`. */
export type Toml = ReadonlyMap<string, ReadonlyMap<string, string>>;

const maxLines = 20_000;

export function readToml(text: string): Toml {
  const tables = new Map<string, Map<string, string>>();
  const lines = text.split(/\r?\n/, maxLines);
  let table = "";
  for (let at = 0; at < lines.length; at++) {
    const line = withoutComment(lines[at] ?? "").trim();
    const header = /^\[(\[?)([^\]]+)\]\]?$/.exec(line);
    if (header) {
      table = header[1] === "[" ? numbered(tables, unquoted(header[2] ?? "")) : unquoted(header[2] ?? "");
      tables.set(table, tables.get(table) ?? new Map());
      continue;
    }
    const pair = /^((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=\s*(.*)$/.exec(
      line,
    );
    if (!pair) continue;
    const { value, end } = wholeValue(lines, at, pair[2] ?? "");
    at = end;
    put(tables, { table, key: pair[1] ?? "", value });
  }
  return tables;
}

function put(
  tables: Map<string, Map<string, string>>,
  { table, key, value }: { table: string; key: string; value: string },
): void {
  const parts = keyParts(key);
  const last = parts.pop() ?? "";
  const name = [table, ...parts].filter((part) => part !== "").join(".");
  const keys = tables.get(name) ?? new Map<string, string>();
  tables.set(name, keys.set(last, value));
}

function keyParts(key: string): string[] {
  return [...key.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

const unquoted = (name: string) =>
  name
    .trim()
    .replace(/["']/g, "")
    .replace(/\s*\.\s*/g, ".");

function numbered(tables: ReadonlyMap<string, unknown>, name: string): string {
  for (let n = 0; ; n++) if (!tables.has(`${name}[${n}]`)) return `${name}[${n}]`;
}

/** An array or a long string goes on over lines; one that never ends takes what is left. */
function wholeValue(lines: readonly string[], start: number, first: string): { value: string; end: number } {
  const quote = /^("""|''')/.exec(first)?.[1];
  const parts = [first];
  const isOpen = () =>
    quote === undefined
      ? depth > 0
      : !(parts.length === 1 ? first.slice(3) : (parts.at(-1) ?? "")).includes(quote);
  let depth = quote === undefined ? nesting(first) : 0;
  let end = start;
  while (isOpen() && end + 1 < lines.length) {
    end++;
    const line = quote === undefined ? withoutComment(lines[end] ?? "") : (lines[end] ?? "");
    parts.push(line);
    depth += quote === undefined ? nesting(line) : 0;
  }
  return { value: parts.join("\n").trim(), end };
}

function nesting(line: string): number {
  const bare = line.replace(/"(?:[^"\\]|\\.){0,500}"|'[^']{0,500}'/g, "");
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0);
}

/** A `#` within quotes is not a comment. */
function withoutComment(line: string): string {
  if (!line.includes("#")) return line;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? "";
    if (quote !== "") {
      if (letter === "\\" && quote === '"') at++;
      else if (letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "#") return line.slice(0, at);
  }
  return line;
}

/** All strings within a value: of an array, or the one that it is. */
export function textsIn(value: string | undefined): string[] {
  return [...(value ?? "").matchAll(/"((?:[^"\\]|\\.){0,300})"|'([^']{0,300})'/g)].map(
    ([, double, single]) => double ?? single ?? "",
  );
}

export function textIn(value: string | undefined): string | undefined {
  return value !== undefined && /^["']/.test(value) ? textsIn(value)[0] : undefined;
}

/** A field of an inline table: `{ version = "1", optional = true }`. */
export function fieldIn(value: string | undefined, field: string): string | undefined {
  return new RegExp(`[{,]\\s*${field}\\s*=\\s*"([^"]*)"`).exec(value ?? "")?.[1];
}

/**
 * Name and version of every dependency in a table, whichever of the three ways it is written: `a = "1"`,
 * `a = { version = "1" }`, or a table `[dependencies.a]` of its own.
 */
export function dependenciesIn(toml: Toml, table: string): (readonly [string, string | null])[] {
  const plainly = [...(toml.get(table) ?? [])].map(
    ([name, value]) => [name, textIn(value) ?? fieldIn(value, "version") ?? null] as const,
  );
  const own = [...toml]
    .filter(([name]) => name.startsWith(`${table}.`) && !name.slice(table.length + 1).includes("."))
    .map(([name, keys]) => [name.slice(table.length + 1), textIn(keys.get("version")) ?? null] as const);
  return [...plainly, ...own];
}

export function hasTable(toml: Toml, name: string): boolean {
  for (const table of toml.keys()) if (table === name || table.startsWith(`${name}.`)) return true;
  return false;
}
