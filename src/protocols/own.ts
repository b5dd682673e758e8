// A protocol of one's own as data (U8): phases, artifacts with their fields, counters and rules. From it the same table
// is made that the built-in protocols are, so the same checker proves it and the same engine drives it.
import * as z from "zod";
import { artifact, counter, field } from "../core/artifact.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Action, Phase, Protocol, Rule, Subject } from "../core/protocol.ts";
import { schemaProblems } from "./schema-problem.ts";

const name = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be a lower-case name");
const text = z.string().regex(/\S/, "must not be blank");
const words = z.union([z.string(), z.array(z.string()).min(1)]);
const value = z.union([z.string(), z.boolean(), z.number()]);

const phase = z.union([
  z.strictObject({ name, about: text, end: z.boolean().optional() }),
  z.record(name, text).refine((entry) => Object.keys(entry).length === 1, "must have one name"),
]);

const rule = z.strictObject({
  rule: text.describe("a sentence that is true when the rule fires"),
  at: words.optional().describe("the phases it holds in; all of them unless said"),
  when: z.record(z.string(), z.union([value, z.array(value).min(1)])).optional(),
  asked: z.string().optional().describe("only when a person asks for this"),
  go: z.string().optional(),
  counts: z.string().optional().describe("with `go`: the counter that this turn counts for"),
  job: z.strictObject({ role: name, makes: z.string() }).optional(),
  wait: text.optional(),
  halt: z.strictObject({ code: text, hint: text }).optional(),
  end: z.enum(["done", "failed"]).optional(),
});

const file = z
  .string()
  .regex(/^(?!\/)(?!.*\.\.)[\w./-]+\.json$/, "must be a path inside the run's folder that ends in .json");

export const ownProtocol = z
  .strictObject({
    name,
    about: text,
    phases: z.array(phase).min(2),
    artifacts: z.record(
      name,
      z.union([
        file,
        z.strictObject({
          file,
          from: z
            .array(z.string())
            .optional()
            .describe("what it is made from: when that changes, it is stale"),
          fields: z
            .record(name, z.array(value).min(1))
            .optional()
            .describe("fields that must be there, and what each may say"),
          given: z.boolean().optional().describe("a person brings it: no job makes it"),
        }),
      ]),
    ),
    counters: z.record(name, z.int().min(1).max(1000)).optional().describe("how often each loop may turn"),
    rules: z.array(rule).min(1),
  })
  .meta({ title: "Protocol", description: ".heddle/protocols/<name>.yaml, a way of working of one's own." });

export type OwnProtocol = z.infer<typeof ownProtocol>;

/** The document as JSON text is what problems are placed in; whoever read another language maps the pointers. */
export function protocolFrom(
  fileName: string,
  document: unknown,
): Protocol | { readonly problems: Problem[] } {
  const parsed = ownProtocol.safeParse(document);
  if (!parsed.success) {
    const shown = { file: fileName, text: JSON.stringify(document) ?? "null", value: document };
    return { problems: schemaProblems(shown, parsed.error.issues) };
  }
  const actions = parsed.data.rules.flatMap((each) => actionProblem(each, fileName));
  return actions.length > 0 ? { problems: actions } : made(parsed.data);
}

const kinds = ["go", "job", "wait", "halt", "end"] as const;
type OwnRule = OwnProtocol["rules"][number];

function actionProblem(each: OwnRule, fileName: string): Problem[] {
  const asked = kinds.filter((kind) => each[kind] !== undefined);
  if (asked.length === 1 && (each.counts === undefined || each.go !== undefined)) return [];
  const what = asked.length === 0 ? "asks for nothing" : `asks for ${asked.join(" and ")}`;
  return [
    problem("bad-action", `rule \`${each.rule}\` ${asked.length === 1 ? "counts without `go`" : what}`, {
      place: { file: fileName },
      hint: `give it exactly one of ${kinds.join(", ")}`,
    }),
  ];
}

function made(own: OwnProtocol): Protocol {
  const artifacts = Object.entries(own.artifacts).map(
    ([key, each]) => [key, typeof each === "string" ? { file: each } : each] as const,
  );
  const fields = artifacts.map(([key, { fields: said = {} }]) => [
    key,
    mapped(said, (each) => each.map(String)),
  ]);
  const given = artifacts.filter(([, each]) => each.given).map(([key]) => key);
  const counters = own.counters ?? {};
  return {
    name: own.name,
    about: own.about,
    phases: own.phases.map(phaseOf),
    artifacts: Object.fromEntries(artifacts.map(([key, each]) => [key, each.file])),
    madeFrom: Object.fromEntries(artifacts.map(([key, { from = [] }]) => [key, from])),
    fields: Object.fromEntries(fields),
    ...(given.length > 0 && { given }),
    subjects: { ...subjectsOf(artifacts), ...mapped(counters, (bound, key) => counter(key, () => bound)) },
    counters: Object.keys(counters),
    rules: own.rules.map(ruleOf),
  };
}

function mapped<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, each]) => [key, map(each, key)]));
}

type OwnArtifact = { readonly fields?: Readonly<Record<string, readonly unknown[]>> | undefined };

/** `letter` is whether it is there and right; `letter.ok` what it says. */
function subjectsOf(artifacts: readonly (readonly [string, OwnArtifact])[]): Record<string, Subject> {
  const found = artifacts.flatMap(([key, { fields = {} }]) => [
    [key, artifact(key)] as const,
    ...Object.entries(fields).map(
      ([word, said]) => [`${key}.${word}`, field(key, word, said.map(String))] as const,
    ),
  ]);
  return Object.fromEntries(found);
}

function phaseOf(each: OwnProtocol["phases"][number]): Phase {
  if (typeof each.about === "string" && typeof each.name === "string") {
    const { name: key, about, end } = each as { name: string; about: string; end?: boolean };
    return { name: key, about, ...(end !== undefined && { end }) };
  }
  const [[key, about] = ["", ""]] = Object.entries(each);
  return { name: key, about: String(about) };
}

const listed = (said: unknown): string[] => (Array.isArray(said) ? said.map(String) : [String(said)]);

function ruleOf({ rule: sentence, at, when = {}, asked, ...each }: OwnRule): Rule {
  const conditions = {
    ...(at !== undefined && { phase: listed(at) }),
    ...(asked !== undefined && { request: [asked] }),
    ...mapped(when, listed),
  };
  const then = actionOf(each);
  return { name: sentence, when: conditions, then };
}

function actionOf(each: Omit<OwnRule, "rule" | "at" | "when" | "asked">): Action {
  const { go, counts, job, wait, halt, end = "done" } = each;
  if (go !== undefined) return counts === undefined ? { kind: "go", to: go } : { kind: "go", to: go, counts };
  if (job) return { kind: "job", role: job.role, makes: job.makes };
  if (wait !== undefined) return { kind: "wait", hint: wait };
  return halt ? { kind: "halt", code: halt.code, hint: halt.hint } : { kind: "end", outcome: end };
}
