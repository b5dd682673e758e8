// What to type when nobody works on a run (X26): pure, from the state alone.
import { expect, it } from "vitest";
import { newRun } from "../../src/core/apply.ts";
import { toCall } from "../../src/core/hint.ts";
import { canBeIdle, idleSentence } from "../../src/core/idle.ts";
import { wayOn } from "../../src/core/steps/halt.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";
import { hintText } from "../../src/view/hint.ts";

it("X26 a run that no orchestrator ever had is not idle", () => {
  const run = newRun("plan-1", decomposition);
  expect(canBeIdle(run)).toBe(false);
  run.epoch = 1;
  expect(canBeIdle(run)).toBe(true);
  run.phase = "complete";
  expect(canBeIdle(run)).toBe(false);
});

it("X26 says since when, and that it was killed", () => {
  expect(idleSentence({ since: "10:00", killed: true })).toContain("since 10:00, when it was killed");
});

it.each([
  ["operator", "heddle execute"],
  ["disk", "heddle execute"],
  ["agent", "heddle doctor, then: heddle execute"],
  ["stop_file", "heddle resume, then: heddle execute"],
  ["orphans", "heddle resume, then: heddle execute"],
] as const)("X27 after a halt by %s one types: %s", (code, hint) => {
  expect(hintText(wayOn({ code }, toCall("execute")))).toBe(hint);
});
