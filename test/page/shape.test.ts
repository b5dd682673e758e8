// The page's pure parts: windowing, filter, layers, folded time, diffs, words with a kind, addresses, changes.
import { describe, expect, it } from "vitest";
import { highlighted } from "../../page/diff/highlight.ts";
import { pairs, parseDiff } from "../../page/diff/parse.ts";
import { drawnBox, fitting, panned, zoomed } from "../../page/graph/camera.ts";
import { edgesIn, neighbour, pictureOf } from "../../page/graph/model.ts";
import { hrefOf, momentOf, type Route, routeOf, tokenOf } from "../../page/route.ts";
import { choicesOf, filtered } from "../../page/shape/filter.ts";
import { foldedAxis, merged, ticks } from "../../page/shape/fold.ts";
import { layered, node, nodesIn } from "../../page/shape/layered.ts";
import { barsBetween, paceOf, plotOf } from "../../page/shape/plot.ts";
import { rowsInSight, scrollTo } from "../../page/shape/window.ts";
import { changed, oldestFirst, projectChanged } from "../../page/source/merge.ts";
import { at, id, items, manyTasks, projectPage, runPage, smallTasks, taskRow, timelinePage } from "./made.ts";

describe("U4 windowing", () => {
  it("draws the rows in sight and a few around them, whatever the length", () => {
    const sight = { height: 600, rowHeight: 60, count: 10_000 };
    expect(rowsInSight({ ...sight, scrollTop: 0 })).toEqual({ from: 0, to: 16 });
    expect(rowsInSight({ ...sight, scrollTop: 60_000 })).toEqual({ from: 994, to: 1016 });
    expect(rowsInSight({ ...sight, scrollTop: 599_400 })).toEqual({ from: 9984, to: 10_000 });
    expect(rowsInSight({ ...sight, scrollTop: 9e9 })).toEqual({ from: 10_000, to: 10_000 });
    expect(rowsInSight({ ...sight, scrollTop: 0, count: 0 })).toEqual({ from: 0, to: 0 });
  });

  it("scrolls just as far as a row needs to be whole in sight", () => {
    const sight = { scrollTop: 600, height: 300, rowHeight: 60 };
    expect(scrollTo(11, sight)).toBe(600);
    expect(scrollTo(3, sight)).toBe(180);
    expect(scrollTo(20, sight)).toBe(960);
  });
});

describe("U4 filter", () => {
  it("takes phase, agent, tag and words together, in any order and case", () => {
    const rows = smallTasks();
    expect(filtered(rows, {})).toBe(rows);
    expect(filtered(rows, { q: "NOTES  search" }).map((row) => row.id)).toEqual([id(6)]);
    expect(filtered(rows, { phase: "1", agent: "claude" }).map((row) => row.id)).toEqual([id(2), id(4)]);
    expect(filtered(rows, { tag: "storage", q: "t009" }).map((row) => row.id)).toEqual([id(9)]);
    expect(choicesOf(rows)).toEqual({
      phases: [1, 2, 3],
      agents: ["claude", "codex"],
      tags: ["cli", "storage"],
    });
  });
});

describe("U4 layers", () => {
  it("puts each task right of all that it needs, and none upon another", () => {
    const { nodes, edges } = layered(smallTasks());
    for (const { from, to } of edges) expect(nodes[from]?.x).toBeLessThan(nodes[to]?.x ?? 0);
    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
  });

  it("shows a cycle, a task that needs itself and one that is not there, and ends", () => {
    const tasks = [
      { id: "a", dependsOn: ["b"] },
      { id: "b", dependsOn: ["a"] },
      { id: "c", dependsOn: ["c", "nowhere"] },
    ];
    expect(layered(tasks).nodes.map(({ id: name, layer }) => [name, layer])).toEqual([
      ["a", 0],
      ["b", 0],
      ["c", 0],
    ]);
  });

  it("crosses fewer edges than the order of the file does", () => {
    const shuffled = manyTasks(400).map((row, index, all) => all[(index * 173) % 400] ?? row);
    const { nodes, edges } = layered(shuffled);
    const byFile = nodes.map((each, index) => ({ ...each, y: index }));
    expect(crossings(nodes, edges)).toBeLessThan(crossings(byFile, edges) / 2);
  });

  it("finds what a window shows, and keeps the layout while only states change", () => {
    const picture = pictureOf({ tasks: smallTasks(), critical: [id(1), id(2), id(4)] }, null);
    const box = { left: 0, top: -1e6, right: node.width, bottom: 1e6 };
    expect(nodesIn(picture.layout, box)).toEqual([0]);
    expect(edgesIn(picture.layout, { ...box, right: node.width + 60 }).length).toBe(2);
    expect(picture.criticalEdges.size).toBe(2);
    const later = pictureOf(
      { tasks: smallTasks().map((row) => ({ ...row, dependsOn: [...row.dependsOn] })), critical: [] },
      picture,
    );
    expect(later.layout).toBe(picture.layout);
    expect(neighbour(picture, 0, "right")).toBe(1);
    expect(neighbour(picture, 3, "left")).not.toBeNull();
    expect(neighbour(picture, 0, "left")).toBeNull();
  });

  it("zooms around the pointer, and fits the whole into a window", () => {
    const camera = { x: 100, y: 50, zoom: 1 };
    const near = zoomed(camera, 2, { x: 300, y: 200 });
    expect([near.x + 300 / near.zoom, near.y + 200 / near.zoom]).toEqual([400, 250]);
    expect(panned(near, 10, 0).x).toBe(near.x + 5);
    const fit = fitting({ width: 5000, height: 300 }, { width: 1000, height: 600 });
    const { left, right } = drawnBox(fit, { width: 1000, height: 600 });
    expect(left <= 0 && right >= 5000).toBe(true);
  });
});

function crossings(
  nodes: readonly { x: number; y: number }[],
  edges: readonly { from: number; to: number }[],
): number {
  let count = 0;
  edges.forEach((a, index) => {
    for (const b of edges.slice(index + 1)) {
      const [a1, a2, b1, b2] = [nodes[a.from], nodes[a.to], nodes[b.from], nodes[b.to]];
      if (!a1 || !a2 || !b1 || !b2 || a1.x !== b1.x || a2.x !== b2.x) continue;
      if ((a1.y - b1.y) * (a2.y - b2.y) < 0) count++;
    }
  });
  return count;
}

describe("U4 folded time", () => {
  const whole = { from: 0, to: 10_000_000 };
  const busy = [
    { from: 0, to: 600_000 },
    { from: 500_000, to: 900_000 },
    { from: 9_000_000, to: 10_000_000 },
  ];

  it("folds a long idle stretch to a narrow one and keeps the order and length of work", () => {
    const axis = foldedAxis(whole, busy);
    expect(axis.folds.map(({ from, to }) => [from, to])).toEqual([[900_000, 9_000_000]]);
    expect(axis.place(600_000) - axis.place(0)).toBe(600_000);
    expect(axis.place(10_000_000) - axis.place(9_500_000)).toBeCloseTo(500_000);
    expect(axis.place(9_000_000) - axis.place(900_000)).toBeLessThan(60_000);
    expect(axis.place(10_000_000)).toBeCloseTo(axis.length);
    const places = Array.from({ length: 101 }, (_, step) => axis.place(step * 100_000));
    expect(places.every((each, index) => index === 0 || each >= (places[index - 1] ?? 0))).toBe(true);
  });

  it("folds nothing where pauses are short, and marks no time inside of a fold", () => {
    expect(
      foldedAxis({ from: 0, to: 100_000 }, [
        { from: 0, to: 40_000 },
        { from: 70_000, to: 100_000 },
      ]).folds,
    ).toEqual([]);
    const axis = foldedAxis(whole, busy);
    const marked = ticks(whole, axis, 300_000);
    expect(marked.length).toBeGreaterThan(3);
    expect(marked.filter((time) => time > 900_000 && time < 9_000_000)).toEqual([]);
    expect(
      merged(
        [
          { from: 5, to: 9 },
          { from: 1, to: 6 },
          { from: 20, to: 30 },
        ],
        { from: 2, to: 25 },
      ),
    ).toEqual([
      { from: 2, to: 9 },
      { from: 20, to: 25 },
    ]);
  });

  it("draws the bars in sight alone, and planned hours at the run's own pace", () => {
    const page = timelinePage(
      runPage(
        "plan-1",
        manyTasks(900).map((row) => ({ ...row, status: "complete" as const, startedAt: at(0) })),
      ),
    );
    const plot = plotOf(page, Date.parse(page.to));
    const bars = plot.seats[0]?.bars ?? [];
    const some = barsBetween(bars, plot.axis.length / 2, plot.axis.length / 2 + 600_000);
    expect(some.length).toBeGreaterThan(2);
    expect(some.length).toBeLessThan(12);
    expect(paceOf([])).toBeNull();
    expect(plot.paceMs).toBeGreaterThan(0);
  });
});

describe("U4 diffs", () => {
  it("reads files, hunks and the numbers of lines on both sides", () => {
    const [file, made, gone, picture] = parseDiff(
      `${[
        "diff --git a/a.ts b/a.ts",
        "--- a/a.ts",
        "+++ b/a.ts",
        "@@ -3,3 +3,4 @@ head",
        " same",
        "--- not a header",
        "+++ nor this",
        "+new",
        " end",
        "\\ No newline at end of file",
        "diff --git a/n.md b/n.md",
        "new file mode 100644",
        "@@ -0,0 +1 @@",
        "+one",
        "diff --git a/old.ts b/new.ts",
        "rename from old.ts",
        "rename to new.ts",
        "diff --git a/p.png b/p.png",
        "Binary files a/p.png and b/p.png differ",
      ].join("\n")}\n`,
    );
    expect(file?.hunks[0]?.lines.map(({ kind, text, before, after }) => [kind, text, before, after])).toEqual(
      [
        ["same", "same", 3, 3],
        ["removed", "-- not a header", 4, null],
        ["added", "++ nor this", null, 4],
        ["added", "new", null, 5],
        ["same", "end", 5, 6],
        ["note", "No newline at end of file", null, null],
      ],
    );
    expect([file?.added, file?.removed, made?.how, gone?.from, gone?.path, picture?.how]).toEqual([
      2,
      1,
      "added",
      "old.ts",
      "new.ts",
      "binary",
    ]);
    expect(
      pairs(file?.hunks[0]?.lines ?? []).map(({ before, after }) => [before?.before, after?.after]),
    ).toEqual([
      [3, 3],
      [4, 4],
      [undefined, 5],
      [5, 6],
      [null, null],
    ]);
  });

  it("reads what another program than git wrote, as a tuning's fixes", () => {
    const text =
      "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1,2 +1,2 @@\n--- old\n+new\n same\n--- /dev/null\n+++ b/ref.md\n@@ -0,0 +1,1 @@\n+more\n";
    expect(parseDiff(text).map(({ path, how, added, removed }) => [path, how, added, removed])).toEqual([
      ["SKILL.md", "changed", 1, 1],
      ["ref.md", "added", 1, 0],
    ]);
  });

  it("takes any text, and loses none of it", () => {
    expect(parseDiff("nothing of a diff")).toEqual([]);
    expect(parseDiff("diff --git a/x b/x\n@@ broken @@\n+a\n")[0]?.hunks.length).toBe(1);
    for (const line of [
      'const a = "b // c"; // d',
      "a = 1 # b",
      "\t'open",
      "* @param x",
      "`a` /* x",
      "x".repeat(2000),
    ])
      for (const path of ["a.ts", "a.py", "a.md"])
        expect(
          highlighted(line, path)
            .map(({ text }) => text)
            .join(""),
        ).toBe(line);
    expect(highlighted('return "a"; // b', "x.ts").map(({ kind }) => kind)).toEqual([
      "keyword",
      "plain",
      "text",
      "plain",
      "comment",
    ]);
    expect(highlighted("x = 5 # b", "x.py").at(-1)?.kind).toBe("comment");
  });
});

describe("U4 addresses", () => {
  it("reads back what it writes, whatever a name has in it", () => {
    const routes: Route[] = [
      { at: "runs", query: {} },
      { at: "inbox", query: {} },
      { at: "run", run: "plan-1", view: "overview", query: {} },
      { at: "run", run: "a/b ?#%", view: "board", query: { q: "a&b=c #1", at: "12" } },
      { at: "task", run: "plan-1", task: "01-02/ü", query: { attempt: "2" } },
    ];
    for (const route of routes) expect(routeOf(hrefOf(route))).toEqual(route);
    for (const hash of ["#/x", "#/run", "#/run/a/nowhere", "#/run/a/task/b/c"])
      expect(routeOf(hash).at).toBe("nowhere");
    expect(routeOf("#/run/%E0%A4%A").at).toBe("run");
    expect([
      momentOf(routeOf("#/run/a?at=0")),
      momentOf(routeOf("#/run/a?at=x")),
      momentOf(routeOf("#/run/a")),
    ]).toEqual([0, undefined, undefined]);
  });

  it("takes the token out of the fragment, and goes nowhere but within the page", () => {
    expect(tokenOf("#t=abc")).toEqual({ token: "abc", to: "/" });
    expect(tokenOf("#t=abc&to=/run/plan-1")).toEqual({ token: "abc", to: "/run/plan-1" });
    expect(tokenOf("#t=abc&to=https://elsewhere")).toEqual({ token: "abc", to: "/" });
    expect(tokenOf("#/run/t=abc")).toBeNull();
  });
});

describe("U4 changes", () => {
  const run = runPage("plan-1", smallTasks());
  const { tasks: _, ...rest } = { ...run, position: 43, inbox: items("plan-1") };
  const change = {
    run: "plan-1",
    position: 43,
    since: 42,
    page: rest,
    tasks: [taskRow(8, { status: "running" }), taskRow(11)],
  };

  it("takes rows that changed and rows that are new, and nothing twice", () => {
    const next = changed(run, change);
    expect(next?.tasks.length).toBe(11);
    expect(next?.tasks[7]?.status).toBe("running");
    expect(next?.tasks[0]).toBe(run.tasks[0]);
    if (!next) throw new Error("it asks for the page again");
    expect(changed(next, change)).toBe(next);
    expect(changed(next, { ...change, position: 44, tasks: null })).toBeNull();
    expect(changed(next, { ...change, position: 50, since: 47 })).toBeNull();
    expect(changed(next, { ...change, run: "plan-2", position: 99 })).toBe(next);
  });

  it("takes what lies beside the journal at the same position: an orchestrator that was killed", () => {
    const gone = {
      ...change,
      position: 42,
      since: 42,
      page: { ...rest, position: 42, standing: "stopped" as const },
    };
    const next = changed(run, { ...gone, tasks: [] });
    expect(next).toMatchObject({ position: 42, standing: "stopped" });
    expect(next?.tasks).toBe(run.tasks);
    expect(projectChanged(projectPage([run]), { ...gone, tasks: [] })?.runs[0]?.standing).toBe("stopped");
  });

  it("keeps the project's inbox and list true, and asks again for a run that is new", () => {
    const project = projectPage([run]);
    const next = projectChanged(project, change);
    expect(next?.runs[0]).toMatchObject({ position: 43, needsYou: 3 });
    expect(next?.inbox.map((item) => item.id)).toEqual(["q-1", "a-1", "b-1"]);
    expect(next && projectChanged(next, change)).toBe(next);
    expect(projectChanged(project, { ...change, run: "plan-9" })).toBeNull();
    expect(oldestFirst(items("x").reverse())[0]?.id).toBe("q-1");
  });
});
