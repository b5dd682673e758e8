// X18: the live table on a real terminal, and lines without one.
import { spawn, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { cli, ended } from "../e2e/rig.ts";
import { Terminal } from "../view/terminal.ts";
import { type Execution, executable } from "./rig.ts";

const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;
if (!hasTerminal) console.log("script(1) is missing here: the test on a terminal is left out");

/** What a terminal of that size is sent, and when. */
async function onTerminal(project: Execution, [columns, rows]: readonly [number, number], more = "") {
  const command = `stty cols ${columns} rows ${rows}; "${process.execPath}" "${cli}" execute --parallel 3 --agent scripted:script.json ${more}`;
  const began = performance.now();
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: project.root,
    env: { ...process.env, TERM: "xterm", CI: "", NO_COLOR: "", FORCE_COLOR: "" },
  });
  const { out, code } = await ended(child);
  return { out, code, seconds: (performance.now() - began) / 1000 };
}

const plan = {
  tasks: 4,
  after: (n: number) => (n === 4 ? [1] : []),
  turns: {
    "*": [{ says: ["writing it"], afterMs: 700 }],
    T002: [{ ends: "crashed", proposes: "nothing", afterMs: 300 }, { afterMs: 200 }],
  },
};

describe("heddle execute", () => {
  it.runIf(hasTerminal)(
    "X18 draws one calm table on a terminal, and leaves the result alone behind (left out without `script`)",
    async () => {
      const project = await executable(plan);
      const size = [80, 24] as const;
      const { out, code, seconds } = await onTerminal(project, size);
      expect(code, out).toBe(0);
      const frames = out.split("\u001b[?2026h").slice(1);
      expect(frames.length).toBeGreaterThan(3);
      expect(frames.length / seconds).toBeLessThanOrEqual(9);
      expect(out).toContain("writing it");
      expect(out).toContain("retrying");
      expect(out).not.toContain("\u001b[2J");
      const terminal = new Terminal();
      let tallest = 0;
      for (const frame of frames.slice(0, -1)) {
        terminal.write(frame);
        tallest = Math.max(tallest, terminal.lines.length);
        expect(Math.max(...terminal.lines.map((line) => line.length))).toBeLessThan(size[0]);
      }
      terminal.write(frames.at(-1) ?? "");
      expect(tallest).toBeLessThanOrEqual(size[1]);
      expect(terminal.cursor).toBe(true);
      expect(terminal.shown).not.toContain("STAGE");
      expect(terminal.shown).toContain("4 complete");
    },
  );

  it.runIf(hasTerminal)(
    "C15 prints nothing but one document with --json, on a terminal too (left out without `script`)",
    async () => {
      const project = await executable({ tasks: 1 });
      const { out } = await onTerminal(project, [80, 24], "--json");
      expect(JSON.parse(out)).toMatchObject({ phase: "complete" });
    },
  );

  it("X18 prints a line per event without a terminal", async () => {
    const project = await executable(plan);
    const { out } = await project.execute();
    const lines = out.split("\n").filter((line) => /^ {2}T\d+ /.test(line));
    expect(lines.filter((line) => line.startsWith("  T002"))).toEqual([
      "  T002 begins: Build T002",
      "  T002 attempt 1 failed (runtime); retrying: the scripted agent crashed",
      "  T002 begins attempt 2: Build T002",
      "  T002 done: verified and merged, 1 created, 0 modified",
    ]);
    expect(lines).toHaveLength(3 * 2 + 4);
    expect(out).not.toContain("writing it");
    expect(out).not.toContain("\u001b");
  });
});
