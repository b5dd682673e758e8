// People see what agents see (X25): wherever a failure is shown, the failing command's last lines and a log that is there.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEnds } from "../../src/host/handed-in.ts";
import { tailOf } from "../../src/work/evidence/last-words.ts";
import { folder } from "../e2e/rig.ts";
import { dataIn } from "../page/inside.ts";
import { Execution } from "./rig.ts";

const failing = 'for n in 1 2 3; do echo "line $n"; done; echo "expected 4, got 5"; exit 3';

describe("a failure is shown", () => {
  it("X25 with the last lines of what failed and the path of the whole log, in every view", async () => {
    const more = () => ({ acceptance_criteria: [{ criterion: "it adds", verification: failing }] });
    const project = await Execution.ready({ tasks: 1, more });
    project.config({ attempts: 1 });
    const ran = await project.execute();
    expect(ran.out).toContain("| expected 4, got 5");
    const why = (await project.heddle("why", "T001")).out;
    expect(why).toContain("| line 1");
    expect(why).toContain("| expected 4, got 5");
    const log = /whole log: (\S+)/.exec(why)?.[1] ?? "";
    expect(existsSync(log)).toBe(true);
    expect(readFileSync(log, "utf8")).toContain("line 1\n");
    expect((await project.heddle("status")).out).toContain("| expected 4, got 5");
    const { red } = JSON.parse((await project.heddle("why", "T001", "--json")).out);
    expect(red).toEqual([expect.objectContaining({ command: failing, exit: 3, log })]);
    const report = (format: string) =>
      readFileSync(project.path(`project-planning/reports/execution-report.${format}`), "utf8");
    expect(report("md")).toContain("expected 4, got 5");
    expect(report("md")).toMatch(/Time.*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(report("md")).not.toContain("baseline set to");
    expect(dataIn(report("html")).tasks.T001?.criteria[0]).toMatchObject({
      logs: [log],
      output: expect.stringContaining("expected 4, got 5"),
    });
    expect(JSON.parse(report("json")).tasks[0].criteria[0]).toMatchObject({
      log,
      output: expect.stringContaining("expected 4, got 5"),
    });
  });

  it("X25 with what stands on both streams: npm says that it failed, and the runner says what", () => {
    const log = join(folder(), "check");
    const numbered = (word: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join("");
    writeFileSync(`${log}.out`, numbered("test", 20));
    writeFileSync(`${log}.err`, "npm error\n");
    expect(tailOf(log, 4)).toEqual({
      lines: ["test 18", "test 19", "test 20", "npm error"],
      log: `${log}.err`,
      beside: `${log}.out`,
    });
    writeFileSync(`${log}.err`, numbered("error", 20));
    expect(tailOf(log, 4).lines).toEqual(["test 19", "test 20", "error 19", "error 20"]);
    writeFileSync(`${log}.err`, "");
    expect(tailOf(log, 2)).toEqual({ lines: ["test 19", "test 20"], log: `${log}.out`, beside: null });
  });

  it("X25 to the next attempt with its beginning and its end: a compiler's first error is the one that counts", () => {
    const log = join(folder(), "log");
    writeFileSync(log, `first\n${"x".repeat(5000)}\nlast\n`);
    expect(readEnds(log, { head: 6, tail: 5 })).toBe("first\n\n… 5001 bytes left out …\nlast\n");
    expect(readEnds(log, { head: 6000, tail: 5 })).toBe(readFileSync(log, "utf8"));
  });
});
