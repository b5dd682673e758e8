// Data flow: where state is kept, how its fields are called, whether what is parsed is checked, and whether what is
// named is there.
import { dirname, join, normalize } from "node:path";
import { callsTo, isTried } from "../code.ts";
import { type Finding, finding } from "../finding.ts";
import type { Code, Seen, Written } from "../see.ts";
import type { Reference, SkillFile } from "../skill.ts";
import { renamedFields } from "./fields.ts";

export function diagnoseDataflow(seen: Seen): Finding[] {
  return [
    ...manyStates(seen),
    ...renamedFields(seen),
    ...firstOfEachFile(seen.codes.flatMap(parsed)),
    ...parsedInProse(seen),
    ...uncheckedTypes(seen),
    ...noSchema(seen),
    ...neverRead(seen),
    ...missingFiles(seen),
  ];
}

const stateLike =
  /(^|[/_.-])(state|config|progress|session|context|memory|status|tracker|run)[\w.-]*\.(json|ya?ml)$/i;

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
  const bare = calls.filter(
    ({ from, to }) =>
      !isTried(tokens, from) &&
      !tokens.slice(to, to + 60).some(({ kind, text }) => kind === "word" && checking.test(text)) &&
      !tokens.slice(Math.max(0, from - 6), from).some(({ text }) => checking.test(text) && text !== "in"),
  );
  const [first] = bare;
  if (!first) return [];
  const { line, endLine } = first;
  const description =
    bare.length > 1
      ? `${bare.length} documents are parsed and used unchecked`
      : "a document is parsed and used unchecked";
  return [finding("DF-003", { file, line, endLine, description })];
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
  for (const { file, tokens } of codes) {
    const at = tokens.findIndex(({ text }, index) => text === "interface" && tokens[index + 2]?.text === "{");
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

/** JSON only: other files are what the skill is for. */
function neverRead({ written, allText, skill }: Seen): Finding[] {
  const once = new Map(written.map((each) => [each.target, each]));
  return [...once.values()]
    .filter(
      ({ file, line, endLine }) =>
        !/\b(such as|like|e\.g\.|named)\b/.test(file.lines.slice(line - 1, endLine).join(" ")),
    )
    .filter(
      ({ target }) =>
        target.endsWith(".json") && !/report|output|summary|result|\*\.json$|package/i.test(target),
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
  const isMade = (file: SkillFile, { line, target }: Reference) =>
    made.has(target) ||
    sentences.some(
      (each) =>
        each.file === file &&
        each.line <= line &&
        line <= each.endLine &&
        each.text.includes(target) &&
        /\b(create|write|generate|save|produce|add|scaffold|output|good|bad|for example|e\.g\.|such as|for instance)/i.test(
          each.text,
        ),
    );
  return documents.flatMap((file) => {
    const seen = new Set<string>();
    return file.references
      .filter(
        (reference) => isChecked(reference, skill.has) && !isThereFor(file, reference.target, skill.has),
      )
      .filter(
        (reference) => !isMade(file, reference) && !seen.has(reference.target) && seen.add(reference.target),
      )
      .map(({ target, line, endLine }) =>
        finding("DF-007", { file, line, endLine, description: `\`${target}\` is not there` }),
      );
  });
}

/** A path in code marks may be the project's; one into a folder that only skills have is the skill's. */
function isChecked({ form, target }: Reference, has: (path: string) => boolean): boolean {
  if (/[*<>{}$]|\.\.\.|^(path\/to|your|example\.)/.test(target)) return false;
  if (form === "link") return true;
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
