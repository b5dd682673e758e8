// Nothing of a person's is lost: not what they have in a folder that a task declared when the attempt is undone, and not
// what they save while a run lands, at whichever moment of the landing that is.
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Chance } from "../e2e/random.ts";
import { folder, Project } from "../e2e/rig.ts";
import { hasStrace, type KillPoint, type Order, pointNamed, pointsOf, run } from "./kill-points.ts";
import { scenes } from "./kill-scenes.ts";
import { stoppedAt } from "./stopped-at.ts";

/** Every plain file below a folder with its text, without the object stores. */
function textsIn(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    const file = join(root, path);
    if (/\.git\/|\.db/.test(path) || !lstatSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    found.set(path, readFileSync(file, "utf8"));
  }
  return found;
}

async function made(name: string): Promise<Project> {
  const project = new Project(join(folder("heddle-kept-"), "project"));
  mkdirSync(project.root, { recursive: true });
  const scene = scenes.find((each) => each.name === name);
  if (!scene) throw new Error(`no scene ${name}`);
  await scene.make(project);
  return project;
}

describe("an attempt that is undone", () => {
  for (const words of [
    ["fail-task", "T001", "red"],
    ["retry-task", "T001"],
  ])
    it(`X20 ${words[0]} takes a declared folder back to what it held, and keeps a person's file of it aside`, async () => {
      const project = await made("fail-task");
      symlinkSync("/etc/hostname", project.path("app/lib/link"));
      const { code, out } = await project.state(...words);
      expect(code).toBe(0);
      expect(readFileSync(project.path("app/lib/kept.ts"), "utf8")).toBe("kept\n");
      expect(readFileSync(project.path("app/src/old.ts"), "utf8")).toBe("as it was\n");
      expect([project.has("app/lib/mine.ts"), project.has("app/src/new.ts")]).toEqual([false, false]);
      const aside = /kept at (.*)$/m.exec(out)?.[1] ?? "";
      expect(Object.fromEntries(textsIn(aside))).toEqual({
        "lib/kept.ts": "changed\n",
        "lib/mine.ts": "a person's\n",
        "src/new.ts": "half done\n",
        "src/old.ts": "half done\n",
      });
      expect(lstatSync(join(aside, "lib/link")).isSymbolicLink()).toBe(true);
    });

  it("X20 a folder that took the place of a declared file is kept whole", async () => {
    const project = await made("fail-task");
    rmSync(project.path("app/src/new.ts"));
    project.write("app/src/new.ts/deep/mine.ts", "a person's\n");
    const { out } = await project.state("fail-task", "T001", "red");
    const aside = /kept at (.*)$/m.exec(out)?.[1] ?? "";
    expect(textsIn(aside).get("src/new.ts/deep/mine.ts")).toBe("a person's\n");
  });

  it("X20 a folder that is too large to be copied is left as it is, and that is said", {
    timeout: 300_000,
  }, async () => {
    const project = await made("fail-task");
    await project.must("state", "fail-task", "T001", "red");
    for (let n = 0; n < 5_100; n++) project.write(`app/lib/many/${n}`, "x");
    await project.must("state", "start-task", "T001");
    project.write("app/lib/mine.ts", "a person's\n");
    const { out } = await project.state("fail-task", "T001", "red");
    expect(out).toContain("left as it is, too large to be copied: lib");
    expect(readFileSync(project.path("app/lib/mine.ts"), "utf8")).toBe("a person's\n");
  });
});

const mine = "what a person saved meanwhile\n";

/** What a person, an editor or another program may do to a path. */
const doings: Readonly<Record<string, (path: string) => void>> = {
  "saves in place": (path) => writeFileSync(path, mine),
  "saves by a rename": (path) => {
    writeFileSync(`${path}~`, mine);
    renameSync(`${path}~`, path);
  },
  "makes a folder of it": (path) => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    writeFileSync(join(path, "inner.txt"), mine);
  },
  "makes a link of it": (path) => {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(join(dirname(path), "pointed-at.txt"), mine);
    symlinkSync("pointed-at.txt", path);
  },
  "deletes it": (path) => rmSync(path, { recursive: true, force: true }),
};

const paths = ["README.md", "old/gone.txt", "src/T001.txt"];
const each = process.env.HEDDLE_EXACT_KILLS === "all" ? Number.POSITIVE_INFINITY : 3;

describe.skipIf(!hasStrace)("while a run lands (left out where there is no strace)", () => {
  for (const name of ["land", "land without git"])
    describe(name, () => {
      let project: Project;
      let saved = "";
      let points: readonly KillPoint[] = [];
      const order = () => ({ words: ["land"], cwd: project.root, around: join(project.root, "../around") });
      const back = () => {
        rmSync(dirname(project.root), { recursive: true, force: true });
        execFileSync("cp", ["-a", saved, dirname(project.root)]);
      };
      beforeAll(async () => {
        project = await made(name);
        saved = join(folder("heddle-kept-saved-"), "saved");
        execFileSync("cp", ["-a", dirname(project.root), saved]);
        const calls = ["rename", "link", "unlink", "fsync", "mkdir", "rmdir", "unlinkat"];
        points = (await pointsOf(order())).points.filter(
          ({ victim, call }) => victim === "heddle" && calls.includes(call),
        );
      });
      afterAll(() => rmSync(saved, { recursive: true, force: true }));

      // The two moments that count, by their names. A command that is stopped at a call has made it: here it has written its
      // plan and compared everything, or renamed what was there.
      for (const [when, call, names] of [
        ["saves in place before it is replaced", "fsync", /heddle-landing>/],
        ["saves while its place is empty", "rename", /README\.md", /],
      ] as const)
        it(`X21 G9 ${name}: when somebody ${when}, it is not lost`, { timeout: 600_000 }, async () => {
          back();
          const point = await pointNamed(order(), { call, names });
          back();
          const act = doings["saves in place"] ?? (() => {});
          await disturbed(
            { project, order: order() },
            {
              ...{ doing: when, act, path: "README.md", point, isNamed: true },
            },
          );
        });

      for (const [doing, act] of Object.entries(doings))
        it(`X21 G9 when somebody ${doing}, nothing is lost`, { timeout: 3_600_000 }, async () => {
          const chance = new Chance(
            [...`${name}${doing}`].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7),
          );
          const open = paths.flatMap((path) => points.map((point) => ({ path, point })));
          for (let n = 0; n < each && open.length > 0; n++) {
            const [{ path, point }] = open.splice(chance.below(open.length), 1) as [
              { path: string; point: KillPoint },
            ];
            back();
            await disturbed({ project, order: order() }, { doing, act, path, point });
          }
        });
    });
});

interface Disturbance {
  readonly doing: string;
  readonly act: (path: string) => void;
  readonly path: string;
  readonly point: KillPoint;
  /** Whether it has to come there. */
  readonly isNamed?: boolean;
}

async function disturbed(
  { project, order }: { project: Project; order: Order },
  { doing, act, path, point, isNamed = false }: Disturbance,
): Promise<void> {
  const at = project.path("app", path);
  const { ran, stopped } = await stoppedAt(order, point, () => {
    mkdirSync(dirname(at), { recursive: true });
    act(at);
  });
  const where = `${path} at ${point.call} ${point.nth}: ${ran.out}${ran.err}`;
  if (isNamed) expect(stopped, where).toBe(true);
  expect([0, 1], where).toContain(ran.code);
  expect(ran.err, where).not.toMatch(/heddle has a bug/);
  if (doing !== "deletes it") {
    const kept = [...textsIn(project.root)].filter(([, text]) => text === mine).map(([file]) => file);
    expect(kept, where).not.toEqual([]);
    if (!kept.some((file) => file.startsWith("app/"))) expect(ran.out, where).toContain("kept at");
  }
  const again = await run(order);
  expect(again.err, where).not.toMatch(/heddle has a bug/);
  const left = readdirSync(project.root, { recursive: true, encoding: "utf8" });
  expect(
    left.filter((file) => /heddle-land|\.heddle-|index\.lock/.test(file)),
    where,
  ).toEqual([]);
}
