// The table of carriers: every effect on the list is somebody's.
import { describe, expect, it } from "vitest";
import { LocalWorld } from "../../src/engine/world.ts";

describe("the world", () => {
  it("C5 stops with a bug, not in silence, where nobody carries an effect out", () => {
    const world = new LocalWorld({ "write-view": async () => undefined }, () => {});
    const effect = { kind: "run-agent", key: "run-agent:T001#1@1", task: "T001", attempt: 1 } as const;
    expect(() => world.reconcile([effect])).toThrow("bug: nobody carries out `run-agent`");
  });
});
