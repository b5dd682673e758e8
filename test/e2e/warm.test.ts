// A lent process (`warm.ts`) does what a process of its own would have done: the same words, code and files, nothing left
// over from the call before.
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { thorough } from "../thorough.ts";
import { cli, ended, folder, type Project, type Ran, readyProject, start } from "./rig.ts";
import { WarmProcesses } from "./warm.ts";

const warm = new WarmProcesses(cli, Number.POSITIVE_INFINITY);
afterAll(() => warm.end());

const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", LANG: "C.UTF-8" };

const lines = [
  "status",
  "status --json",
  "state start-task T001",
  "state start-task T001",
  "state start-task T009",
  "state complete-task T001 --created src/T001.ts",
  "state commit-task T001",
  "history --all",
  "next",
  "why T002",
  "statsu",
  "state ready-tasks --json --dir /nowhere",
  "help state",
  "verify",
  "plan --agent nobody",
  "execute T002 --agent nobody --unconfined",
  "protocol check",
];

describe.skipIf(thorough)("a lent process", () => {
  let project: Project;
  let back: () => void;
  beforeAll(async () => {
    project = await readyProject({ tasks: 3 });
    back = project.save();
  });

  const steady = (text: string) =>
    text.replace(/\d{4}-\d\d-\d\d|\d\d:\d\d(:\d\d)?(\.\d+Z)?|\b[0-9a-f]{40}\b|\d+ ?ms/g, "*");
  const seen = ({ code, signal, out, err }: Ran) => ({ code, signal, out: steady(out), err: steady(err) });

  async function each(call: (words: string[]) => Promise<Ran>) {
    back();
    const all = [];
    for (const line of lines) all.push([line, seen(await call(line.split(" ")))]);
    const facts = readFileSync(project.path(".heddle/logs/activity.log"), "utf8");
    return { all, facts: steady(facts), files: readdirSync(project.root, { recursive: true }).length };
  }

  it("C14 C15 answers every kind of call as a process of its own does, and leaves the same files", async () => {
    const cwd = project.root;
    const own = await each((words) => ended(start(words, { cwd, env: environment })));
    const lent = await each((words) => warm.run({ words, cwd, environment }) as Promise<Ran>);
    expect(lent).toEqual(own);
    expect(readdirSync(project.path(".heddle/underway"))).toEqual([]);
  });

  it("C14 knows nothing of the call before: neither its folder, nor its environment, nor its flags", async () => {
    await warm.run({ words: ["status", "--plain"], cwd: project.root, environment: { HEDDLE_ACTOR: "ada" } });
    const ran = await warm.run({ words: ["status"], cwd: folder(), environment });
    expect(ran).toMatchObject({ code: 1, out: "" });
    await warm.run({ words: ["halt", "lunch"], cwd: project.root, environment });
    expect((await project.history()).at(-1)?.by).toBe("operator");
  });

  it("C14 is killed when it takes too long, and another takes its place", async () => {
    const words = ["status"];
    const ran = await warm.run({ words, cwd: tmpdir(), environment, withinMs: 0 });
    expect([null, 1]).toContain(ran?.code);
    expect((await warm.run({ words: ["help"], cwd: join(tmpdir()), environment }))?.code).toBe(0);
  });
});
