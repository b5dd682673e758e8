import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import {
  condense,
  shortestCircle,
  unorderedPairs,
} from "../../src/packs/decomposition/checks/dependency-graph.ts";
import { codes, type SampleTask, task, taskFiles } from "./samples.ts";

function problemsOf(...tasks: readonly SampleTask[]) {
  return checkTasks({ files: taskFiles(...tasks), behaviours: undefined }).problems;
}

const writing = (path: string) => ({ files: [{ path, action: "modify" }] });

describe("cycles", () => {
  it("D10 prints a cycle as a path", () => {
    expect(problemsOf(task("T001", ["T004"]), task("T002"), task("T004", ["T002", "T001"]))).toMatchObject([
      {
        code: "cycle",
        message: "tasks wait for each other: `T001 -> T004 -> T001`",
        place: { file: "tasks/T001.json", pointer: "/dependencies/tasks/0" },
      },
    ]);
  });

  it("D10 names each knot of tasks once, by a short way round", () => {
    const problems = problemsOf(
      task("T1", ["T2"]),
      task("T2", ["T3", "T1"]),
      task("T3", ["T1"]),
      task("T4", ["T5", "T1"]),
      task("T5", ["T4"]),
    );
    expect(problems.map(({ message }) => message)).toEqual([
      "tasks wait for each other: `T1 -> T2 -> T1` (3 tasks are caught in it)",
      "tasks wait for each other: `T4 -> T5 -> T4`",
    ]);
  });

  it("D10 shortens the path of a very long cycle", () => {
    const ring = Array.from({ length: 100 }, (_, index) => task(`T${index}`, [`T${(index + 1) % 100}`]));
    expect(problemsOf(...ring)[0]?.message).toMatch(/^.{1,160}$/);
  });
});

describe("two tasks that write one file", () => {
  it("D10 asks for an order between them", () => {
    expect(
      problemsOf(task("T1", [], writing("src/a.ts")), task("T2", [], writing("./src/a.ts"))),
    ).toMatchObject([
      {
        code: "unordered-writes",
        message: "tasks `T1` and `T2` both write `src/a.ts`, and neither waits for the other",
        place: { file: "tasks/T2.json", pointer: "/files/0/path" },
        hint: expect.stringContaining("add `T1` to `dependencies.tasks` of `T2`"),
      },
    ]);
  });

  it("D10 accepts an order over other tasks", () => {
    const [first, last] = [task("T1", [], writing("a.ts")), task("T9", ["T5"], writing("a.ts"))];
    expect(problemsOf(last, first, task("T3", ["T1"]), task("T5", ["T3"]))).toEqual([]);
  });

  it("D10 accepts a chain of many writers in any order of files", () => {
    const chain = Array.from({ length: 200 }, (_, index) =>
      task(`T${index}`, index ? [`T${index - 1}`] : [], writing("a.ts")),
    );
    expect(problemsOf(...chain.reverse())).toEqual([]);
  });

  it("D10 finds the one task outside of a chain", () => {
    const chain = ["T1", "T2", "T3"].map((id, index) =>
      task(id, index ? [`T${index}`] : [], writing("a.ts")),
    );
    const problems = problemsOf(...chain, task("T4", ["T1"], writing("a.ts")));
    expect(problems.map(({ message }) => message)).toEqual([
      "tasks `T3` and `T4` both write `a.ts`, and neither waits for the other",
    ]);
  });

  it("D10 does not mind one task that names a file twice", () => {
    const files = ["a.ts", "./a.ts", "a.ts"].map((path) => ({ path, action: "modify" }));
    expect(problemsOf(task("T1", [], { files }))).toEqual([]);
  });

  it("D10 leaves tasks of one cycle to the cycle's own problem", () => {
    expect(
      codes(problemsOf(task("T1", ["T2"], writing("a.ts")), task("T2", ["T1"], writing("a.ts")))),
    ).toEqual(["cycle"]);
  });
});

const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
  )
  .map((edges) => edges.map((targets, node) => targets.filter((target) => target !== node)));

/** Which nodes each node waits for over at least one step, the slow way. */
function reach(edges: readonly (readonly number[])[]): Set<number>[] {
  const reached = edges.map((targets) => new Set(targets));
  for (let round = 0; round < edges.length; round++) {
    for (const set of reached)
      for (const node of [...set]) for (const next of edges[node] ?? []) set.add(next);
  }
  return reached;
}

describe("the graph, compared with a slow one", () => {
  it("D10 finds a circle exactly where tasks reach themselves", () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        const reached = reach(edges);
        const inCircle = edges.flatMap((_, node) => (reached[node]?.has(node) ? [node] : []));
        expect(
          condense(edges)
            .circles.flat()
            .sort((a, b) => a - b),
        ).toEqual(inCircle);
      }),
      { numRuns: 1000 },
    );
  });

  it("D10 puts two tasks into one knot exactly when each reaches the other", () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        const reached = reach(edges);
        const { rank } = condense(edges);
        for (const a of edges.keys()) {
          for (const b of edges.keys()) {
            const together = a === b || (reached[a]?.has(b) && reached[b]?.has(a)) === true;
            expect(rank[a] === rank[b]).toBe(together);
            if (reached[a]?.has(b) && !together) expect(rank[a]).toBeGreaterThan(rank[b] ?? 0);
          }
        }
      }),
    );
  });

  it("D10 prints circles that follow real dependencies and come back", () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        for (const circle of condense(edges).circles) {
          const path = shortestCircle(edges, circle, Math.min(...circle));
          expect(path.at(0)).toBe(path.at(-1));
          expect(new Set(path).size).toBe(path.length - 1);
          for (const [index, node] of path.slice(0, -1).entries())
            expect(edges[node]).toContain(path[index + 1]);
        }
      }),
    );
  });

  it("D10 finds the pairs without an order exactly", () => {
    fc.assert(
      fc.property(graphs, (edges) => {
        const reached = reach(edges);
        const condensed = condense(edges);
        const all = [...edges.keys()].flatMap((earlier) =>
          [...edges.keys()].map((later) => ({ earlier, later })),
        );
        const pairs = all.filter(
          ({ earlier, later }) => (condensed.rank[earlier] ?? 0) < (condensed.rank[later] ?? 0),
        );
        const expected = pairs.filter(({ earlier, later }) => !reached[later]?.has(earlier));
        const key = ({ earlier, later }: { earlier: number; later: number }) => `${earlier}<${later}`;
        expect(unorderedPairs(edges, condensed, pairs).map(key).sort()).toEqual(expected.map(key).sort());
      }),
      { numRuns: 1000 },
    );
  });
});
