// Token consumption: what is loaded although it is not needed, and what is paid for twice.
import { dirname, join, normalize } from "node:path";
import { callsTo } from "../code.ts";
import { type Finding, finding, type Severity } from "../finding.ts";
import { type Code, isAction, type Seen } from "../see.ts";
import type { SkillFile } from "../skill.ts";
import { lineOfKey } from "./agent.ts";
import { growthIn, holdsRead, promptsIn, withoutTexts } from "./growth.ts";

/** In tokens. A skill's body is advised to stay under 5,000; instructions are loaded in every conversation. */
export const sizes = {
  entry: 5000,
  instructions: 3000,
  action: 2500,
  reference: 10_000,
  huge: 15_000,
  /** With this much loaded, little of a usual context is left to work in. */
  unusable: 50_000,
};
const manyFields = 15;
const longDescription = 1024;

export function diagnoseTokens(seen: Seen): Finding[] {
  return [
    ...large(seen),
    ...fields(seen),
    ...seen.codes.flatMap(reads),
    ...seen.codes.flatMap(lists),
    ...seen.codes.flatMap(readsBack),
    ...description(seen),
    ...includesItself(seen),
  ];
}

function large({ documents, skill }: Seen): Finding[] {
  return documents.flatMap((file) => {
    const { entry, instructions, action, reference } = sizes;
    const own = skill.kind === "instructions" ? instructions : entry;
    const most = file === skill.entry ? own : isAction(file) ? action : reference;
    if (file.tokens <= most) return [];
    const { lines, tokens } = file;
    return [
      finding("TKN-001", {
        file,
        line: 1,
        endLine: lines.length,
        severity: file === skill.entry ? severityOf(tokens) : "medium",
        description: `${tokens} tokens are loaded at once, at most ${most} are advised`,
        evidence: `${tokens} tokens, ${lines.length} lines`,
      }),
    ];
  });
}

function severityOf(tokens: number): Severity {
  if (tokens > sizes.unusable) return "critical";
  return tokens > sizes.huge ? "high" : "medium";
}

function fields({ schemas }: Seen): Finding[] {
  return (
    schemas
      .filter((schema) => schema.fields.length > manyFields)
      // Declared and shown by an example, it is still one state.
      .filter(({ file }, at, all) => all.findIndex((each) => each.file === file) === at)
      .map(({ file, line, endLine, fields: all }) =>
        finding("TKN-002", { file, line, endLine, description: `the state has ${all.length} fields` }),
      )
  );
}

function reads(code: Code): Finding[] {
  return promptsIn(code).flatMap((token) =>
    token.holes
      .filter((hole) => holdsRead(withoutTexts(hole)))
      .map((hole) => {
        const line = token.line + (token.text.slice(0, token.text.indexOf(hole)).match(/\n/g)?.length ?? 0);
        return finding("TKN-003", {
          file: code.file,
          line,
          endLine: line,
          description: `\`${hole}\` reads a file into the prompt`,
        });
      }),
  );
}

/** Everything that belongs to the state is loaded in every step. */
function lists(code: Code): Finding[] {
  return growthIn(code)
    .filter(({ name }) => /^(state|this\.state|self\.state|session|memory|ctx)\./.test(name))
    .filter(({ name }) => !isBounded(name, code.file))
    .map(({ name, line, endLine }) =>
      finding("TKN-004", { file: code.file, line, endLine, description: `\`${name}\` only ever grows` }),
    );
}

/** By the work there is, or by a limit that is named. */
function isBounded(name: string, { text }: SkillFile): boolean {
  if (/\.(completed|reviewed|done|visited|processed|finished|skipped)_?\w*$/i.test(name)) return true;
  return /iterations?$/i.test(name) && /max_?iterations/i.test(text);
}

function readsBack({ file, tokens }: Code): Finding[] {
  const paths = (names: RegExp) =>
    callsTo(tokens, names).map((call) => ({
      ...call,
      path: firstArgument(tokens.slice(call.from + 2, call.to).map(({ text }) => text)),
    }));
  const written = paths(/^(Write|writeFile|writeFileSync|write_file)$/);
  return paths(/^(Read|readFile|readFileSync|read_file)$/).flatMap(({ from, line, endLine, path }) => {
    const before = written.find(
      (each) =>
        each.path === path &&
        each.to < from &&
        from - each.to < 40 &&
        // A branch that ends in between writes what another one reads.
        !tokens.slice(each.to, from).some(({ text }) => text === "}" || text === "return"),
    );
    return before && path !== ""
      ? [
          finding("TKN-005", {
            file,
            line: before.line,
            endLine: Math.max(line, endLine),
            description: `${path} is written and read back`,
          }),
        ]
      : [];
  });
}

function firstArgument(words: readonly string[]): string {
  const comma = words.indexOf(",");
  return (comma < 0 ? words : words.slice(0, comma)).join("");
}

function description({ skill }: Seen): Finding[] {
  const { front, lines } = skill.entry;
  const text = front?.values.description;
  if (!front || typeof text !== "string" || text.length <= longDescription) return [];
  const line = lineOfKey(lines, front.line, /^description\s*:/);
  return [
    finding("TKN-006", {
      file: skill.entry,
      line,
      endLine: line,
      description: `${text.length} characters, hosts take ${longDescription}`,
    }),
  ];
}

function includesItself({ documents }: Seen): Finding[] {
  const byPath = new Map(documents.map((file) => [file.path, file]));
  return documents.flatMap((file) => {
    const back = file.references.find(
      ({ form, target }) => form === "include" && leadsTo(byPath, targetOf(file, target, byPath), file.path),
    );
    return back
      ? [
          finding("TKN-007", {
            file,
            line: back.line,
            endLine: back.endLine,
            description: `\`@${back.target}\` leads back to this file`,
          }),
        ]
      : [];
  });
}

function targetOf(file: SkillFile, target: string, byPath: ReadonlyMap<string, SkillFile>): string {
  const beside = normalize(join(dirname(file.path), target));
  return byPath.has(beside) ? beside : normalize(target);
}

function leadsTo(byPath: ReadonlyMap<string, SkillFile>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path === to) return true;
    const file = byPath.get(path);
    if (!file || seen.has(path)) continue;
    seen.add(path);
    for (const { form, target } of file.references)
      if (form === "include") open.push(targetOf(file, target, byPath));
  }
  return false;
}
