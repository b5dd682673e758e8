// X18: `heddle attach` follows one task through its attempts.
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { executable } from "./rig.ts";

describe("heddle attach", () => {
  it("X18 follows a task from attempt to attempt, with its checks, until it is settled", async () => {
    const project = await executable({
      tasks: 2,
      after: (n) => (n === 2 ? [1] : []),
      check: (id) => `echo checked ${id} && grep -q good src/${id}.ts`,
      turns: {
        T002: [
          { says: ["first \u001b[31mtry\u001b[0m\u0007"], files: { "src/T002.ts": "bad\n" }, afterMs: 300 },
          { says: ["second try"], files: { "src/T002.ts": "good\n" }, afterMs: 300 },
        ],
        T001: [{ says: ["other"], files: { "src/T001.ts": "good\n" }, afterMs: 500 }],
      },
    });
    const running = project.begin();
    const over = project.end(running);
    await until("the run has begun", async () => (await project.status()).running.includes("T001"));
    const { out, code } = await project.heddle("attach", "T002");
    expect((await over).code).toBe(0);
    const order = [
      "it waits for T001",
      "T002 attempt 1, scripted",
      "first try\\u0007",
      "$ echo checked T002",
      "  checked T002",
      "attempt 1 failed (test); retrying",
      "T002 attempt 2",
      "second try",
      "T002 is complete",
    ].map((text) => [text, out.indexOf(text)] as const);
    expect(order.filter(([, at]) => at < 0)).toEqual([]);
    expect(order.map(([, at]) => at)).toEqual(order.map(([, at]) => at).sort((a, b) => a - b));
    expect(out).not.toContain("other");
    expect(out).not.toContain("\u001b");
    expect(code).toBe(0);

    const again = await project.heddle("attach", "T002", "--json");
    const heard = again.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(heard.map(({ kind }) => kind)).toContain("check");
    expect(heard.every(({ task, attempt }) => task === "T002" && attempt === 2)).toBe(true);

    writeFileSync(project.attempt("T002-2", "stdout.log"), "raw \u001b]0;title\u0007line\nno end");
    const raw = await project.heddle("attach", "T002", "--raw");
    expect(raw.out).toContain("raw line\nno end\n");
    expect(raw.out).not.toContain("checked");
  });

  it("X18 ends with 130 at Ctrl-C, and with 1 when the task failed or nobody works on it", async () => {
    const project = await executable({
      tasks: 2,
      turns: { T001: [{ proposes: "failed" }], T002: [{ ends: "hanging" }] },
    });
    project.write(".heddle/config.json", JSON.stringify({ attempts: 1 }));
    expect((await project.heddle("attach", "T001")).code).toBe(1);
    const running = project.begin();
    const over = project.end(running);
    await until("T001 has failed", async () => (await project.status()).tasks.failed === 1);
    const failed = await project.heddle("attach", "T001");
    expect([failed.code, failed.out.includes("hint: heddle state retry-task T001")]).toEqual([1, true]);
    const child = start(["attach", "T002"], { cwd: project.root });
    const stopped = ended(child);
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    child.kill("SIGINT");
    expect((await stopped).code).toBe(130);
    running.kill("SIGKILL");
    await over;
    expect((await project.heddle("attach", "T002")).code).toBe(1);
    const unknown = await project.heddle("attach", "T009");
    expect([unknown.code, unknown.err.includes("did you mean")]).toEqual([1, true]);
  });
});
