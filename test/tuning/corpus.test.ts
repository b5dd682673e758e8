import { describe, expect, it } from "vitest";
import { entries, judge, quality, table } from "./corpus.ts";

const judged = entries().map(judge);

describe("the diagnoses on the corpus", () => {
  it("S3 finds at least nine of ten planted defects, and nine of ten findings are right", () => {
    const rows = quality(judged);
    console.log(table(rows));
    for (const { diagnosis, precision, recall } of rows) {
      expect(precision, `precision of ${diagnosis}`).toBeGreaterThanOrEqual(0.9);
      expect(recall, `recall of ${diagnosis}`).toBeGreaterThanOrEqual(0.9);
    }
  });

  it("says nothing above low about a clean skill", () => {
    const loud = judged
      .filter(({ defects }) => defects.length === 0)
      .flatMap(({ path, findings }) =>
        findings
          .filter(({ severity }) => severity !== "low")
          .map(({ pattern, line }) => `${path} ${pattern} ${line}`),
      );
    expect(loud).toEqual([]);
  });

  it("has file, lines, evidence, cause, impact and strategy in every finding", () => {
    const bare = judged
      .flatMap(({ findings }) => findings)
      .filter(
        ({ file, line, endLine, evidence, rootCause, impact, strategy }) =>
          !(file && line >= 1 && endLine >= line && evidence && rootCause && impact && strategy),
      );
    expect(bare).toEqual([]);
  });
});
