// U4: editing and splitting a task, and accepting one, on the page: real projects, and orders that become the commands of the terminal.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { definitionsIn } from "../../src/page/definition.ts";
import type { Action, Order } from "../../src/page/model.ts";
import { Lifecycle } from "../lifecycle/rig.ts";
import { executable } from "../surfaces/rig.ts";
import { openProject, Page } from "./rig.ts";

const order = (more: Partial<Order>): Order => ({ do: "edit", task: "T001", seen: 0, ...more });

describe("a task's definition on the page", () => {
  it("U4 refuses what is no task, another task, two of one name, and a split into one", () => {
    const said = (more: Partial<Order>) => {
      const found = definitionsIn(order(more));
      return "message" in found ? found.message : found;
    };
    expect(said({ words: "{" })).toContain("this is not JSON");
    expect(said({ words: "[]" })).toContain("needs an `id`");
    expect(said({ words: '{"id":"../T001"}' })).toContain("needs an `id`");
    expect(said({ words: '{"id":"T002"}' })).toBe("this defines `T002`, not `T001`");
    expect(said({ do: "split", words: '[{"id":"T001"}]' })).toContain("two or more");
    expect(said({ do: "split", words: '[{"id":"T004"},{"id":"T004"}]' })).toContain("two of the tasks");
    expect(said({ do: "split", words: '[{"id":"T001"},{"id":"T004"}]' })).toHaveLength(2);
  });

  it("U4 D20 is edited and split there as by the commands: checked as a whole, under the person's name, refused when it has changed", async () => {
    const project = await executable({ tasks: 2, after: (n) => (n === 2 ? [1] : []) });
    const app = await openProject(project.root);
    const page = await (await Page.open(app)).begin();
    const shown = async (task: string) => (await page.read(`/api/runs/plan-1/tasks/${task}`)).json;
    const position = async () => (await page.read("/api/runs/plan-1")).json.position as number;
    const before = await shown("T001");
    const edit = before.actions.find((each: Action) => each.do === "edit");
    expect(edit).toMatchObject({ command: "heddle task edit T001 <file>", task: "T001" });
    const changed = { ...JSON.parse(edit.text), name: "Renamed <b>here</b>" };
    const seen = await position();
    const words = JSON.stringify(changed);
    // What the command refuses is refused here, in its words, and nothing has changed.
    const broken = JSON.stringify({ ...changed, dependencies: { tasks: ["T009"] } });
    const wrong = await page.order("plan-1", { do: "edit", task: "T001", words: broken, seen });
    expect([wrong.status, wrong.json.problem]).toEqual([422, expect.stringContaining("T009")]);
    const reason = "--force: the format <i>changed</i>";
    const done = await page.order("plan-1", { do: "edit", task: "T001", words, reason, seen });
    expect([done.status, done.json.said]).toEqual([200, expect.stringContaining("Edited: 2 tasks")]);
    expect((await shown("T001")).row.name).toBe("Renamed <b>here</b>");
    const loaded = (await app.history()).filter(({ fact }) => fact.kind === "plan-loaded").at(-1);
    expect(loaded).toMatchObject({ by: "operator", fact: { reason } });
    const late = await page.order("plan-1", { do: "edit", task: "T001", words, seen });
    expect([late.status, late.json.problem]).toEqual([
      409,
      expect.stringContaining("changed since you looked"),
    ]);
    const split = (await shown("T001")).actions.find((each: Action) => each.do === "split");
    expect(JSON.parse(split.text).map(({ id }: { id: string }) => id)).toEqual(["T001", "T003"]);
    const [first, second] = JSON.parse(split.text);
    // Each has a file of its own.
    const parted = [first, JSON.parse(JSON.stringify(second).replaceAll("src/T001.ts", "src/T003.ts"))];
    const ordered = { do: "split", task: "T001", words: JSON.stringify(parted), seen: await position() };
    const apart = await page.order("plan-1", ordered);
    expect([apart.status, apart.json.said ?? apart.json.problem]).toEqual([
      200,
      expect.stringContaining("Split: 3 tasks (1 new"),
    ]);
    expect((await shown("T002")).row.dependsOn).toEqual(["T001", "T003"]);
    expect(readFileSync(project.path("project-planning/tasks/T003.json"), "utf8")).toContain("(2 of 2)");
    const [last] = (await app.history()).slice(-1);
    expect(last?.by).toBe("operator");
  });
});

it("U4 L4 accepts a reviewed and tested change from the inbox, as one commit", async () => {
  const project = await Lifecycle.begun();
  const phase = async () => (await project.json("status", "--run", "task-1")).phase;
  for (let left = 8; (await phase()) !== "accept" && left > 0; left--) await project.next();
  const page = await (await Page.open(await openProject(project.root))).begin();
  const { inbox } = (await page.read("/api/project")).json;
  const accept = inbox[0]?.actions.find((each: Action) => each.do === "accept");
  expect(accept).toMatchObject({ do: "accept", grave: true });
  const tip = project.git("rev-parse", "HEAD").trim();
  const { position: seen } = (await page.read("/api/runs/task-1")).json;
  const done = await page.order("task-1", { do: "accept", id: inbox[0].id, words: "it greets", seen });
  expect([done.status, done.json.said ?? done.json.problem]).toEqual([
    200,
    expect.stringContaining("accept -> done"),
  ]);
  expect(project.git("rev-parse", "heddle/task-1^").trim()).toBe(tip);
  expect(project.git("show", "heddle/task-1:greet.txt")).toBe("Hello, Ada!\n");
  expect((await page.read("/api/runs/task-1")).json).toMatchObject({
    phase: "done",
    standing: "done",
    inbox: [],
  });
});
