// Links whose target is missing. What a host or an author would find somewhere is there: beside the file, in the skill, in
// a skill beside it, at the plugin's or the repository's root. What lies outside of the repository is not ours to judge.
import { dirname, join, normalize } from "node:path";
import { type Finding, finding } from "../finding.ts";
import type { Seen, Sentence } from "../see.ts";
import type { Reference, Skill, SkillFile } from "../skill.ts";

/** Not instructions: what was, what is to be filled in, and what is only looked at by people. */
const aside =
  /(^|\/)(change-?log|history|release-?notes|news|readme|contributing|license|notice|security|todo|roadmap)[^/]*$|template|(^|\/)(examples?|samples?|fixtures?|tests?|evals?|archive|deprecated|legacy|assets)(\/|[^/]*\.md$)/i;

const fileName =
  /(^|\/)[^/]+\.(mdx?|json|jsonc|ya?ml|toml|txt|py|js|mjs|cjs|jsx|ts|tsx|sh|html|css|csv|sql|rs|go|rb|java|ipynb|svg|png)$/i;

const placeholder =
  /[*<>{}$%|\\]|\.\.\.|…|(^|\/)(path|your|my|some|foo|bar|baz|x|y|xxx|name|file|filename|example|placeholder|todo|tbd|nn+|yyyy)([-_/.]|$)|^(url|link|href)\b/i;

export function missingFiles(seen: Seen): Finding[] {
  const { documents, skill, written, sentences } = seen;
  const made = new Set(written.map(({ target }) => target));
  const isToBeMade = (file: SkillFile, reference: Reference) =>
    made.has(reference.target) || sentences.some((each) => each.file === file && isExcused(each, reference));
  const found = documents
    .filter((file) => !aside.test(file.path) && !hasFenceInFence(file) && !teachesSkills(skill, file))
    .flatMap((file) => {
      const told = new Set<string>();
      return file.references
        .filter((reference) => isJudged(reference) && !isThereFor(file, reference.target, skill))
        .filter(
          (reference) =>
            !isShown(file, reference) && !isToBeMade(file, reference) && !isAnothers(file, reference, skill),
        )
        .filter(({ target }) => !told.has(target) && told.add(target))
        .map(({ target, line, endLine }) =>
          finding("DF-007", { file, line, endLine, description: `\`${target}\` is not there` }),
        );
    });
  return together(found);
}

const fewFiles = 3;

/** A page's footer that is wrong in every file is one fault, told once. */
function together(found: readonly Finding[]): Finding[] {
  const count = new Map<string, number>();
  for (const { description } of found) count.set(description, (count.get(description) ?? 0) + 1);
  const told = new Set<string>();
  return found.flatMap((each) => {
    const files = count.get(each.description) ?? 0;
    if (files <= fewFiles) return [each];
    if (told.has(each.description)) return [];
    told.add(each.description);
    return [{ ...each, description: `${each.description}, and named in ${files} files` }];
  });
}

/** What a skill about skills looks up is full of links as others would write them. */
function teachesSkills({ entry, name }: Skill, file: SkillFile): boolean {
  return file !== entry && /skill|plugin|prompt|agent-?(creator|builder|writer)/i.test(name);
}

/** Only links: a path in code marks may be the project's, another skill's, or one that is to come. */
function isJudged({ form, target }: Reference): boolean {
  return form === "link" && !placeholder.test(target) && fileName.test(target);
}

/** Shown under a heading about examples, or as what not to do. */
function isShown(file: SkillFile, { line }: Reference): boolean {
  const said = file.statements.find((each) => each.line <= line && line <= each.endLine);
  if (!said) return false;
  return (
    said.isWarning ||
    // The title of the whole says nothing about this part of it.
    said.under
      .slice(1)
      .some((title) => /\b(examples?|samples?|templates?|output|format|skeleton|scaffold)\b/.test(title))
  );
}

const makes =
  /\b(create|creates|created|write|writes|generate|generates|generated|save|saves|produce|add|scaffold|output|outputs|emit|good|bad|example|examples|e\.g|eg|such as|for instance|slashes|if present|if it exists|when present|optional|optionally|rename|renamed|moved|removed|deleted|formerly|deprecated|not shipped|not included|missing|placeholder|hypothetical|like|recommended|would)\b/i;

/** It is to be made, gone on purpose, or an example: said in its own sentence, or of the list that it stands in. */
function isExcused({ text, lead, line, endLine }: Sentence, reference: Reference): boolean {
  const isHere = line <= reference.line && reference.line <= endLine;
  return (
    isHere && text.includes(reference.label) && makes.test(`${lead} ${text.replace(reference.label, "")}`)
  );
}

/** "`other-skill`'s `references/a.md`", or a path in a skill beside this one that is named in the same paragraph. */
function isAnothers(file: SkillFile, { line, target }: Reference, { has }: Skill): boolean {
  const said = file.statements.find((each) => each.line <= line && line <= each.endLine)?.text ?? "";
  const before = said.slice(0, Math.max(0, said.indexOf(target)));
  if (/`[\w -]+`['’]s?\s+(?:[\w-]+\s+){0,5}\(?`$/.test(before)) return true;
  return [...said.matchAll(/[`*(]([\w-]+)[`*)]/g)].some(([, name]) => has(`../${name}/${target}`));
}

const mostUp = 8;

function isThereFor(file: SkillFile, target: string, { has }: Skill): boolean {
  const path = decoded(target)
    .replace(/:\d+(-\d+)?$/, "")
    .replace(/^\.\//, "");
  const beside = normalize(join(dirname(file.path), path));
  if (has(beside) || leavesRepository(beside, has)) return true;
  for (let up = ""; up.length <= 3 * mostUp; up += "../") {
    if (has(`${up}${path}`) || has(`${up}skills/${path}`)) return true;
    // Above the repository lies somebody else's.
    if (has(`${up}.git`)) return false;
  }
  return false;
}

/** `../../x` of a skill that lies one folder below its repository's root. */
function leavesRepository(path: string, has: Skill["has"]): boolean {
  const ups = path.split("/").filter((part) => part === "..").length;
  for (let up = 0; up < ups; up++) if (has(`${"../".repeat(up)}.git`)) return true;
  return false;
}

function decoded(target: string): string {
  try {
    return decodeURI(target);
  } catch {
    return target;
  }
}

/** A Markdown example with fences of its own ends too early for a parser: what follows is still the example. */
function hasFenceInFence({ lines }: SkillFile): boolean {
  let open: string | undefined;
  for (const line of lines) {
    const [, marks, language] = /^\s*(`{3,}|~{3,})\s*([\w-]*)/.exec(line) ?? [];
    if (marks === undefined) continue;
    if (open === undefined) open = `${marks} ${language}`;
    else if (language === "" && open.startsWith(marks)) open = undefined;
    else if (/ (markdown|md)$/.test(open) && open.startsWith(marks)) return true;
  }
  return open !== undefined;
}
