// X19: the report at the end of an execution, and on demand.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type ExecutionReport,
  executionReport,
} from "../../src/protocols/decomposition/artifacts/execution-report.ts";
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
  }, 60_000);

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
    expect(readFileSync(`${check?.log}.out`, "utf8")).toBe("");
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

  it("X19 is one HTML file without scripts in which nothing that others wrote is markup", async () => {
    const html = readFileSync(project.path("project-planning/reports/execution-report.html"), "utf8");
    expect(html).not.toMatch(/<script|<img|<link|src=|href=|\son\w+=/i);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("Names with &lt;b&gt;markup&lt;/b&gt; &amp; a | bar");
    expect(html).not.toContain("\u202e");
    expect(html).toContain("prefers-color-scheme: dark");
    expect(html).toContain('name="viewport"');
    const open = [...html.matchAll(/<(details|div|ul|li|pre|table|tbody|tr|td|p|span|dl)[\s>]/g)].length;
    const closed = [...html.matchAll(/<\/(details|div|ul|li|pre|table|tbody|tr|td|p|span|dl)>/g)].length;
    expect(open).toBe(closed);
    const markdown = (await project.must("report", "--format", "md")).out;
    expect(markdown).toContain("Names with \\<b\\>markup\\</b\\> & a \\| bar");
    expect(markdown).not.toContain("\u202e");
  });

  it("X19 writes to a file, names overrides and unverified tasks, and always says unconfined", async () => {
    await project.must("state", "skip-task", "T003", "not", "needed");
    await project.must("state", "start-task", "T004");
    await project.must("state", "complete-task", "T004");
    const ran = await project.heddle("report", "--format", "html", "--out", "page.html");
    expect([ran.code, ran.out.trim()]).toEqual([0, `written: ${project.path("page.html")}`]);
    const page = readFileSync(project.path("page.html"), "utf8");
    expect(page).toContain("not seen by heddle: T004");
    expect(page).toContain("not needed");
    const now: ExecutionReport = await project.json("report");
    expect(now.unverified).toEqual(["T004"]);
    expect(now.overrides).toContainEqual(
      expect.objectContaining({ task: "T003", what: "skipped", reason: "not needed" }),
    );
    expect(now.unconfined).toBe(false);
    expect((await project.heddle("report", "--format", "pdf")).code).toBe(64);
  });
});
