// Turns what a schema refuses into Problems: a sentence about the person's own words, where, and what to write.
// Schemas give a wording of their own only where a pattern would be unreadable; see `fields.ts`.
import type * as z from "zod";
import { closest, type Problem, problem } from "../core/problem.ts";
import { type JsonDocument, placeOf, segment, visible } from "./document.ts";
import { shown } from "./spot.ts";

type Issue = z.core.$ZodIssue;
type Description = Pick<Problem, "code" | "message"> & { readonly hint: string };

/** Nobody fixes more than this at once, and a hostile file can have millions. */
const MOST = 1000;

export function schemaProblems(document: JsonDocument, issues: readonly Issue[]): Problem[] {
  const problems = issues.slice(0, MOST).map((issue) => {
    const { code, message, hint } = describe(issue, document.value);
    const pointer = issue.path.map(segment).join("");
    return problem(code, message, { place: placeOf(document, pointer), hint });
  });
  if (issues.length <= MOST) return problems;
  const message = `${issues.length - MOST} more fields of \`${visible(document.file)}\` are wrong`;
  const hint = "fix these first, then check again";
  return [...problems, problem("and-more", message, { place: { file: document.file }, hint })];
}

function describe(issue: Issue, root: unknown): Description {
  const subject = issue.path.length === 0 ? "the document" : `\`${spelled(issue.path)}\``;
  const value = valueAt(root, issue.path);
  if (value === undefined) return missing(issue, subject, valueAt(root, issue.path.slice(0, -1)));
  switch (issue.code) {
    case "invalid_type":
      return wrongType(issue.expected, subject, value);
    case "invalid_value":
      return wrongWord(issue.values, subject, value);
    case "too_small":
      return outOfRange(issue, subject, `at least ${issue.minimum}`);
    case "too_big":
      return outOfRange(issue, subject, `at most ${issue.maximum}`);
    case "unrecognized_keys":
      return {
        code: "unknown-field",
        message: `${subject} has ${issue.keys.length > 1 ? "fields" : "a field"} that heddle does not know: ${issue.keys.map((key) => `\`${visible(key)}\``).join(", ")}`,
        hint: "take it out, or spell it as the schema does",
      };
    default:
      return {
        code: "wrong-value",
        message: `${subject} is ${shown(value)}, but ${issue.message}`,
        hint: `change ${subject} in this place`,
      };
  }
}

function missing(issue: Issue, subject: string, parent: unknown): Description {
  const key = String(issue.path.at(-1) ?? "");
  const keys = typeof parent === "object" && parent !== null ? Object.keys(parent) : [];
  const near = closest(key, keys);
  const kind = issue.code === "invalid_type" ? ` (${kindOf(issue.expected)})` : "";
  return {
    code: "missing-field",
    message: `${subject} is missing`,
    hint:
      near === undefined
        ? `add \`"${key}"\`${kind} to this object`
        : `did you mean it by \`${visible(near)}\`?`,
  };
}

function wrongType(expected: string, subject: string, value: unknown): Description {
  const isNumeric = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
  const hints: Readonly<Record<string, string>> = {
    number: isNumeric ? `write ${value} without quotes` : "write a number without quotes",
    int: isNumeric ? `write ${value} without quotes` : "write a whole number without quotes",
    array: `put it in brackets: [${typeof value === "string" ? `"${visible(value)}"` : "…"}]`,
    boolean: "write true or false without quotes",
  };
  return {
    code: "wrong-type",
    message: `${subject} must be ${kindOf(expected)}, but is ${shown(value)}`,
    hint: hints[expected] ?? `write ${kindOf(expected)} here`,
  };
}

function wrongWord(values: readonly unknown[], subject: string, value: unknown): Description {
  const words = values.map((one) => `\`${String(one)}\``);
  const near = typeof value === "string" ? closest(value, values.map(String)) : undefined;
  const allowed = words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${words.at(-1)}` : words.join("");
  return {
    code: "wrong-value",
    message: `${subject} is ${shown(value)}, but must be ${allowed}`,
    hint:
      near === undefined
        ? `write ${words[0]}${words.length > 1 ? " or another of these" : ""}`
        : `did you mean \`${near}\`?`,
  };
}

function outOfRange(
  issue: Extract<Issue, { code: "too_small" | "too_big" }>,
  subject: string,
  bound: string,
): Description {
  const isList = issue.origin === "array";
  if (issue.origin === "string")
    return {
      code: "out-of-range",
      message: `${subject} must have ${bound} characters`,
      hint: issue.code === "too_big" ? "write it shorter" : "write more",
    };
  const inclusive = issue.inclusive === false ? "more than 0" : bound;
  return {
    code: "out-of-range",
    message: isList ? `${subject} must have ${bound} entry` : `${subject} must be ${inclusive}`,
    hint: isList ? "add what belongs there" : `write a number that is ${inclusive}`,
  };
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function kindOf(expected: string): string {
  return kinds[expected] ?? expected;
}

/** `files[0].path`, as a person would write it. */
function spelled(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${visible(String(key))}`));
  return parts.join("").replace(/^\./, "");
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
