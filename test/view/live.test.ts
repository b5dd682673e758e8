// X18: the live table and its plain lines, with time as an input.
import { describe, expect, it } from "vitest";
import { overdraw, rowsAt, Screen } from "../../src/command/terminal/screen.ts";
import { effectOfAttempt } from "../../src/core/effect.ts";
import type { Outcome } from "../../src/core/input.ts";
import { taskOf } from "../../src/core/run.ts";
import { about, cost, costSentence, elapsed, tokens } from "../../src/view/amount.ts";
import { aboutLeftMs } from "../../src/view/live/estimate.ts";
import { type LiveLook, liveLines } from "../../src/view/live/live.ts";
import { eventLine } from "../../src/view/live/live-events.ts";
import type { Heard } from "../../src/view/live/live-row.ts";
import { type Seat, seated } from "../../src/view/live/seats.ts";
import { cells, cut, padded } from "../../src/view/width.ts";
import { goodOutcome } from "../core/outcome.ts";
import { Conversation, holder } from "../core/plan.ts";
import { Terminal } from "./terminal.ts";

const begun = Date.parse("2026-01-01T00:00:00.000Z");

function driven(plan: string, slots: number): Conversation {
  const talk = Conversation.ready(plan);
  talk.submit({ kind: "claim", holder, alive: false, runMs: 0 });
  talk.submit({ kind: "drive", slots, runMs: 0 });
  return talk;
}

function answer(talk: Conversation, id: string, outcome?: Outcome): void {
  const effect = effectOfAttempt(talk.run, taskOf(talk.run, id));
  if (!effect) throw new Error(`${id} needs nothing`);
  talk.submit({
    kind: "effect-ended",
    key: effect.key,
    outcome: outcome ?? goodOutcome(talk.run, effect),
    runMs: talk.run.runMs,
  });
}

const finish = (talk: Conversation, id: string) => {
  for (let at = 0; at < 8 && taskOf(talk.run, id).state === "running"; at++) answer(talk, id);
};

const red: Outcome = {
  ok: false,
  kind: "failed",
  error: "2 tests\nfailed",
  category: "test",
  subcategory: null,
  retryable: true,
};

const look = (more: Partial<LiveLook> = {}): LiveLook => ({
  ...{ width: 100, height: 30, color: false, nowMs: begun + 65_000, sinceMs: begun, leftMs: null },
  ...more,
});

function show(
  talk: Conversation,
  { seats = seated([], talk.run), heard = new Map<string, Heard>(), ...more } = {} as {
    seats?: readonly Seat[];
    heard?: Map<string, Heard>;
  } & Partial<LiveLook>,
): string[] {
  return liveLines(talk.run, { seats, heard, look: look(more) });
}

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => `T${String(at + 1).padStart(3, "0")}`).join(" ");

describe("the live table", () => {
  it("X18 has a row per running attempt: stage, try, agent, time, tokens, cost against budget, last action", () => {
    const talk = driven("T001 T002<-T001", 2);
    answer(talk, "T001");
    const heard = new Map<string, Heard>([
      [
        "T001",
        {
          ...{ agent: "claude", attempt: 1, action: "Edit \u001b[31msrc/a.ts\u001b[0m\u0007" },
          ...{ tokens: 13_800, costUsd: 0.06, unknownCosts: 0 },
        },
      ],
    ]);
    const lines = show(talk, { heard, width: 130 });
    const row = lines.find((line) => line.startsWith("● T001")) ?? "";
    expect(row.split(/\s{2,}/)).toEqual([
      ...["● T001", "task T001", "working", "1/3", "claude", "1m05s", "13.8k", "$0.06/$10"],
      "Edit src/a.ts\\u0007",
    ]);
    expect(lines.find((line) => line.startsWith("waits"))).toContain("T002 for T001");
    expect(lines[1]).toContain("0/2 done");
  });

  it("X18 shows a cost that nobody told as unknown, never as zero", () => {
    const talk = driven("T001", 1);
    const nobody = { agent: "a", attempt: 1, action: "", tokens: 10, costUsd: 0, unknownCosts: 1 };
    expect(show(talk, { heard: new Map([["T001", nobody]]) }).join("\n")).toContain("?/$10");
    expect(cost({ costUsd: 0, unknownCosts: 1 })).toBe("?");
    expect(cost({ costUsd: 1, unknownCosts: 1 })).toBe("≥$1.00");
    expect(costSentence({ costUsd: 0, unknownCosts: 2 }, 100)).toBe(
      "cost unknown of $100 (2 calls of unknown cost)",
    );
  });

  it("X18 keeps rows in their place: one that ended stays until it is needed, a retry comes back to its own", () => {
    const talk = driven("T001 T002 T003 T004", 3);
    const first = seated([], talk.run);
    expect(first.map(({ task }) => task)).toEqual(["T001", "T002", "T003"]);
    for (const stage of ["preparing", "working"]) if (stage) answer(talk, "T002");
    answer(talk, "T002", red);
    const second = seated(first, talk.run);
    expect(second.map(({ task }) => task)).toEqual(["T001", "T004", "T003"]);
    finish(talk, "T001");
    const third = seated(second, talk.run);
    expect(third.map(({ task }) => task)).toEqual(["T001", "T004", "T003"]);
    expect(show(talk, { seats: third }).find((line) => line.includes("T001  "))).toMatch(/^✓ .*done/);
    talk.submit({ kind: "tick", runMs: talk.run.runMs + 10_000 });
    expect(taskOf(talk.run, "T002").attempts).toBe(2);
    expect(seated(third, talk.run).map(({ task }) => task)).toEqual(["T002", "T004", "T003"]);
  });

  it("X18 fits every window: no line is too wide, none too many, and what is hidden is counted", () => {
    const talk = driven(many(150), 64);
    for (const [width, height] of [
      [39, 12],
      [79, 23],
      [199, 49],
      [24, 6],
    ] as const) {
      const lines = show(talk, { width, height });
      expect(lines.length).toBeLessThanOrEqual(height);
      expect(Math.max(...lines.map(cells))).toBeLessThanOrEqual(width);
    }
    const lines = show(talk, { width: 79, height: 23 });
    const shown = lines.filter((line) => line.startsWith("●")).length;
    expect(lines.find((line) => line.startsWith("…"))).toBe(
      `… and ${64 - shown} more: ${64 - shown} preparing`,
    );
  });

  it("X18 says what failed, what that blocks, that it is halted, what is asked, and always `UNCONFINED`", () => {
    const talk = driven("T001 T002<-T001 T003", 2);
    talk.submit({ kind: "describe", metadata: { unconfined: true } });
    answer(talk, "T001", { ...red, retryable: false } as Outcome);
    talk.submit({ kind: "ask", id: "q1", text: "Which\u001b[2J one?", options: [], about: "T003" });
    talk.submit({ kind: "halt", reason: "lunch" });
    const text = show(talk, { width: 60 }).join("\n");
    expect(text).toMatch(/^UNCONFINED /);
    expect(text).toContain("failed   T001 (test: 2 tests⏎failed)");
    expect(text).toContain("blocked  T002 by T001");
    expect(text).toContain("HALTED: lunch");
    expect(text).toContain("? Which\\u001b[2J one?  heddle answer q1");
    expect(show(talk, { width: 24, height: 6 })[0]).toContain("UNCONFINED");
  });

  it("X18 shows a role at work, and the present phase however narrow the window", () => {
    const talk = Conversation.begun();
    talk.submit({ kind: "override", reason: "test", to: "logical", digests: {} });
    for (const to of ["physical", "definition", "validation", "sequencing", "ready"]) {
      talk.submit({ kind: "override", reason: "test", to, digests: {} });
      const lines = show(talk, { width: 39 });
      expect(lines[1]).toContain(`[${to}]`);
      expect(lines[2]).toContain("no cost reported yet");
    }
  });

  it("X18 has no colour unless it was asked for", () => {
    const talk = driven("T001", 1);
    expect(show(talk).join("")).not.toContain("\u001b");
    expect(show(talk, { color: true }).join("")).toContain("\u001b[36m●");
  });

  it("X18 estimates the end by the pace of finished tasks, the longest path and the slots", () => {
    const talk = driven("T001 T002 T003<-T002 T004 T005", 2);
    expect(aboutLeftMs(talk.run, begun)).toBeNull();
    finish(talk, "T001");
    const done = taskOf(talk.run, "T001");
    done.completedAt = "2026-01-01T00:10:00.000Z";
    // 10 minutes an hour; four hours are left on two slots, T002 and T004 began ten minutes ago.
    expect(aboutLeftMs(talk.run, begun)).toBe(20 * 60_000);
    expect(aboutLeftMs(talk.run, begun + 5 * 60_000)).toBe(15 * 60_000);
    expect(show(talk, { leftMs: 20 * 60_000 })[1]).toContain("about 20 min left");
    expect(about(30_000)).toBe("under 1 min");
  });
});

describe("drawing", () => {
  it("X18 draws over what is there, writes only lines that changed, and never clears the screen", () => {
    const terminal = new Terminal();
    const written: string[] = [];
    terminal.write("before\r\n");
    const screen = new Screen((text) => {
      written.push(text);
      terminal.write(text);
    });
    screen.draw(["head", "● T001 12s", "● T002 12s"]);
    screen.draw(["head", "● T001 13s", "● T002 12s"]);
    expect(terminal.shown).toBe("before\nhead\n● T001 13s\n● T002 12s");
    expect(written.at(-1)).not.toContain("T002");
    screen.draw(["head", "short"]);
    expect(terminal.shown).toBe("before\nhead\nshort");
    expect(terminal.cursor).toBe(false);
    screen.close();
    expect(terminal.shown).toBe("before");
    expect(terminal.cursor).toBe(true);
    expect(written.join("")).not.toContain("\u001b[2J");
  });

  it("X18 knows how many rows a narrower window made of the old frame", () => {
    expect(rowsAt(["12345", "", "日本語"], 4)).toBe(2 + 1 + 2);
    expect(overdraw([], ["a"])).toBe("\ra\u001b[K\r\n");
  });

  it("counts what characters take, and cuts without tearing", () => {
    expect([
      cells("abc"),
      cells("日本"),
      cells("e\u0301"),
      cells("\u001b[31mx\u001b[0m"),
      cells("🎉"),
    ]).toEqual([3, 4, 1, 1, 2]);
    expect(cut("日本語です", 5)).toBe("日本…");
    expect(cut("\u001b[31mabcdef\u001b[0m", 4)).toBe("\u001b[31mabc…\u001b[0m");
    expect(padded("ab", 4, "right")).toBe("  ab");
  });

  it("says time and tokens in few cells", () => {
    expect([elapsed(59_999), elapsed(60_000), elapsed(3_600_000 * 2 + 7 * 60_000), elapsed(-5)]).toEqual([
      ...["59s", "1m00s", "2h07m", "0s"],
    ]);
    expect([tokens(999), tokens(13_800), tokens(2_500_000)]).toEqual(["999", "13.8k", "2.5M"]);
  });
});

describe("without a terminal", () => {
  const line = (fact: Parameters<typeof eventLine>[0]["fact"]) =>
    eventLine({ position: 1, at: "", by: "", fact }, () => "The notebook");

  it("X18 is one line per event that a person cares about", () => {
    const about = { task: "T001", attempt: 2 };
    expect(line({ kind: "task-started", ...about, driver: "engine", runMs: 0, dueMs: null })).toBe(
      "  T001 begins attempt 2: The notebook",
    );
    expect(line({ kind: "stage-entered", ...about, stage: "checking", runMs: 0, dueMs: 0 })).toBeUndefined();
    expect(line({ kind: "task-completed", ...about, created: ["a"], modified: [], done: "verified" })).toBe(
      "  T001 done: verified and merged, 1 created, 0 modified",
    );
  });

  it("X18 cuts long failures to one short line", () => {
    const error = `first\nsecond ${"x".repeat(5000)}`;
    const failure = { error, category: "test", subcategory: null, retryable: false };
    const text = line({ kind: "task-failed", task: "T001", attempt: 1, ...failure }) ?? "";
    expect(text).toMatch(/^ {2}T001 FAILED \(test\): first⏎second x+…$/);
    expect(text.length).toBeLessThanOrEqual(160);
  });
});
