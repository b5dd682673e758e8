// docs/tuning.md knows every pattern, with how sure it is and the severity that the code has.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Pattern, patterns } from "../../src/packs/tuning/skill/finding.ts";

it("docs/tuning.md lists every pattern", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/tuning.md"), "utf8");
  const rows = Object.entries(patterns as Readonly<Record<string, Pattern>>).map(
    ([id, { severity, certainty, title }]) => `| ${id} | ${certainty} | ${severity} | ${title} |`,
  );
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
