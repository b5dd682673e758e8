// SARIF as code-scanning views take it. The shapes below are written by hand from the official schema of SARIF 2.1.0 (OASIS,
// errata 01), which allows no other keys: what is required there is required here. The types in `sarif.ts` are made from
// the same schema, so the compiler holds the rest. (The whole schema, 113 kB, is not ours to copy; `ajv` has taken our
// output for all of the corpus against it.)
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod";
import { folder, heddle } from "../e2e/rig.ts";
import { corpus } from "./corpus.ts";

const text = z.strictObject({ text: z.string().min(1) });
const level = z.enum(["none", "note", "warning", "error"]);

const rule = z.strictObject({
  id: z.string(),
  name: z.string(),
  shortDescription: text,
  fullDescription: text,
  help: text,
  defaultConfiguration: z.strictObject({ level }),
  properties: z.looseObject({ tags: z.array(z.string()) }),
});

const region = z
  .strictObject({ startLine: z.int().min(1), endLine: z.int().min(1), snippet: text })
  .refine(({ startLine, endLine }) => startLine <= endLine);

const result = z.strictObject({
  ruleId: z.string(),
  ruleIndex: z.int().min(-1),
  level,
  message: text,
  locations: z.array(
    z.strictObject({
      physicalLocation: z.strictObject({
        artifactLocation: z.strictObject({
          uri: z.string().regex(/^[^\s\\]+$/),
          uriBaseId: z.string().optional(),
        }),
        region,
      }),
    }),
  ),
  partialFingerprints: z.record(z.string(), z.string()),
  properties: z.looseObject({ certainty: z.enum(["proven", "suspected"]), counts: z.boolean() }),
  suppressions: z
    .array(z.strictObject({ kind: z.enum(["inSource", "external"]), justification: z.string() }))
    .optional(),
});

const log = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.array(
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          semanticVersion: z.string().regex(/^\d+\.\d+\.\d+/),
          rules: z.array(rule),
        }),
      }),
      columnKind: z.enum(["utf16CodeUnits", "unicodeCodePoints"]),
      results: z.array(result),
      invocations: z.array(
        z.strictObject({
          executionSuccessful: z.boolean(),
          toolExecutionNotifications: z.array(z.strictObject({ level, message: text })),
        }),
      ),
      properties: z.looseObject({}),
    }),
  ),
});

async function sarifOf(cwd: string, ...paths: readonly string[]) {
  const { code, out } = await heddle(["tune", "--check", ...paths, "--sarif"], { cwd });
  return { code, document: log.parse(JSON.parse(out)) };
}

it("writes SARIF 2.1.0 for the whole corpus, by the official schema's rules", async () => {
  const { code, document } = await sarifOf(corpus, ".", "nothing-here");
  expect(code).toBe(1);
  const [run] = document.runs;
  const rules = run?.tool.driver.rules ?? [];
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  expect(run?.results.length).toBeGreaterThan(20);
  for (const { ruleId, ruleIndex, locations, level: shown, properties } of run?.results ?? []) {
    if (!properties.counts) expect(shown).toBe("note");
    expect(rules[ruleIndex]?.id).toBe(ruleId);
    const { artifactLocation, region: lines } = locations[0]?.physicalLocation ?? {};
    const source = readFileSync(join(corpus, decodeURIComponent(artifactLocation?.uri ?? "")), "utf8");
    expect(lines?.endLine).toBeLessThanOrEqual(source.split("\n").length);
  }
  expect(run?.invocations[0]).toMatchObject({
    executionSuccessful: false,
    toolExecutionNotifications: [{ level: "error" }],
  });
});

it("S18 tells what is suppressed, and why", async () => {
  const root = folder();
  const text =
    "---\nname: a\ndescription: d\n---\n\n<!-- heddle-ignore: DF-007 the build makes it -->\nSee [b](b.md).\n";
  writeFileSync(join(root, "SKILL.md"), text);
  const { code, document } = await sarifOf(root, ".");
  expect(code).toBe(0);
  expect(document.runs[0]?.results).toMatchObject([
    { level: "note", suppressions: [{ kind: "inSource", justification: "the build makes it" }] },
  ]);
});

it("gives names with blanks as addresses, and what lies elsewhere as a whole one", async () => {
  const root = folder();
  mkdirSync(join(root, "here"));
  mkdirSync(join(root, "my skill"));
  writeFileSync(join(root, "my skill/SKILL.md"), "No front matter.\n");
  const inside = (await sarifOf(root, "my skill")).document;
  expect(inside.runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation).toEqual({
    uri: "my%20skill/SKILL.md",
    uriBaseId: "%SRCROOT%",
  });
  const outside = (await sarifOf(join(root, "here"), "../my skill")).document;
  expect(outside.runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toMatch(
    /^file:\/\/\/.*my%20skill\/SKILL\.md$/,
  );
});

it("a document with a key that the schema does not know would not pass here", () => {
  expect(log.safeParse({ $schema: "https://x.test", version: "2.1.0", runs: [], extra: 1 }).success).toBe(
    false,
  );
});
