// JSON documents of a skill that nothing can read, and schemas that no document can meet. Both are proven: by a parser,
// and by comparing what one schema says with what the same schema says.
import { readJson } from "../../../../core/json.ts";
import { type Finding, finding } from "../finding.ts";
import type { Seen } from "../see.ts";
import type { SkillFile } from "../skill.ts";

/** What is there to be wrong, or to be filled in. */
const aside =
  /(^|\/)(tests?|fixtures?|evals?|examples?|samples?|__\w+__)\/|template|broken|invalid|malformed/i;

export function diagnoseSchemas({ skill, documents }: Seen): Finding[] {
  const files = skill.files.filter(({ path }) => path.endsWith(".json") && !aside.test(path));
  const inBlocks = documents
    .filter(({ path }) => !aside.test(path))
    .flatMap((file) =>
      file.blocks
        .filter(({ language, isWarning }) => language === "json" && !isWarning)
        .flatMap(({ text, line, endLine }) => {
          const read = readJson(text);
          const fault = "value" in read ? contradictionIn(read.value) : undefined;
          return fault === undefined
            ? []
            : [finding("DF-008", { file, line, endLine, description: fault, evidence: text })];
        }),
    );
  return [...files.flatMap(unreadable), ...files.flatMap(contradictory), ...inBlocks];
}

/** JSON with comments, and one document in each line, are read by what they are for. */
function unreadable(file: SkillFile): Finding[] {
  const text = file.text.replace(/^\uFEFF/, "");
  if (file.json !== undefined || text.trim() === "") return [];
  const read = readJson(withoutComments(text));
  if ("value" in read || text.trim().split("\n").every(isDocument)) return [];
  // A placeholder of a template language makes it no document of its own.
  if (/\{\{|\{%|<%|\$\{|<[A-Z_]+>/.test(text)) return [];
  const { fault } = read;
  const at = text.slice(0, fault.offset).split("\n").length;
  return [
    finding("DF-008", { file, line: at, endLine: at, description: `it is not JSON: ${fault.message}` }),
  ];
}

function isDocument(line: string): boolean {
  return line.trim() === "" || "value" in readJson(line);
}

function withoutComments(text: string): string {
  return text
    .replace(
      /("(?:\\.|[^"\\\n]){0,2000}")|\/\/[^\n]{0,4000}|\/\*[^*]{0,4000}\*\//g,
      (_, string: string | undefined) => string ?? "",
    )
    .replace(
      /("(?:\\.|[^"\\\n]){0,2000}")|,(?=\s{0,200}[}\]])/g,
      (_, string: string | undefined) => string ?? "",
    );
}

function contradictory(file: SkillFile): Finding[] {
  const fault = contradictionIn(file.json);
  if (fault === undefined) return [];
  const name = /`([^`]+)`/.exec(fault)?.[1] ?? "";
  const line = Math.max(1, file.lines.findIndex((text) => text.includes(`"${name}"`)) + 1);
  return [finding("DF-008", { file, line, endLine: line, description: fault })];
}

type Fields = Readonly<Record<string, unknown>>;

function contradictionIn(value: unknown, depth = 0): string | undefined {
  if (typeof value !== "object" || value === null || depth > 60) return undefined;
  if (Array.isArray(value)) return first(value, depth);
  return ownContradiction(value as Fields) ?? first(Object.values(value), depth);
}

function first(values: readonly unknown[], depth: number): string | undefined {
  for (const each of values) {
    const fault = contradictionIn(each, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const bounds = [
  ["minimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
] as const;

function ownContradiction(schema: Fields): string | undefined {
  return missingRequired(schema) ?? crossedBounds(schema) ?? wrongDefault(schema);
}

/** What must be there and may not be; names that another schema brings in are that one's. */
function missingRequired({
  required,
  properties,
  additionalProperties,
  ...rest
}: Fields): string | undefined {
  const isClosed = additionalProperties === false && typeof properties === "object" && properties !== null;
  const borrows = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if", "unevaluatedProperties"];
  if (!isClosed || !Array.isArray(required) || borrows.some((key) => key in rest)) return undefined;
  const missing = required.find((name) => typeof name === "string" && !(name in properties));
  return missing === undefined
    ? undefined
    : `\`${String(missing)}\` is required, and additionalProperties: false forbids it`;
}

function crossedBounds(schema: Fields): string | undefined {
  for (const [low, high] of bounds) {
    const [least, most] = [schema[low], schema[high]];
    if (typeof least === "number" && typeof most === "number" && least > most)
      return `\`${low}\` is ${least} and ${high} is ${most}`;
  }
  return undefined;
}

function wrongDefault({ enum: choices, default: chosen, type }: Fields): string | undefined {
  if (!Array.isArray(choices) || typeof type !== "string" || choices.length === 0) return undefined;
  const isOne = chosen === undefined || choices.some((each) => each === chosen);
  if (!isOne && (typeof chosen === "string" || typeof chosen === "number"))
    return `\`default\` is ${JSON.stringify(chosen)}, which enum does not have`;
  return undefined;
}
