// Strategies about what is kept in files: one place for the state, no fields and no files that nothing uses. Each gives
// up where a mention would be left behind, because half a change is worse than none.
import { callsTo } from "../code.ts";
import { stateFiles } from "../diagnoses/dataflow.ts";
import { changed, type Strategy, withLines } from "../fix.ts";
import { see } from "../see.ts";
import type { SkillFile } from "../skill.ts";
import { nameIn, replaced, spotOf, withBlock } from "./spot.ts";

const home = "state.json";

/** Every file of the state becomes a field of one; only when all of them are mentioned in one document. */
export const oneState: Strategy = ({ skill, file }) => {
  const targets = stateFiles(see(skill)).map(({ target }) => target);
  const others = targets.filter((target) => target !== home);
  const isHere = (target: string) =>
    !skill.has(target) && skill.files.every((each) => each === file || !each.text.includes(target));
  if (others.length === 0 || !others.every(isHere)) return undefined;
  const text = others.reduce(asField, file.text);
  // `left.json` may be the end of another name, which stays.
  const isLeft = others.some((target) => new RegExp(`(?<![\\w/.-])${escaped(target)}`).test(text));
  if (isLeft) return undefined;
  return {
    description: `keep ${others.join(", ")} as fields of one ${home}`,
    risk: "high",
    changes: [changed(file, text)],
  };
};

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Mentions in code marks, documents that are read, and documents that are written as JSON. */
function asField(text: string, target: string): string {
  const field = target
    .replace(/^.*\//, "")
    .replace(/\.\w+$/, "")
    .replaceAll(/\W+/g, "_");
  const quoted = `(["'\`])(?:\\$\\{\\w+\\}/|\\./)?${escaped(target)}\\2`;
  const read = new RegExp(`((?:JSON\\.parse|json\\.loads?)\\(\\s*\\w+\\()${quoted}([^()]*\\)\\s*\\))`, "g");
  const write = new RegExp(`(\\bWrite\\()${quoted}(,\\s*JSON\\.stringify\\()([^()]+)(\\)\\s*\\))`, "g");
  return text
    .replace(read, `$1$2${home}$2$3.${field}`)
    .replace(write, `$1$2${home}$2$3{ ...JSON.parse(Read($2${home}$2)), ${field}: $4 }$5`)
    .replaceAll(`\`${target}\``, `\`${field}\` of \`${home}\``);
}

/** The sentence or the statement that writes it, when it does nothing else. */
export const dropUnread: Strategy = (found) => {
  const { finding, file } = found;
  const target = nameIn(finding.description);
  const spot = spotOf(found);
  if (spot) {
    const { tokens, block } = spot;
    const call = callsTo(tokens, /^(Write|writeFile|writeFileSync|write_file)$/).find(
      ({ line }) => line === finding.line,
    );
    const [first, last] = [call && tokens[call.from], call && tokens[call.to]];
    if (!call || !first || !last) return undefined;
    const start = block.text.lastIndexOf("\n", first.at) + 1;
    const end = block.text.indexOf("\n", last.at);
    const part = { from: start, to: end < 0 ? block.text.length : end + 1 };
    const lines = block.text.slice(part.from, part.to);
    if (!/^\s*(await )?\w+\([\s\S]*\);?\s*$/.test(lines)) return undefined;
    return dropped(target, withBlock(spot, replaced(block.text, part, "").trimEnd()));
  }
  const before = file.lines.slice(finding.line - 1, finding.endLine).join("\n");
  const sentences = before.split(/(?<=[.!?])\s+/);
  const own = sentences.filter((sentence) => sentence.includes(target));
  const [sentence = ""] = own;
  if (own.length !== 1 || /,|;|\b(and|then|or)\b|^\s*\|/.test(sentence)) return undefined;
  const mark = /^\s*(?:[-*+]|\d+\.)\s+/.exec(before)?.[0] ?? "";
  const rest = sentences.filter((each) => each !== sentence).join(" ");
  if (rest !== "")
    return dropped(target, withLines(file, finding, [sentence.startsWith(mark) ? mark + rest : rest]));
  const isApart = file.lines[finding.endLine] === "" && file.lines[finding.line - 2] === "";
  return dropped(
    target,
    withLines(file, { line: finding.line, endLine: finding.endLine + Number(isApart) }, []),
  );
};

function dropped(target: string, change: ReturnType<typeof changed>) {
  return {
    description: `do not write \`${target}\`, which nothing reads`,
    risk: "medium" as const,
    changes: [change],
  };
}

/** Fields that nothing else in the skill mentions; when that is most of them, they are used somewhere else. */
export const dropFields: Strategy = ({ finding, skill, file }) => {
  const schema = see(skill).schemas.find((each) => each.file === file && each.line === finding.line);
  const unused = (schema?.fields ?? []).filter((name) => mentions(skill.files, name) === 1);
  if (!schema || unused.length === 0 || unused.length > schema.fields.length / 2) return undefined;
  const isUnused = new RegExp(
    `^\\s*["']?(${unused.map(escaped).join("|")})["']?\\??\\s*:.*[;,{\\w"'\\]]\\s*$`,
  );
  const lines = file.lines.slice(schema.line - 1, schema.endLine);
  const kept = lines.filter((line) => !isUnused.test(line) || /[{[]\s*$/.test(line));
  if (lines.length - kept.length !== unused.length) return undefined;
  return {
    description: `take ${unused.length} fields out of the state that nothing uses: ${unused.join(", ")}`,
    risk: "medium",
    changes: [withLines(file, schema, kept)],
  };
};

function mentions(files: readonly SkillFile[], name: string): number {
  const word = new RegExp(`\\b${escaped(name)}\\b`, "g");
  return files.reduce((sum, { text }) => sum + (text.match(word)?.length ?? 0), 0);
}
