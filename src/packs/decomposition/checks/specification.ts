// The specification as text: its sections that a first phase leaves out, and its numbered requirements (D6, D21).
// Every line is looked at once; no pattern here can backtrack over a line more than a constant number of times.

export interface Section {
  readonly heading: string;
  readonly phase: number | "future";
  /** Counted from 1, both inclusive; the heading is part of it. */
  readonly firstLine: number;
  readonly lastLine: number;
}

export interface Requirement {
  readonly id: string;
  readonly text: string;
  readonly sourceLine: number;
  readonly excluded: boolean;
}

interface Heading {
  /** 1 to 6 as in Markdown; 7 is a line in bold that serves as a heading. */
  readonly level: number;
  readonly title: string;
  readonly line: number;
}

const BOLD_LEVEL = 7;

/** Sections under headings such as "Phase 2" or "Future work", outermost only, in order. */
export function excludedSections(spec: string): Section[] {
  const lines = proseOf(spec);
  const headings = lines.flatMap((_, index) => headingAt(lines, index) ?? []);
  const sections: Section[] = [];
  let open: (Heading & { phase: number | "future" }) | undefined;
  const close = (lastLine: number) => {
    if (open) sections.push({ heading: open.title, phase: open.phase, firstLine: open.line, lastLine });
    open = undefined;
  };
  for (const heading of headings) {
    if (open && heading.level > open.level) continue;
    close(heading.line - 1);
    const phase = laterPhase(heading.title);
    if (phase !== undefined) open = { ...heading, phase };
  }
  close(lines.length);
  return sections;
}

/** All headings, as they read without their marks. */
export function headingsOf(spec: string): string[] {
  const lines = proseOf(spec);
  return lines.flatMap((_, index) => headingAt(lines, index)?.title ?? []);
}

/** The lines, with those of fenced code blanked: code has neither headings nor requirements. */
export function proseOf(spec: string): string[] {
  let fence: string | undefined;
  return spec.split(/\r\n|\n|\r/).map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      return mark === undefined ? line : "";
    }
    if (mark?.startsWith(fence)) fence = undefined;
    return "";
  });
}

function headingAt(lines: readonly string[], index: number): Heading | undefined {
  const line = (lines[index] ?? "").trim();
  const marks = /^#{1,6}(?=\s)/.exec(line)?.[0];
  if (marks !== undefined)
    return { level: marks.length, title: bare(line.slice(marks.length)), line: index + 1 };
  const underline = /^ {0,3}(=+|-+)\s*$/.exec(lines[index + 1] ?? "")?.[1];
  if (underline !== undefined && /^[^\s\-*+>|]/.test(line)) {
    return { level: underline.startsWith("=") ? 1 : 2, title: bare(line), line: index + 1 };
  }
  return boldHeading(line, index + 1);
}

/** `**Phase 2:**`, `**Phase 2** we export …` and `**Anything**` alone on its line. */
function boldHeading(text: string, line: number): Heading | undefined {
  const mark = ["**", "__"].find((candidate) => text.startsWith(candidate));
  const end = mark === undefined ? -1 : text.indexOf(mark, 2);
  if (end <= 2) return undefined;
  const title = bare(text.slice(2, end));
  const alone = /^:?$/.test(text.slice(end + 2).trim());
  return alone || /^phases?\s/i.test(title) ? { level: BOLD_LEVEL, title, line } : undefined;
}

/** Without emphasis, closing marks and a final colon. */
function bare(title: string): string {
  return title
    .replaceAll(/[*_`#]/g, "")
    .trim()
    .replace(/:$/, "")
    .trim();
}

const numberWords: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  i: 1,
  ii: 2,
  iii: 3,
  iv: 4,
  v: 5,
};
/** At the start or set off, as in "Export (Phase 2)"; "What Phase 2 will change" is about something else. */
const phaseNumber =
  /(?:^[\d.)\s]*|[([–—:|-]\s*)phases?[\s:#-]{1,3}(\d{1,6}|one|two|three|four|five|iii|ii|iv|i|v)\b/i;
const future = new RegExp(
  String.raw`^(?:[\d.]{1,12}\)?\s)?\s*(?:` +
    String.raw`future(?:\s(?:phases?|work|enhancements?|features?|improvements?|ideas?|plans?|considerations?|releases?|versions?|scope|extensions?|development|iterations?|additions?|directions?|roadmap)\b.*)?` +
    String.raw`|(?:later|subsequent|following)\sphases?\b.*)$`,
  "i",
);

/** The phase of a heading that a first phase leaves out. */
function laterPhase(title: string): number | "future" | undefined {
  const word = phaseNumber.exec(title)?.[1]?.toLowerCase();
  if (word !== undefined) {
    const phase = numberWords[word] ?? Number(word);
    return phase >= 2 ? phase : undefined;
  }
  return future.test(title.replace(/\s+/g, " ")) ? "future" : undefined;
}

const ID = String.raw`(?:REQ|N?FR|US|AC)-\d+(?:\.\d+)*|Requirement\s\d+|R\d+(?:\.\d+)*`;
/** Behind list marks, check boxes, headings, a table's bar and emphasis: `[REQ-1] text`, `US-12: text`, `| AC-1 | text |`. */
const requirement = new RegExp(
  String.raw`^[*_\`]{0,3}(?:\[(${ID})\]|(${ID})(?=[:*_\`|\s]))[*_\`]{0,3}:?[*_\`]{0,3}\s*(?:\|\s*)?([^\s|].*)$`,
  "i",
);
const leadingMarks = /^(?:(?:[-+*>]|#{1,6}|\d{1,9}[.)]|\[[ xX]\])\s+)*(?:\|\s*(?:\d{1,9}\s*\|\s*)?)?/;
const anyId = new RegExp(String.raw`\b(?:${ID})\b`, "gi");

/** Numbered requirements in the order of the text; of two with one id, the first that is not excluded. */
export function specRequirements(spec: string): Requirement[] {
  const sections = excludedSections(spec);
  const found = new Map<string, Requirement>();
  let section = 0;
  for (const { id, words, line } of writtenRequirements(proseOf(spec))) {
    while ((sections[section]?.lastLine ?? Number.POSITIVE_INFINITY) < line) section++;
    const excluded = (sections[section]?.firstLine ?? Number.POSITIVE_INFINITY) <= line;
    const one = { id, text: words.join(" "), sourceLine: line, excluded };
    if (found.get(id)?.excluded !== false) found.set(id, one);
  }
  return [...found.values()].sort((a, b) => a.sourceLine - b.sourceLine);
}

interface Written {
  readonly id: string;
  /** One entry for each line that it is wrapped over. */
  readonly words: string[];
  readonly line: number;
  readonly indent: number;
  readonly isHeading: boolean;
}

export function writtenRequirements(lines: readonly string[]): Written[] {
  const written: Written[] = [];
  let open: Written | undefined;
  for (const [index, whole] of lines.entries()) {
    const line = whole.replace(/^(?:\s{0,3}>)+/, "");
    const began = requirementAt(line, index + 1);
    if (began) {
      written.push(began);
      open = began;
    } else if (open && goesOn(open, line, lines[index + 1] ?? "")) open.words.push(line.trim());
    else open = undefined;
  }
  return written;
}

function requirementAt(line: string, number: number): Written | undefined {
  const trimmed = line.trim();
  const match = requirement.exec(trimmed.replace(leadingMarks, ""));
  const id = match?.[1] ?? match?.[2];
  if (id === undefined || isWord(id)) return undefined;
  const text = (match?.[3] ?? "").replace(/^[-–—]\s/, "").trim();
  const isRow = trimmed.startsWith("|");
  return {
    id: requirementId(id),
    words: [isRow ? (text.split("|")[0] ?? "").trim() : text],
    line: number,
    indent: line.search(/\S/),
    isHeading: trimmed.startsWith("#"),
  };
}

/** Wrapped lines, and list items below its own; not what stands beside it. */
function goesOn({ indent, isHeading }: Written, line: string, following: string): boolean {
  const text = line.trim();
  if (isHeading || text === "" || /^(?:#{1,6}\s|\||(?:=+|-+|\*{3,}|_{3,})$)/.test(text)) return false;
  if (/^ {0,3}(?:=+|-+)\s*$/.test(following)) return false;
  return line.search(/\S/) > indent || !/^(?:[-+*]|\d{1,9}[.)])\s/.test(text);
}

/** Requirement ids that a text mentions. */
export function requirementIds(text: string): string[] {
  return (text.match(anyId) ?? []).filter((written) => !isWord(written)).map(requirementId);
}

/** `r3` in small letters is more likely a word than a requirement. */
function isWord(written: string): boolean {
  return /^r\d/.test(written);
}

function requirementId(written: string): string {
  return written.toUpperCase().replace(/^REQUIREMENT\s/, "REQ-");
}
