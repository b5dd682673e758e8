// `<!-- heddle-ignore: DF-007 why -->`: a person has looked at a finding and says why it stays. In front matter it is a
// YAML comment. It holds for its own line and the next one with text, and for a finding about a whole file anywhere in
// it. Without a reason it is not heeded, and one that nothing is found for is said, so that none outlives its cause.
import { type Finding, patterns } from "../finding.ts";
import type { Skill, SkillFile } from "../skill.ts";

interface Ignore {
  readonly file: string;
  readonly line: number;
  /** The next line with text. */
  readonly next: number;
  readonly pattern: string;
  readonly why: string;
}

const comment = /<!-- {0,9}heddle-ignore {0,9}:([^<>]{0,400})-->/g;
const yamlComment = /^\s*#\s*heddle-ignore\s*:\s*(.*?)\s*$/;
const words = /^([A-Z]+(?:-[A-Z]+)*-\d+)\s*[:,–—-]?\s*([\s\S]*)$/;

function ignoresIn({ path, lines, front, text }: SkillFile): Ignore[] {
  if (!text.includes("heddle-ignore")) return [];
  const said: { readonly line: number; readonly endLine: number; readonly text: string }[] = [];
  for (const match of text.matchAll(comment)) {
    const line = text.slice(0, match.index).split("\n").length;
    said.push({ line, endLine: line + (match[0].match(/\n/g)?.length ?? 0), text: (match[1] ?? "").trim() });
  }
  for (const [at, line] of lines.slice(0, front?.endLine ?? 0).entries()) {
    const own = yamlComment.exec(line)?.[1];
    if (own !== undefined) said.push({ line: at + 1, endLine: at + 1, text: own });
  }
  return said.map(({ line, endLine, text: inside }) => {
    const [, pattern = inside.slice(0, 40), why = ""] = words.exec(inside) ?? [];
    const after = lines.findIndex((each, at) => at >= endLine && each.trim() !== "");
    return {
      file: path,
      line,
      next: after < 0 ? endLine : after + 1,
      pattern,
      why: why.replace(/\s+/g, " ").trim(),
    };
  });
}

export interface Heeded {
  readonly findings: readonly Finding[];
  /** What is wrong with the comments themselves. */
  readonly notes: readonly string[];
}

export function heedIgnores({ files }: Skill, findings: readonly Finding[]): Heeded {
  const all = files.flatMap(ignoresIn);
  if (all.length === 0) return { findings, notes: [] };
  const used = new Set<Ignore>();
  const heeded = findings.map((finding) => {
    const own = all.find((ignore) => ignore.why !== "" && isAbout(ignore, finding));
    if (!own) return finding;
    used.add(own);
    return { ...finding, suppressed: { by: "comment" as const, why: own.why } };
  });
  const notes = all.filter((ignore) => !used.has(ignore)).map(noteOn);
  return { findings: heeded, notes };
}

function isAbout({ file, line, next, pattern }: Ignore, finding: Finding): boolean {
  return (
    finding.file === file &&
    (finding.pattern === pattern || finding.related.some((each) => each === pattern)) &&
    line <= finding.endLine &&
    finding.line <= next
  );
}

function noteOn({ file, line, pattern, why }: Ignore): string {
  const at = `${file}:${line}: heddle-ignore`;
  if (!(pattern in patterns)) return `${at}: there is no pattern \`${pattern}\``;
  if (why === "")
    return `${at}: ${pattern} needs a reason, for example: heddle-ignore: ${pattern} made by the build`;
  return `${at}: ${pattern} is not found here, so this comment can go`;
}
