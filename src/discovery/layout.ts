// Where sources and tests lie: which folders, how tests are named, whether they follow the sources' folders. All of it
// is told from paths; nothing is opened but for Rust, whose tests may be inside the sources.
import type { Folder, SourceLayout, TestLayout } from "./project-context.ts";
import type { SourceFile, Survey } from "./survey.ts";

const maxFolders = 8;
const maxShared = 6;

/** Folders that only hold projects: what lies in them is one level further down. */
const shelves = new Set([
  "packages",
  "apps",
  "libs",
  "crates",
  "services",
  "modules",
  "projects",
  "plugins",
  "cmd",
]);

export function sourceLayout({ sources }: Survey): SourceLayout {
  const folders = counted(sources.map(({ path }) => sourceFolder(path)));
  return { summary: summaryOf(folders) || "no source files", folders: folders.slice(0, maxFolders) };
}

function sourceFolder(path: string): string {
  const java = /^(.*?\bsrc\/main\/(?:java|kotlin|scala))\//.exec(path)?.[1];
  if (java !== undefined) return java;
  const [first = "", second, third] = path.split("/", 3);
  if (second === undefined) return ".";
  if (!shelves.has(first) || third === undefined) return first;
  return third === "src" ? `${first}/${second}/src` : `${first}/${second}`;
}

export function testLayout({ sources, tests, opened }: Survey): TestLayout {
  const apart = tests.filter(({ path }) => testFolderOf(path) !== undefined);
  const folders = counted(apart.map(({ path }) => testFolderOf(path) ?? "."));
  const patterns = patternsOf(tests);
  const isInline = opened.some(({ language, code }) => language === "Rust" && code.includes("#[cfg(test)]"));
  const kind = kindOf({ all: tests.length, apart: apart.length, isInline });
  const mirrors = kind === "separate" && mirrorsSource(apart, sources);
  const shared = tests.filter(({ path }) => sharedName.test(path)).map(({ path }) => path);
  return {
    summary: describe({ kind, folders, patterns, mirrors, isInline }),
    kind,
    folders: folders.slice(0, maxFolders),
    patterns,
    mirrors_source: mirrors,
    shared: shared.slice(0, maxShared),
  };
}

const sharedName =
  /(?:^|\/)(?:conftest\.py|(?:spec|rails|test)_helper\.(?:rb|exs)|setup(?:-?[tT]ests?)?\.[cm]?[jt]sx?|TestCase\.php|Pest\.php|common\/mod\.rs|(?:rig|fixtures?|samples)\.[cm]?[jt]s)$/;

/** `__tests__` lies beside the sources, whatever it is called. */
function testFolderOf(path: string): string | undefined {
  return /^(.*?(?:^|\/)(?:tests?|specs?|e2e|src\/test\/(?:java|kotlin|scala)|[^/]+\.Tests?|[^/]+Tests))\//.exec(
    path,
  )?.[1];
}

function kindOf({
  all,
  apart,
  isInline,
}: {
  all: number;
  apart: number;
  isInline: boolean;
}): TestLayout["kind"] {
  if (all === 0) return isInline ? "inline" : "none";
  if (apart >= all * 0.8) return "separate";
  return apart <= all * 0.2 ? "beside" : "mixed";
}

function describe(found: {
  kind: TestLayout["kind"];
  folders: readonly Folder[];
  patterns: readonly string[];
  mirrors: boolean;
  isInline: boolean;
}): string {
  const { kind, folders, patterns, mirrors, isInline } = found;
  const named = patterns.length > 0 ? `, named ${patterns.join(", ")}` : "";
  const inline = isInline ? ", and inline in the sources" : "";
  const where = {
    separate: `${summaryOf(folders)}${mirrors ? ", following the sources' folders" : ""}`,
    beside: "beside the sources",
    mixed: `${summaryOf(folders)} and beside the sources`,
    inline: "inline in the sources",
    none: "no tests found",
  }[kind];
  return kind === "inline" || kind === "none" ? where : `${where}${named}${inline}`;
}

const testPatterns: readonly (readonly [RegExp, (end: string) => string])[] = [
  [/\.test\.([cm]?[jt]sx?)$/, (end) => `*.test.${end}`],
  [/\.spec\.([cm]?[jt]sx?)$/, (end) => `*.spec.${end}`],
  [/(?:^|\/)test_[^/]+\.(\w+)$/, (end) => `test_*.${end}`],
  [/_test\.(\w+)$/, (end) => `*_test.${end}`],
  [/_spec\.(rb)$/, (end) => `*_spec.${end}`],
  [/Test\.(\w+)$/, (end) => `*Test.${end}`],
  [/Tests\.(\w+)$/, (end) => `*Tests.${end}`],
];

function patternsOf(tests: readonly SourceFile[]): string[] {
  const found = tests.flatMap(({ path }) => {
    for (const [name, pattern] of testPatterns) {
      const end = name.exec(path)?.[1];
      if (end !== undefined) return [pattern(end)];
    }
    return [];
  });
  return counted(found)
    .filter(({ files }) => files >= tests.length * 0.05)
    .slice(0, 4)
    .map(({ path }) => path);
}

/** At least half of the tests are named after a source file in a folder of the same name. */
function mirrorsSource(apart: readonly SourceFile[], sources: readonly SourceFile[]): boolean {
  const known = new Set<string>();
  for (const { path } of sources) {
    const { stem, parent } = placeOf(path);
    known.add(stem).add(`${parent}/${stem}`);
  }
  const named = apart.filter(({ path }) => {
    const { stem, parent } = placeOf(path);
    const isAtTop = path.split("/").length === (testFolderOf(path) ?? "").split("/").length + 1;
    return known.has(isAtTop ? stem : `${parent}/${stem}`);
  });
  return apart.length > 0 && named.length >= apart.length / 2;
}

function placeOf(path: string): { stem: string; parent: string } {
  const parts = path.split("/");
  const name = (parts.pop() ?? "").replace(/\.\w+$/, "");
  const stem = name.replace(/\.(?:test|spec)$|^test_|_(?:test|spec)$|(?:Tests?|Spec|IT)$/g, "");
  return { stem: stem.toLowerCase(), parent: (parts.pop() ?? "").toLowerCase() };
}

function counted(names: readonly string[]): Folder[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([path, files]) => ({ path, files }))
    .sort((a, b) => b.files - a.files || (a.path < b.path ? -1 : 1));
}

function summaryOf(folders: readonly Folder[]): string {
  const [shown, rest] = [folders.slice(0, 4), folders.length - 4];
  const listed = shown
    .map(({ path, files }) => `${path === "." ? "the top" : `${path}/`} (${files})`)
    .join(", ");
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}
