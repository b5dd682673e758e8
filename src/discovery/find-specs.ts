// Specifications that a person may mean (D2): Markdown and text files under the planning and the working directory,
// the likeliest first. A name says a lot and the content more; files that every repository has come last.
import { realpathSync } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import { isShown, plain, settled } from "./plain.ts";
import { readHead, textOf } from "./read-inside.ts";
import { walk } from "./walk.ts";

export interface SpecCandidate {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly heading: string | null;
  readonly score: number;
  /** Short reasons, the weightiest first. */
  readonly why: readonly string[];
}

interface Reason {
  readonly points: number;
  readonly text: string;
}

const maxCandidates = 20;
const maxListed = 20_000;
const maxRead = 300;
const headBytes = 64 * 1024;
const maxSpecBytes = 8 * 1024 * 1024;

const ending = /\.(?:md|markdown|mdown|txt|text)$/i;
const never =
  /^(?:CMakeLists|robots|humans|llms(?:-full)?|ads|constraints|dev-requirements|requirements[-_]\w+|MANIFEST)\.txt$/i;

/** What heddle and its agents write themselves is no specification. */
const ownOutput = new Set(["artifacts", "tasks", "bundles", "reports", "logs", ".heddle"]);

export async function findSpecs(where: {
  planningDir: string;
  workingDir: string;
}): Promise<SpecCandidate[]> {
  const planning = realFolder(where.planningDir);
  const working = realFolder(where.workingDir);
  const bounds = { files: maxListed, ms: 1500 };
  const own =
    planning === undefined
      ? []
      : await listed(planning, { ...bounds, depth: 4 }, (path) => ownOutput.has(path));
  const apart = (path: string) => working !== undefined && join(working, path) === planning;
  const around = working === undefined ? [] : await listed(working, { ...bounds, depth: 4 }, apart);
  const places = [
    ...own.map((path) => ({ root: planning ?? "", path, isPlanned: true })),
    ...around.map((path) => ({ root: working ?? "", path, isPlanned: false })),
  ];
  const likely = places
    .map((place) => ({ ...place, named: nameReasons(place.path, place.isPlanned) }))
    .sort((a, b) => sum(b.named) - sum(a.named) || depthOf(a.path) - depthOf(b.path))
    .slice(0, maxRead);
  const seen = new Set<string>();
  return likely
    .flatMap((place) => candidate(place) ?? [])
    .filter(({ path }) => !seen.has(path) && seen.add(path))
    .sort((a, b) => b.score - a.score || depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1))
    .slice(0, maxCandidates);
}

function realFolder(path: string): string | undefined {
  try {
    return realpathSync(resolve(path));
  } catch {
    return undefined;
  }
}

async function listed(
  root: string,
  bounds: { files: number; ms: number; depth: number },
  without: (path: string) => boolean,
): Promise<string[]> {
  const { paths } = await walk(root, { ...bounds, without });
  return paths.filter((path) => ending.test(path) && isShown(path) && !never.test(basename(path)));
}

const depthOf = (path: string) => path.split(sep).length;
const sum = (reasons: readonly Reason[]) => reasons.reduce((total, { points }) => total + points, 0);

const names: readonly (readonly [RegExp, number, string])[] = [
  [/^(?:spec|specification)s?$/, 60, "named as a specification"],
  [/(?:^|[-_. ])(?:spec|specification)s?(?:[-_. ]|$)/, 50, "named as a specification"],
  [/(?:^|[-_. ])(?:prd|product[-_ ]requirements?)(?:[-_. ]|$)/, 50, "named as product requirements"],
  [/(?:^|[-_. ])requirements?(?:[-_. ]|$)/, 45, "named as requirements"],
  [/(?:^|[-_. ])(?:rfc|proposal|brief|design|architecture|blueprint)(?:[-_. \d]|$)/, 30, "named as a design"],
  [
    /(?:^|[-_. ])(?:features?|user[-_ ]stor(?:y|ies)|scope|vision|plan|roadmap)(?:[-_. ]|$)/,
    20,
    "named as a plan",
  ],
];
const everywhere =
  /^(?:readme|changelog|changes|history|licen[cs]e|copying|notice|authors|contributors|contributing|code[-_]of[-_]conduct|security|support|agents|claude|gemini|copilot-instructions|skill|todo|news|governance|maintainers|pull_request_template|issue_template)(?:[-_.].*)?$/;
const sideFolders = /(?:^|\/)(?:tests?|__tests__|fixtures?|testdata|examples?|samples?|\.github|\.[^/]+)\//;

function nameReasons(path: string, isPlanned: boolean): Reason[] {
  const stem = basename(path)
    .replace(/\.\w+$/, "")
    .toLowerCase();
  const reasons: Reason[] = [];
  if (isPlanned && path === "inputs/spec.md")
    reasons.push({ points: 100, text: "the plan's own specification" });
  else if (isPlanned) reasons.push({ points: 20, text: "in the planning directory" });
  const name = names.find(([pattern]) => pattern.test(stem));
  if (name && !everywhere.test(stem)) reasons.push({ points: name[1], text: name[2] });
  if (everywhere.test(stem)) reasons.push({ points: -60, text: "a file that most repositories have" });
  if (/(?:^|\/)(?:specs?|requirements|prds?|rfcs?|design)\//i.test(path))
    reasons.push({ points: 15, text: "in a folder for specifications" });
  if (sideFolders.test(path)) reasons.push({ points: -25, text: "among tests, examples or settings" });
  return reasons;
}

function candidate(place: { root: string; path: string; named: Reason[] }): SpecCandidate | undefined {
  const { root, path, named } = place;
  const head = readHead(root, path, headBytes);
  if (typeof head === "string" || head.size === 0 || head.size > maxSpecBytes) return undefined;
  const text = textOf(head.bytes);
  if (text === undefined || text.trim() === "") return undefined;
  const lines = settled(text, 300).split("\n");
  if (isPinned(path, lines)) return undefined;
  const reasons = [...named, ...contentReasons(lines)].sort(
    (a, b) => Math.abs(b.points) - Math.abs(a.points),
  );
  return {
    path: join(root, path),
    bytes: head.size,
    heading: headingOf(lines),
    score: sum(reasons),
    why: reasons.map(({ text: reason }) => reason),
  };
}

/** A `requirements.txt` of pip shares its name with what is looked for. */
function isPinned(path: string, lines: readonly string[]): boolean {
  const said = lines.filter((line) => !line.startsWith("#"));
  const pins = said.filter((line) => pin.test(line));
  return path.endsWith(".txt") && pins.length >= said.length * 0.9;
}

const pin = /^(?:-[recf]\b|--|[A-Za-z0-9][\w.-]*(?:\[[\w, -]*\])?\s*(?:[=<>~!]=|[<>@]|$))/;

const requirement =
  /^\s*(?:[-*]\s+)?(?:\*\*|\[|`)?(?:[A-Z]{1,5}[-.]?\d{1,4}|\d{1,3}(?:\.\d{1,3})+)(?:\*\*|\]|`)?[.:)\s]/;

function contentReasons(lines: readonly string[]): Reason[] {
  const numbered = lines.filter((line) => requirement.test(line)).length;
  const headings = lines.filter((line) => /^#{1,6} \S/.test(line)).length;
  const modal = lines.filter((line) => /\b(?:must|shall|should|as an? \w+,? i want)\b/i.test(line)).length;
  const titled = lines.some((line) =>
    /^#{1,6} .*\b(?:requirements?|specification|acceptance|user stor|goals?|scope|use cases?)\b/i.test(line),
  );
  return [
    ...(numbered > 0
      ? [{ points: Math.min(30, 6 + numbered * 2), text: `${numbered} numbered requirements` }]
      : []),
    ...(modal > 2
      ? [{ points: Math.min(15, modal), text: `${modal} lines that say must, shall or should` }]
      : []),
    ...(titled ? [{ points: 10, text: "a heading about requirements or goals" }] : []),
    ...(headings > 1 ? [{ points: Math.min(8, headings), text: `${headings} headings` }] : []),
    ...(lines.length < 4 ? [{ points: -15, text: "very short" }] : []),
  ];
}

/** The first Markdown heading; in plain text the first line, when it is as short as a title. */
function headingOf(lines: readonly string[]): string | null {
  const marked = lines.find((line) => /^#{1,6} \S/.test(line));
  if (marked !== undefined) return plain(marked.replace(/^#+ /, ""), 100);
  const [first = ""] = lines;
  return first.trim().length > 0 && first.length <= 100 ? plain(first, 100) : null;
}
