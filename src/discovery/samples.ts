// A handful of files that show how the project writes. The beginning is enough: it has the imports, the comment style
// and the first functions; a licence at the top shows nothing and is passed over.
import { plainLines } from "./plain.ts";
import type { EntryPoint, Folder, Sample } from "./project-context.ts";
import type { Opened, Survey } from "./survey.ts";

const sources = 3;
const tests = 2;
const maxLines = 60;
const maxBytes = 2400;

interface Likely {
  readonly entries: ReadonlySet<string>;
  /** Where most sources lie. */
  readonly main: string;
}

export interface SampleQuestion {
  readonly entryPoints: readonly EntryPoint[];
  readonly folders: readonly Folder[];
}

export function samplesOf({ opened }: Survey, { entryPoints, folders }: SampleQuestion): Sample[] {
  const main = folders[0]?.path ?? ".";
  const likely = {
    entries: new Set(entryPoints.map(({ path }) => path)),
    main: main === "." ? "" : `${main}/`,
  };
  const ranked = opened
    .map((file) => ({ ...file, rank: rankOf(file, likely) }))
    .sort((a, b) => b.rank - a.rank || (a.path < b.path ? -1 : 1));
  return [...choose(ranked.filter(isSource), sources), ...choose(ranked.filter(isTest), tests)]
    .map(sampleOf)
    .filter(({ text }) => text.trim() !== "");
}

interface Ranked extends Opened {
  readonly rank: number;
}

const isTest = (file: Opened) => file.isTest;
const isSource = (file: Opened) => !file.isTest;

/** One of each folder first, so that one folder does not stand for all; but no folder for its own sake. */
function choose(ranked: readonly Ranked[], most: number): Ranked[] {
  const [best] = ranked;
  const chosen: Ranked[] = [];
  const folders = new Set<string>();
  for (const file of ranked) {
    const folder = file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")));
    if (best !== undefined && file.rank >= best.rank - 2 && !folders.has(folder)) chosen.push(file);
    folders.add(folder);
  }
  return [...chosen, ...ranked.filter((file) => !chosen.includes(file))].slice(0, most);
}

function rankOf({ path, text, isTest: test }: Opened, { entries, main }: Likely): number {
  const lines = text.split("\n").length;
  const isMiddling = lines >= 15 && lines <= 400;
  if (text.length > lines * 200) return -10;
  const isMain = test || path.startsWith(main);
  const isSetting = /\.config\.\w+$|(?:^|\/)(?:setup|conf|__\w+__|mod|index|version)\.\w+$/.test(path);
  return (
    (isMiddling ? 4 : lines >= 6 ? 2 : 0) +
    (isMain ? 3 : 0) +
    (entries.has(path) ? 1 : 0) -
    (isSetting ? 3 : 0)
  );
}

function sampleOf({ path, text, isTest: test }: Opened): Sample {
  return {
    path,
    kind: test ? "test" : "source",
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    text: cut(withoutLicence(plainLines(text)), maxBytes),
  };
}

function cut(text: string, bytes: number): string {
  const kept: string[] = [];
  let size = 0;
  for (const line of text.split("\n", maxLines)) {
    size += Buffer.byteLength(line) + 1;
    if (size > bytes) break;
    kept.push(line);
  }
  return kept.join("\n");
}

function withoutLicence(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex(
    (line) => !/^\s*(?:\/\/|\/\*|\*|#(?!\[|!|include|define|if|pragma)|--|;|"""|$)/.test(line),
  );
  const opening = lines.slice(0, Math.max(0, end));
  return opening.some((line) => /licen[cs]e|copyright|\(c\)/i.test(line))
    ? lines.slice(end).join("\n")
    : text;
}
