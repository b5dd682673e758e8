// Whether a document that a role or a person made is right, by the checks of its protocol: those of the lifecycle's
// artifacts, or the fields that a protocol of one's own declares.
import * as z from "zod";
import type { Input } from "../../core/input.ts";
import type { Problem } from "../../core/problem.ts";
import type { Protocol } from "../../core/protocol.ts";
import type { Json } from "../../core/run.ts";
import { readText } from "../../host/files.ts";
import { checkArtifact } from "../../protocols/check-artifact.ts";
import { aboutArtifact } from "../../protocols/subject.ts";
import { type CheckedArtifact, checkTaskArtifact, isTaskArtifact } from "../lifecycle/artifacts/check.ts";

/** What a check needs to know of a protocol. */
export type Checks = Pick<Protocol, "name" | "fields">;

const refused = (problem: Problem): CheckedArtifact => ({
  problems: [problem],
  warnings: [],
  content: undefined,
});

/** Nothing when it is no document: the lifecycle's code is read by heddle from the coder's workspace. */
export function checkDocument(protocol: Checks, name: string, path: string): CheckedArtifact | undefined {
  if (protocol.name === "lifecycle" && !isTaskArtifact(name)) return undefined;
  const read = readText(path);
  if ("problem" in read) return refused(read.problem);
  const source = { file: path, text: read.text };
  if (protocol.name === "lifecycle" && isTaskArtifact(name)) return checkTaskArtifact(name, source);
  const { problems, warnings, value } = checkArtifact(schemaOf(protocol.fields?.[name] ?? {}), source);
  return { problems, warnings, content: value && readOf(value) };
}

function schemaOf(fields: Readonly<Record<string, readonly string[]>>): z.ZodType<Record<string, unknown>> {
  const shape = Object.entries(fields).map(([key, words]) => [
    key,
    words.length > 0 ? z.union(words.map((word) => literal(word))) : z.unknown(),
  ]);
  return z.looseObject(Object.fromEntries(shape));
}

/** `true` and `1` in a table mean the values, as well as their spelling. */
function literal(word: string): z.ZodType {
  const value = /^(?:true|false|-?\d+)$/.test(word) ? asWritten(word) : undefined;
  return value === undefined ? z.literal(word) : z.literal([word, value]);
}

const asWritten = (word: string) => (word === "true" || word === "false" ? word === "true" : Number(word));

/** Of a document of one's own: what is short enough to be a verdict. */
function readOf(value: Readonly<Record<string, unknown>>): Record<string, Json> {
  const short = Object.entries(value).filter(
    ([, each]) =>
      typeof each === "boolean" ||
      typeof each === "number" ||
      (typeof each === "string" && each.length <= 200),
  );
  return Object.fromEntries(short) as Record<string, Json>;
}

interface Asking {
  readonly name: string;
  readonly digest: string;
  readonly content: Readonly<Record<string, Json>>;
}

/** What an artifact asks of a person, as questions that can be answered (C8). */
export function questionsOf({ name, digest, content }: Asking): Input[] {
  const asked = content.blocking_questions;
  if (!Array.isArray(asked)) return [];
  const about = aboutArtifact({ name, digest });
  return (asked as readonly { text: string; options?: readonly string[] }[]).map(
    ({ text, options = [] }, index) => ({
      kind: "ask",
      id: `${name}-${digest.slice(0, 8)}-${index + 1}`,
      text,
      options,
      about,
    }),
  );
}
