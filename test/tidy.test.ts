// The rules of the house as tests: which folder may see which, a core without I/O, no import cycles, sizes, words.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const src = join(root, "src");

/** Arrows point to `core`. A surface sees the engine, core and views. */
const sees: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocols: ["core"],
  journal: ["core"],
  host: ["core"],
  discovery: ["core", "host"],
  config: ["core", "protocols"],
  agents: ["core", "host"],
  view: ["core", "protocols"],
  tuning: ["core", "host", "protocols"],
  planning: ["core", "host", "protocols", "discovery"],
  jobs: ["core", "host", "protocols", "planning"],
  effects: ["core", "host", "journal", "view", "planning", "jobs", "agents", "protocols", "discovery"],
  engine: [
    "core",
    "protocols",
    "journal",
    "host",
    "discovery",
    "config",
    "agents",
    "planning",
    "tuning",
    "jobs",
    "effects",
    "view",
  ],
  mcp: [],
  cli: ["core", "engine", "view", "protocols", "host", "mcp", "tuning"],
  ".": ["core", "engine", "view", "protocols", "cli"],
};

const limits = { fileLines: 400, functionLines: 60, parameters: 3 };

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean }[];
}

const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => read(join(src, name)));

function read(file: string): Source {
  const text = readFileSync(file, "utf8");
  const path = relative(src, file);
  const found = text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm);
  const imports = [...found].map(([, typeOnly, from, lazily]) => {
    const target = from ?? lazily ?? "";
    return {
      target: target.startsWith(".") ? relative(src, join(dirname(file), target)) : target,
      typeOnly: typeOnly !== undefined,
    };
  });
  return { path, folder: path.includes("/") ? (path.split("/")[0] ?? ".") : ".", text, imports };
}

const isOurs = (target: string) => target.endsWith(".ts");
const folderOf = (target: string) => (target.includes("/") ? (target.split("/")[0] ?? ".") : ".");

describe("tidy", () => {
  it("finds the sources", () => {
    expect(sources.length).toBeGreaterThan(50);
  });

  it("lets arrows point one way only", () => {
    const wrong = sources.flatMap(({ path, folder, imports }) =>
      imports
        .filter(({ target }) => isOurs(target) && folderOf(target) !== folder)
        .filter(({ target }) => !sees[folder]?.includes(folderOf(target)))
        .map(({ target }) => `${path} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("C5 keeps the core free of I/O, clocks, randomness and await", () => {
    const impure =
      /\bnode:|\bawait\b|\basync\b|\bDate\b|\bMath\.random\b|\bsetTimeout\b|\bprocess\.|\bfetch\(|\bconsole\b|\bperformance\b/;
    const wrong = sources
      .filter(({ folder }) => folder === "core")
      .flatMap(({ path, text }) =>
        codeLines(text)
          .filter((line) => impure.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  it("keeps protocols and views pure as well, but for dates that are shown", () => {
    const impure = /"node:|\bawait\b|\bMath\.random\b|\bDate\.now\b|\bnew Date\b/;
    const wrong = sources
      .filter(({ folder }) => folder === "protocols" || folder === "view")
      .flatMap(({ path, text }) =>
        codeLines(text)
          .filter((line) => impure.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  it("has no import cycle", () => {
    expect(
      findCycle(
        new Map(
          sources.map(({ path, imports }) => [
            path,
            imports.filter((each) => !each.typeOnly && isOurs(each.target)).map((each) => each.target),
          ]),
        ),
      ),
    ).toBeUndefined();
  });

  it(`keeps files within ${limits.fileLines} lines, functions within ${limits.functionLines}, parameters within ${limits.parameters}`, () => {
    const long = sources
      .filter(({ text }) => text.split("\n").length > limits.fileLines + 1)
      .map(({ path }) => path);
    const functions = sources.flatMap(({ path, text }) =>
      functionsOf(path, text)
        .filter(({ lines, parameters }) => lines > limits.functionLines || parameters > limits.parameters)
        .map(({ name, lines, parameters }) => `${path} ${name}: ${lines} lines, ${parameters} parameters`),
    );
    expect([...long, ...functions]).toEqual([]);
  });

  it("opens every file with what lives there", () => {
    expect(sources.filter(({ text }) => !/^(#!.*\n)?\/\//.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("uses no word that says nothing", () => {
    const empty = /(^|[/-])(utils?|helpers?|common|manager|service|handler|base|impl|data|info)([.-]|$)/;
    expect(sources.filter(({ path }) => empty.test(path)).map(({ path }) => path)).toEqual([]);
  });

  it("has no any, no suppressed error and no loose end", () => {
    const loose = /: any\b|\bas any\b|@ts-ignore|@ts-expect-error|\bTODO\b|\bFIXME\b|\bXXX\b/;
    const wrong = sources.flatMap(({ path, text }) =>
      text
        .split("\n")
        .filter((line) => loose.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps what a newcomer reads first under 300 lines", () => {
    const first = ["core/run.ts", "core/step.ts", "engine/loop.ts"];
    const lines = first.map((name) => readFileSync(join(src, name), "utf8").split("\n").length);
    expect(lines.reduce((sum, n) => sum + n, 0)).toBeLessThan(300);
  });
});

function codeLines(text: string): string[] {
  return text.split("\n").filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line));
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (path: readonly string[]): string[] | undefined => {
    const at = path.at(-1) ?? "";
    if (path.indexOf(at) < path.length - 1) return [...path.slice(path.indexOf(at))];
    if (done.has(at)) return undefined;
    for (const target of graph.get(at) ?? []) {
      const cycle = visit([...path, target]);
      if (cycle) return cycle;
    }
    done.add(at);
    return undefined;
  };
  for (const start of graph.keys()) {
    const cycle = visit([start]);
    if (cycle) return cycle;
  }
  return undefined;
}

interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Every function of a file, by its syntax tree. */
function functionsOf(path: string, text: string): { name: string; lines: number; parameters: number }[] {
  const found: { name: string; lines: number; parameters: number }[] = [];
  const open: unknown[] = [parseAst(text, { lang: "ts" }, path)];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== "object") continue;
    const { type, start, end, params } = value as Syntax;
    if (
      type === "FunctionDeclaration" ||
      type === "FunctionExpression" ||
      type === "ArrowFunctionExpression"
    ) {
      const body = text.slice(start, end);
      found.push({
        name: body.slice(0, 40).split("\n")[0] ?? "",
        lines: body.split("\n").length,
        parameters: (params as unknown[]).length,
      });
    }
    open.push(...Object.values(value));
  }
  return found;
}
