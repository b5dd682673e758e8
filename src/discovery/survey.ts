// Every source file with its language and whether it is a test, told from its path alone; and a spread of them that is
// opened. What is generated or copied says nothing about how the project writes, so it is never opened.
import { settled } from "./plain.ts";
import type { ProjectFiles } from "./project-files.ts";

export interface SourceFile {
  readonly path: string;
  readonly language: string;
  readonly isTest: boolean;
}

export interface Opened extends SourceFile {
  /** Its beginning, as it is. */
  readonly text: string;
  /** The same, fit for patterns. */
  readonly code: string;
}

export interface Survey {
  /** Without what is generated, copied or an example; the same holds for the tests. */
  readonly sources: readonly SourceFile[];
  readonly tests: readonly SourceFile[];
  /** Files by language, most first. */
  readonly languages: readonly { readonly language: string; readonly files: number }[];
  /** The languages that the project is written in, as against those of a script or two. */
  readonly main: readonly string[];
  readonly opened: readonly Opened[];
}

const openedBytes = 16 * 1024;
const openedSources = 36;
const openedTests = 12;
const mainLanguages = 3;
const mainShare = 0.03;
/** Beside other languages these are tools of the trade, not what a project is written in. */
const minor = new Set(["Shell", "SQL"]);

const byExtension = new Map<string, string>(
  Object.entries({
    TypeScript: "ts tsx mts cts",
    JavaScript: "js jsx mjs cjs",
    Vue: "vue",
    Svelte: "svelte",
    Python: "py pyi",
    Rust: "rs",
    Go: "go",
    Java: "java",
    Kotlin: "kt kts",
    Scala: "scala",
    "C#": "cs",
    "F#": "fs",
    Ruby: "rb",
    PHP: "php",
    C: "c h",
    "C++": "cc cpp cxx hpp hh hxx",
    Swift: "swift",
    Elixir: "ex exs",
    Dart: "dart",
    Lua: "lua",
    Perl: "pl pm t",
    Zig: "zig",
    Shell: "sh bash",
    SQL: "sql",
  }).flatMap(([language, ends]) => ends.split(" ").map((end) => [end, language] as const)),
);

const testFolder = /(?:^|\/)(?:tests?|specs?|__tests__|e2e|testdata|[^/]+\.Tests?|[^/]+Tests)\//;
const testName =
  /\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)test_[^/]+\.\w+$|_test\.\w+$|_spec\.rb$|[a-z](?:Tests?|IT|Spec)\.(?:java|kt|cs|fs|php|swift|scala)$|(?:^|\/)conftest\.py$|\.t$/;
/** Written by a program, or for another purpose than the project's own. */
const foreign =
  /\.min\.|\.d\.[cm]?ts$|_pb2(?:_grpc)?\.py$|\.pb\.go$|\.g\.dart$|\.[Dd]esigner\.cs$|(?:^|\/)(?:generated|__generated__|migrations|fixtures?|testdata|__snapshots__|__fixtures__|examples?|playground|third_party|\.github)\//;

export function isTestPath(path: string): boolean {
  return testName.test(path) || testFolder.test(path);
}

function languageOf(path: string): string | undefined {
  const dot = path.lastIndexOf(".");
  return dot > path.lastIndexOf("/") + 1 ? byExtension.get(path.slice(dot + 1)) : undefined;
}

export function survey(files: ProjectFiles): Survey {
  const sources: SourceFile[] = [];
  const tests: SourceFile[] = [];
  const counts = new Map<string, number>();
  for (const path of files.paths) {
    const language = languageOf(path);
    if (language === undefined) continue;
    counts.set(language, (counts.get(language) ?? 0) + 1);
    if (foreign.test(path)) continue;
    const isTest = isTestPath(path);
    (isTest ? tests : sources).push({ path, language, isTest });
  }
  const languages = [...counts].map(([language, count]) => ({ language, files: count }));
  languages.sort((a, b) => b.files - a.files || (a.language < b.language ? -1 : 1));
  const main = mainOf(languages);
  const opened = main.flatMap((language, at) => {
    const share = at === 0 ? 1 : 3;
    return [
      ...open(files, own(sources, language), Math.ceil(openedSources / share)),
      ...open(files, own(tests, language), Math.ceil(openedTests / share)),
    ];
  });
  const isOurs = ({ language }: SourceFile) => !minor.has(language) || main.includes(language);
  return { sources: sources.filter(isOurs), tests: tests.filter(isOurs), languages, main, opened };
}

function mainOf(languages: Survey["languages"]): string[] {
  const major = languages.filter(({ language }) => !minor.has(language));
  const total = major.reduce((sum, { files }) => sum + files, 0);
  const main = major.filter(({ files }) => files >= total * mainShare);
  return (main.length > 0 ? main : languages).slice(0, mainLanguages).map(({ language }) => language);
}

function own(list: readonly SourceFile[], language: string): SourceFile[] {
  return list.filter((file) => file.language === language);
}

function open(files: ProjectFiles, list: readonly SourceFile[], most: number): Opened[] {
  return spread(list, most).flatMap((file) => {
    const text = files.beginning(file.path, openedBytes);
    return text === undefined || text.trim() === "" ? [] : [{ ...file, text, code: settled(text, 400) }];
  });
}

/** Evenly over the whole list: the first ones of a sorted list all lie in one folder. */
function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)]).filter(
    (item): item is T => item !== undefined,
  );
}
