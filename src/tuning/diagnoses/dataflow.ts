// Data flow: where state is kept, how its fields are called, whether what is parsed is checked, and whether what is
// named is there.
import { dirname, join, normalize } from "node:path";
import { callsTo, isScript, isTried, type Token } from "../code.ts";
import { type Finding, finding } from "../finding.ts";
import { type Code, hasClass, type Seen, type Sentence, type Written } from "../see.ts";
import { ownsFolder, type Reference, type Skill, type SkillFile } from "../skill.ts";
import { renamedFields } from "./fields.ts";

export function diagnoseDataflow(seen: Seen): Finding[] {
  return [
    ...manyStates(seen),
    ...renamedFields(seen),
    ...firstOfEachFile(
      seen.codes.filter(({ block }) => !isScript(block) && !hasClass(block)).flatMap(parsed),
    ),
    ...parsedInProse(seen),
    ...uncheckedTypes(seen),
    ...noSchema(seen),
    ...neverRead(seen),
    ...missingFiles(seen),
  ];
}

const stateLike = /(^|[/_.-])(state|config|progress|session|context|status|tracker)\.(json|ya?ml)$/i;

/** Where the state is written, each place once. */
export function stateFiles({ written }: Seen): readonly Written[] {
  const found = written.filter(({ target }) => stateLike.test(target));
  return [...new Map(found.map((each) => [each.target, each])).values()];
}

function manyStates(seen: Seen): Finding[] {
  const places = stateFiles(seen);
  const [, , third] = places;
  if (!third) return [];
  const description = `state is written to ${places.length} files: ${places.map(({ target }) => target).join(", ")}`;
  return [finding("DF-001", { ...third, description })];
}

const checking =
  /^(validate\w*|is_?valid\w*|assert\w*|schema\w*|safeParse|typeof|isArray|isinstance|check\w*|ajv|zod|required\w*|if|model_validate|in)$/i;

function parsed({ file, tokens }: Code): Finding[] {
  const calls = callsTo(tokens, /^(parse|loads)$/).filter(({ receiver }) => /^(JSON|json)$/.test(receiver));
  const bare = calls.filter(({ from, to }) => !isTried(tokens, from) && !isLookedAt(tokens, from, to));
  const [first] = bare;
  if (!first) return [];
  const { line, endLine } = first;
  const description =
    bare.length > 1
      ? `${bare.length} documents are parsed and used unchecked`
      : "a document is parsed and used unchecked";
  return [finding("DF-003", { file, line, endLine, description })];
}

/** Checked around the call, read with `?.`, or shown as what was before. */
function isLookedAt(tokens: readonly Token[], from: number, to: number): boolean {
  const after = tokens.slice(to, to + 60);
  const before = tokens.slice(Math.max(0, from - 14), from);
  return (
    tokens.slice(from, to).some(({ text }) => text === "||") ||
    after.some(({ kind, text }, at) =>
      kind === "word" ? checking.test(text) : text === "?" && after[at + 1]?.text === ".",
    ) ||
    before.slice(-6).some(({ text }) => checking.test(text) && text !== "in") ||
    before.some(({ kind, text }) => text === "typeof" || (kind === "comment" && /\bold\b/i.test(text)))
  );
}

function firstOfEachFile(found: readonly Finding[]): Finding[] {
  return found.filter((each, at) => found.findIndex(({ file }) => file === each.file) === at);
}

function parsedInProse({ sentences }: Seen): Finding[] {
  const said = sentences.filter(
    ({ text, isAdvice }) =>
      isAdvice &&
      /\bparse\b[^.]*\b(response|output|result|reply|answer|returned|report)s?\b[^.]*\bJSON\b|\bparse\b[^.]*\bJSON\b[^.]*\b(response|output|result|reply|answer|returned|report)s?\b/i.test(
        text,
      ),
  );
  return said
    .filter(
      ({ file, under }) =>
        !sentences.some(
          (each) =>
            each.file === file &&
            each.under.at(-1) === under.at(-1) &&
            /\b(valid\w*|invalid|schema|malformed|fails?|cannot be parsed|check\w*|missing|error|not parse)\b/i.test(
              each.text,
            ),
        ),
    )
    .map((sentence) =>
      finding("DF-003", {
        ...sentence,
        description: "what is parsed is not checked",
        evidence: sentence.text,
      }),
    );
}

function uncheckedTypes({ codes, allText }: Seen): Finding[] {
  if (/valid|schema\.parse|safeParse|assert|type-?check/i.test(allText)) return [];
  // A class beside it says that it is a program's type, and no document's.
  for (const { file, tokens } of codes.filter(({ block }) => !hasClass(block))) {
    const at = tokens.findIndex(
      ({ text }, index) =>
        text === "interface" &&
        tokens[index + 2]?.text === "{" &&
        /^[A-Z]/.test(tokens[index + 1]?.text ?? ""),
    );
    const line = tokens[at]?.line;
    if (line !== undefined)
      return [
        finding("DF-004", {
          file,
          line,
          endLine: line,
          description: `\`${tokens[at + 1]?.text}\` is declared, and nothing checks it`,
        }),
      ];
  }
  return [];
}

function noSchema({ isAutonomous, schemas, skill, documents }: Seen): Finding[] {
  const has =
    schemas.length > 0 ||
    skill.files.some(({ path }) => /state[\w-]*schema|schema[\w-]*state|(^|\/)state\.(md|json)$/i.test(path));
  if (!isAutonomous || has) return [];
  const file = documents.find(({ path }) => /(^|\/)orchestrator\.md$/.test(path)) ?? skill.entry;
  return [
    finding("DF-005", { file, line: 1, endLine: 1, description: "the loop's state is described nowhere" }),
  ];
}

/** JSON only: other files are what the skill is for. A shell's are its user's, and what is updated is there already. */
function neverRead({ written, allText, skill }: Seen): Finding[] {
  const once = new Map(written.map((each) => [each.target, each]));
  return [...once.values()]
    .filter(({ file, line, endLine }) => {
      const text = file.lines.slice(line - 1, endLine).join(" ");
      const block = file.blocks.find((each) => each.line <= line && line <= each.endLine);
      const isShell = block !== undefined && isScript(block);
      return !isShell && !/\b(such as|like|e\.g\.|named|updates?|reusable|resume|draft|backup)\b/i.test(text);
    })
    .filter(
      ({ target }) =>
        target.endsWith(".json") &&
        !/report|output|summary|result|template|restore|backup|draft|\*\.json$|package|[<>{}]/i.test(target),
    )
    .filter(({ target }) => {
      const name = target.split("/").at(-1) ?? target;
      return allText.split(name).length - 1 === 1 && !skill.has(target);
    })
    .map((each) =>
      finding("DF-006", { ...each, description: `\`${each.target}\` is written and never mentioned again` }),
    );
}

const ownFolders = /^(references?|phases|steps|specs|templates|assets|resources|prompts|actions)\//;

function missingFiles({ documents, skill, written, sentences }: Seen): Finding[] {
  const made = new Set(written.map(({ target }) => target));
  const isMade = (file: SkillFile, { target }: Reference) =>
    made.has(target) || sentences.some((each) => each.file === file && isExcused(each, target));
  // Links in a template are those of what will be made from it.
  const own = documents.filter(({ path }) => !/template/i.test(path));
  return own.flatMap((file) => {
    const seen = new Set<string>();
    return file.references
      .filter((reference) => isChecked(reference, skill) && !isThereFor(file, reference.target, skill.has))
      .filter((reference) => !isMade(file, reference) && !isAnothers(file, reference, skill.has))
      .filter(({ target }) => !seen.has(target) && seen.add(target))
      .map(({ target, line, endLine }) =>
        finding("DF-007", { file, line, endLine, description: `\`${target}\` is not there` }),
      );
  });
}

const makes =
  /\b(create|write|generate|save|produce|add|scaffold|output|good|bad|for example|e\.g\.|such as|for instance|slashes)/i;

/** It is to be made, or an example: said of the path itself, or of the list that it stands in. */
function isExcused({ text, lead }: Sentence, target: string): boolean {
  return text.includes(target) && makes.test(`${lead} ${text}`);
}

/** "`other-skill`'s `references/a.md`", or a path in a skill beside this one that is named in the same paragraph. */
function isAnothers(file: SkillFile, { line, target }: Reference, has: (path: string) => boolean): boolean {
  const said = file.statements.find((each) => each.line <= line && line <= each.endLine)?.text ?? "";
  const before = said.slice(0, said.indexOf(target));
  if (/`[\w -]+`['’]s?\s+(?:[\w-]+\s+){0,5}\(?`$/.test(before)) return true;
  return [...said.matchAll(/`([\w-]+)`/g)].some(([, name]) => has(`../${name}/${target}`));
}

/** A path in code marks may be the project's; one into a folder that only skills have is the skill's. */
function isChecked({ form, target }: Reference, { has, entry }: Skill): boolean {
  if (/[*<>{}$]|\.\.\.|^(path\/to|your|example\.)|^(LICENSE|CONTRIBUTING|CHANGELOG)\b/.test(target))
    return false;
  if (form === "link") return true;
  if (!ownsFolder(entry.path)) return false;
  const [folder = ""] = target.split("/");
  return (
    form === "path" &&
    (ownFolders.test(target) || (target.includes("/") && folder === "scripts" && has("scripts")))
  );
}

function isThereFor(file: SkillFile, target: string, has: (path: string) => boolean): boolean {
  const path = decodeURI(target);
  return has(path) || has(normalize(join(dirname(file.path), path)));
}
