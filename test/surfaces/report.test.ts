// X19: the report at the end of an execution, and on demand.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { type ExecutionReport, executionReport } from "../../src/view/report/execution-report.ts";
import { dataIn, foreignIn } from "../page/inside.ts";
import { type Execution, executable } from "./rig.ts";

const evil = "<script>alert(1)</script> | `x` \u202e [a](javascript:b)";

describe("heddle report", () => {
  let project: Execution;
  let document: ExecutionReport;

  beforeAll(async () => {
    project = await executable({
      tasks: 4,
      after: (n) => (n === 4 ? [3] : []),
      name: (n) => (n === 2 ? "Names with <b>markup</b> & a | bar" : `Build T00${n}`),
      check: (id) => (id === "T003" ? "cat src/T003.ts; false" : `grep -q ok src/${id}.ts`),
      turns: {
        "*": [{ files: {} }],
        T001: [
          { files: { "src/T001.ts": "bad\n" }, spends: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 } },
          {
            files: { "src/T001.ts": "ok\n", "EXTRA.md": `${evil}\n` },
            spends: { inputTokens: 10, outputTokens: 5, costUsd: null },
          },
        ],
        T002: [
          { files: { "src/T002.ts": "ok\n" }, spends: { inputTokens: 1, outputTokens: 1, costUsd: null } },
        ],
        T003: [{ files: { "src/T003.ts": `${evil}\n` } }],
      },
    });
    project.write(".heddle/config.json", JSON.stringify({ attempts: 2 }));
    const { code, out } = await project.execute();
    expect(code).toBe(1);
    expect(out).toContain(`report: ${project.path("project-planning/reports/execution-report.html")}`);
    document = JSON.parse(
      readFileSync(project.path("project-planning/reports/execution-report.json"), "utf8"),
    );
  });

  const task = (id: string) =>
    document.tasks.find((each) => each.id === id) as ExecutionReport["tasks"][number];

  it("X19 is valid by its published schema", async () => {
    expect(executionReport.parse(document)).toEqual(document);
    const again = await project.json("report");
    expect({ ...again, written_at: "" }).toEqual({ ...document, written_at: "" });
  });

  it("X19 has evidence per criterion: command, exit code, time, tree and log", () => {
    const [check] = task("T001").criteria;
    expect(check).toMatchObject({ command: "grep -q ok src/T001.ts", ok: true, exit: 0, note: null });
    expect(check?.tree).toMatch(/^[0-9a-f]{40}$/);
    expect(readFileSync(check?.log ?? "", "utf8")).toBe("");
    expect(task("T004").criteria[0]).toMatchObject({ ok: false, exit: null, note: "heddle has not run it" });
  });

  it("X19 has attempts and why they failed, differences between claim and sight, and the change itself", () => {
    const { attempts, diff, commit } = task("T001");
    expect(attempts.map(({ outcome, category }) => [outcome, category])).toEqual([
      ["failed", "test"],
      ["complete", null],
    ]);
    expect(attempts[0]?.error).toContain("exited with code 1");
    expect(attempts[0]?.checks[0]).toMatchObject({ ok: false, exit: 1 });
    expect(attempts[1]?.agent).toBe("scripted");
    expect(attempts[1]?.claim?.status).toBe("success");
    expect(attempts[1]?.differences).toContain("created EXTRA.md, which the task does not declare");
    expect(attempts[1]?.stages.map(({ stage }) => stage)).toEqual([
      "preparing",
      "working",
      "checking",
      "integrating",
    ]);
    expect(diff?.files).toContainEqual({ path: "src/T001.ts", added: 1, removed: 0 });
    expect(diff?.text).toContain("+ok");
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
  });

  it("X19 shows an unknown cost as unknown, never as zero", async () => {
    expect(task("T001").usage).toMatchObject({ cost_usd: 0.5, unknown_costs: 1 });
    expect(task("T002").usage).toMatchObject({ cost_usd: null, unknown_costs: 1 });
    expect(task("T003").usage).toBeNull();
    const { out } = await project.must("report");
    expect(out).toContain("at least $0.50 of $100 (2 calls of unknown cost)");
    expect(out).toContain("cost unknown (1 call of unknown cost)");
    expect(out).not.toContain("$0.00");
  });

  it("X19 says what is left and what would help", () => {
    expect(document.left.map(({ task: id, status }) => [id, status])).toEqual([
      ["T003", "failed"],
      ["T004", "blocked"],
    ]);
    expect(document.left[0]?.hint).toBe("heddle state retry-task T003");
  });

  it("X19 is one HTML file, the page itself, in which nothing runs but its own script and nothing that others wrote is markup", async () => {
    const html = readFileSync(project.path("project-planning/reports/execution-report.html"), "utf8");
    expect(foreignIn(html)).not.toMatch(/<script|<style|<img|<link|<iframe|src=|href=|\son\w+=/i);
    expect(html).not.toContain(evil.slice(0, 20));
    expect(html).not.toContain("\u202e [a]");
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('name="viewport"');
    const data = dataIn(html);
    expect(data.run.tasks.find(({ id }) => id === "T002")?.name).toBe("Names with <b>markup</b> & a | bar");
    expect(data.tasks.T001?.diff?.text).toContain("<script>alert(1)</script>");
    // Readers without scripts have the text.
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    const markdown = (await project.must("report", "--format", "md")).out;
    expect(markdown).toContain("Names with \\<b\\>markup\\</b\\> & a \\| bar");
    expect(markdown).not.toContain("\u202e");
  });

  it("X19 has on the page what it has as a document: evidence and logs, attempts, claims, the change, what is left", async () => {
    const html = readFileSync(project.path("project-planning/reports/execution-report.html"), "utf8");
    const { tasks, report, run, leftOut } = dataIn(html);
    for (const each of document.tasks) {
      const page = tasks[each.id];
      expect(page?.row).toMatchObject({ id: each.id, name: each.name, status: each.status, done: each.done });
      expect(page?.ms).toBe(each.ms);
      expect(page?.diff ?? null).toEqual(each.diff);
      expect(
        page?.criteria.map(({ logs, exit, ms, tree, output }) => [logs, exit, ms, tree, output]),
      ).toEqual(
        each.criteria.map(({ log, log_beside: beside, exit, ms, tree, output }) => [
          [log, beside].filter(Boolean),
          ...[exit, ms, tree, output ?? null],
        ]),
      );
      expect(page?.attempts).toMatchObject(
        each.attempts.map(({ number, agent, outcome, category, error, stages, differences, refused }) => ({
          ...{ number, agent, outcome, category, error, stages, differences, refused },
        })),
      );
    }
    expect(tasks.T001?.attempts[1]?.claim).toMatch(/^success: \d created, \d modified$/);
    const left = report.sections.find(({ title }) => title === "What is left");
    expect(left?.rows.map(([task, is, , hint]) => [task, is, hint])).toEqual(
      document.left.map(({ task, status, hint }) => [task, status, hint === null ? "" : { code: hint }]),
    );
    expect(Object.fromEntries(report.facts)).toMatchObject({
      Attempts: "5, 3 failed",
      Target: run.targetDir,
    });
    expect(leftOut).toBe(0);
    expect([run.actions, run.inbox.flatMap(({ actions }) => actions)]).toEqual([[], []]);
  });

  it("X19 writes to a file, names overrides and unverified tasks, and always says unconfined", async () => {
    await project.must("state", "skip-task", "T003", "not", "needed");
    await project.must("state", "start-task", "T004");
    await project.must("state", "complete-task", "T004");
    const ran = await project.heddle("report", "--format", "html", "--out", "page.html");
    expect([ran.code, ran.out.trim()]).toEqual([0, `written: ${project.path("page.html")}`]);
    const { report } = dataIn(readFileSync(project.path("page.html"), "utf8"));
    expect(report.sections.find(({ title }) => title === "Not verified")?.text).toContain(
      "ran on them: T004",
    );
    const overrides = report.sections.find(({ title }) => title === "Overrides");
    expect(overrides?.rows.map((row) => row.slice(2))).toContainEqual(["T003", "skipped", "not needed"]);
    const now: ExecutionReport = await project.json("report");
    expect(now.unverified).toEqual(["T004"]);
    expect(now.overrides).toContainEqual(
      expect.objectContaining({ task: "T003", what: "skipped", reason: "not needed" }),
    );
    expect(now.unconfined).toBe(false);
    expect((await project.heddle("report", "--format", "pdf")).code).toBe(64);
  });
});
