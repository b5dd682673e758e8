// U4: the report as a file: the same bytes for the same run, nothing in it that ends its data, and bounded however many tasks there are.
import { expect, it } from "vitest";
import type { TaskPage } from "../../src/page/model.ts";
import { bounded } from "../../src/page/report.ts";
import { reportFile } from "../../src/page/report-file.ts";
import { dataIn, foreignIn } from "./inside.ts";
import { madeRuns, reportOf, taskPage } from "./made.ts";

const [run] = madeRuns();
if (!run) throw new Error("bug: no run was made");

const files = new Map([
  [
    "/index.html",
    {
      type: "",
      body: '<head><meta charset="utf-8"><link rel="stylesheet" href="page.css"></head><noscript>none</noscript><script src="page.js" defer></script>',
    },
  ],
  ["/page.css", { type: "", body: "p { color: red }" }],
  ["/page.js", { type: "", body: 'const end = "$& $1";' }],
]);

it("U4 X19 is the same file for the same run, and what agents wrote ends neither its data nor its text", () => {
  const evil = "</script><script>ran()</script><!-- $& $1 \u2028\u202e</noscript><img src=x onerror=ran()>";
  const data = { ...reportOf(run), run: { ...run, title: evil } };
  const file = reportFile(files, { data, text: evil });
  expect(reportFile(files, { data, text: evil })).toBe(file);
  expect(dataIn(file)).toEqual(data);
  expect(foreignIn(file)).not.toMatch(/<script|<img|<!--|[\u2028\u202e]/);
  expect(file.match(/<\/noscript>/g)).toHaveLength(1);
});

it("U4 X19 is bounded: of 10,000 tasks with large changes, those that failed keep theirs and the others an outline", () => {
  const page = taskPage(run, "T005");
  if (!page) throw new Error("bug: no task was made");
  const diff = { files: [], text: "x".repeat(20_000), cut: false };
  const pages = Array.from({ length: 10_000 }, (_, at): readonly [string, TaskPage] => {
    const status = at >= 9_990 ? "failed" : "complete";
    return [`T${at}`, { ...page, diff, row: { ...page.row, status } }];
  });
  const { tasks, leftOut } = bounded(pages);
  expect(Object.keys(tasks)).toEqual(pages.map(([id]) => id));
  expect(tasks.T9995?.diff).toEqual(diff);
  expect(tasks.T9000).toMatchObject({ diff: null, history: [], row: { status: "complete" } });
  expect(leftOut).toBe(Object.values(tasks).filter((each) => each.diff === null).length);
  expect(leftOut).toBeGreaterThan(9_000);
  expect(JSON.stringify(tasks).length).toBeLessThan(40 * 1024 * 1024);
});
