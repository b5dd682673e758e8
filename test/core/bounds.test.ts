// Numbers and texts from outside: whatever they are, what is in memory, its JSON and the fold of its history are the same.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apply, fold, headOf, newRun } from "../../src/core/apply.ts";
import { amount, bounded, finite, mostNumber, sum } from "../../src/core/bounds.ts";
import type { Entry, Fact } from "../../src/core/fact.ts";
import type { Input } from "../../src/core/input.ts";
import type { Json } from "../../src/core/run.ts";
import { carryOut } from "../../src/core/step.ts";
import { canonical } from "../../src/journal/verify.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";
import { processorMs } from "../processor-time.ts";
import { planOf } from "./plan.ts";

const number = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e308, -1, 0.1),
);
const text = fc.oneof(fc.string(), fc.constantFrom("\ud800", "a\udc00b", "\u0000", "__proto__"));
const value = fc.anything({ values: [number, text, fc.constant(null), fc.boolean()], maxDepth: 4 });

const again = (entry: unknown) => JSON.parse(JSON.stringify(entry)) as Json;

describe("bounds", () => {
  it("C13 whatever is bounded is its own JSON, and is left as it is the second time", () => {
    fc.assert(
      fc.property(value, (each) => {
        const good = bounded(each);
        expect(bounded(good)).toBe(good);
        if (good !== undefined) expect(again(good)).toEqual(again(again(good)));
        expect(JSON.stringify(good) ?? "").not.toMatch(/\\ud[89a-f]/i);
      }),
    );
  });

  it("C13 a tree of a million levels, with something wrong at its bottom, is bounded in a moment", () => {
    let deep: unknown = Number.NaN;
    for (let n = 0; n < 1_000_000; n++) deep = { deep };
    const startMs = processorMs();
    expect(JSON.stringify(bounded(deep)).length).toBeLessThan(1000);
    let chain: unknown = "\ud800";
    for (let n = 0; n < 60; n++) chain = { chain, n: Number.NaN };
    bounded(chain);
    expect(processorMs() - startMs).toBeLessThan(500);
  });

  it("C12 sums stop at a bound, and nothing is spent backwards", () => {
    expect(sum(mostNumber, 1e308)).toBe(mostNumber);
    expect(amount(-5)).toBe(0);
    expect(finite(Number.NaN)).toBe(0);
  });

  it("C13 any inputs with any numbers: the run in memory is the fold of what was written down", () => {
    const anything: fc.Arbitrary<Input> = fc.oneof(
      fc.tuple(number, number, number).map(
        ([inputTokens, outputTokens, costUsd]): Input => ({
          ...{ kind: "record-usage", task: "T001", agent: "a", inputTokens, outputTokens, costUsd },
        }),
      ),
      fc.tuple(text, value).map(([name, each]): Input => ({ kind: "set", values: { [name]: each as Json } })),
      fc.tuple(number, number).map(([slots, runMs]): Input => ({ kind: "drive", slots, runMs })),
      number.map((runMs): Input => ({ kind: "tick", runMs })),
      fc
        .tuple(text, text)
        .map(([id, words]): Input => ({ kind: "ask", id, text: words, options: [], about: id })),
      fc.tuple(number, number, number).map(
        ([parkMs, inputTokens, runMs]): Input => ({
          kind: "effect-ended",
          key: "prepare-workspace:T001#1@1",
          runMs,
          outcome: {
            ...{
              ok: false,
              kind: "parked",
              error: "limit",
              category: "x",
              subcategory: null,
              retryable: true,
              parkMs,
            },
            usage: { agent: "a", inputTokens, outputTokens: inputTokens, costUsd: inputTokens },
          },
        }),
      ),
      number.map((estimateHours): Input => {
        const tasks = planOf("T001 T002<-T001 T003<-T002").map((def) => ({ ...def, estimateHours }));
        return { kind: "load-plan", tasks };
      }),
    );
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 12 }), (inputs) => {
        const run = newRun("plan-1", decomposition);
        const entries: Entry[] = [];
        const record = (fact: Fact) => {
          const entry = { position: run.position + 1, at: "", by: "", fact };
          entries.push(again(entry) as unknown as Entry);
          apply(run, entry);
        };
        const all: Input[] = [
          { kind: "create", targetDir: "/t", planningDir: "/p" },
          { kind: "load-plan", tasks: planOf("T001 T002<-T001 T003<-T002") },
          { kind: "override", reason: "r", to: "ready", digests: {} },
          { kind: "open-branch", name: "b", start: "m", tip: "m" },
          { kind: "claim", holder: { pid: 1, startTime: "", bootId: "", host: "" }, alive: false },
          { kind: "drive", slots: 2, runMs: 0 },
          ...inputs,
        ];
        for (const input of all) carryOut({ run, record }, input);
        const told = fold(newRun("plan-1", decomposition), entries);
        expect(canonical(again(headOf(told)))).toBe(canonical(again(headOf(run))));
        expect(JSON.stringify(headOf(run))).toBe(JSON.stringify(again(headOf(run))));
        for (const task of run.tasks.all()) expect(again(told.tasks.get(task.def.id))).toEqual(again(task));
      }),
      { numRuns: 200 },
    );
  });
});
