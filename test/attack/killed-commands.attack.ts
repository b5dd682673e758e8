// The worst moments to die, each by its name: what `exact-kills` finds among hundreds of others. And what must not happen:
// that heddle carries out a note which came with a repository.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, Project } from "../e2e/rig.ts";
import { hasStrace, killedAt, type NamedCall, pointNamed, run } from "./kill-points.ts";
import { scenes } from "./kill-scenes.ts";

class Killed extends Project {
  static async at(name: string, point: NamedCall): Promise<Killed> {
    const project = new Killed(join(folder("heddle-killed-"), "project"));
    mkdirSync(project.root, { recursive: true });
    const scene = scenes.find((each) => each.name === name);
    if (!scene) throw new Error(`no scene ${name}`);
    await scene.make(project);
    const order = { words: scene.words, cwd: project.root, around: project.around };
    const saved = join(folder("heddle-killed-saved-"), "saved");
    execFileSync("cp", ["-a", dirname(project.root), saved]);
    const exact = await pointNamed(order, point);
    rmSync(dirname(project.root), { recursive: true, force: true });
    execFileSync("cp", ["-a", saved, dirname(project.root)]);
    const ran = await killedAt(order, exact);
    expect(ran.signal, ran.err + ran.out).toBe("SIGKILL");
    return project;
  }

  get around(): string {
    return join(this.root, "../around");
  }

  /** With the same home and TMPDIR as the command that was killed. */
  next(...words: readonly string[]) {
    return run({ words, cwd: this.root, around: this.around });
  }

  text(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  git(...words: readonly string[]): string {
    return execFileSync("git", ["-C", this.path("app"), ...words], { encoding: "utf8" });
  }
}

/** The decision is registered, and the job that carries it out has begun. */
const begun = { call: "mkdir", names: /acceptor-1\/out"/ };

describe.skipIf(!hasStrace)("killed at its worst moment (left out where there is no strace)", () => {
  it("G1 restore, between the two journals: the next command has the new one", async () => {
    const project = await Killed.at("restore", { call: "rename", names: /, ".*\.heddle\/heddle\.db"/ });
    expect(existsSync(project.path(".heddle/heddle.db"))).toBe(false);
    const { code, out, err } = await project.next("status", "--json");
    expect(code, err).toBe(0);
    expect(JSON.parse(out).tasks.running).toBe(0);
    expect(readdirSync(project.path(".heddle")).filter((name) => name.includes("restored"))).toEqual([]);
    expect(existsSync(project.path(".heddle/replaced/1/heddle.db"))).toBe(true);
  });

  it("G1 import, while it copied: it is imported by the next call", async () => {
    const project = await Killed.at("import", { call: "rename", names: /, ".*project-planning"/ });
    const { code, err } = await project.next("import", "tasker", "elsewhere");
    expect(code, err).toBe(0);
    expect(readdirSync(project.root).filter((name) => name.includes(".new"))).toEqual([]);
  });

  it("G1 import, with the copy in its place and no run: it is imported by the next call", async () => {
    const project = await Killed.at("import", { call: "link", names: /, ".*heddle\.db"/ });
    expect(project.has("project-planning/state.json")).toBe(true);
    const { code, err } = await project.next("import", "tasker", "elsewhere");
    expect(code, err).toBe(0);
  });

  it("G1 backup: a file of that name is a whole backup, and nothing stays beside it", async () => {
    const project = await Killed.at("backup", { call: "link", names: /, ".*copy\.db"/ });
    expect(project.has("copy.db")).toBe(false);
    await project.next("status");
    expect(readdirSync(project.root).filter((name) => name.startsWith("copy.db"))).toEqual([]);
  });

  it("X21 land, with a file out of its place: it is back after the next command, whichever that is", async () => {
    const project = await Killed.at("land", { call: "link", names: /, ".*README\.md"/ });
    expect(project.has("app/README.md")).toBe(false);
    expect((await project.next("status")).code).toBe(0);
    expect(project.text("app/README.md")).toBe("# The person's project\n");
    expect(project.git("status", "--porcelain")).toBe("");
  });

  it("X21 land, before the index: the lock is heddle's own, and is taken away", async () => {
    const project = await Killed.at("land", { call: "rename", names: /, ".*\.git\/index"/ });
    expect(project.has("app/.git/index.lock")).toBe(true);
    await project.next("status");
    expect(project.has("app/.git/index.lock")).toBe(false);
    expect((await project.next("land")).out).toContain("landed: 3 files");
    expect(project.git("status", "--porcelain")).toBe("");
  });

  it("X21 land, before the index: a lock of somebody else's stays", async () => {
    const project = await Killed.at("land", { call: "rename", names: /, ".*\.git\/index"/ });
    rmSync(project.path("app/.git/index.lock"));
    project.write("app/.git/index.lock", "a person's git\n");
    await project.next("status");
    expect(project.text("app/.git/index.lock")).toBe("a person's git\n");
  });

  it("X20 fail-task, with a file out of its place: it is back after the next command", async () => {
    const project = await Killed.at("fail-task", { call: "link", names: /, ".*src\/old\.ts"/ });
    expect(project.has("app/src/old.ts")).toBe(false);
    await project.next("status");
    expect(project.text("app/src/old.ts")).toBe("as it was\n");
  });

  it("C3 state adopt, recorded and not shown: the view is what was adopted", async () => {
    const project = await Killed.at("state adopt", { call: "rename", names: /, ".*state\.json"/ });
    const { code, out, err } = await project.next("status", "--json");
    expect(code, err).toBe(0);
    expect(JSON.parse(out).tasks.skipped).toBe(1);
  });

  it("L12 accept, with the decision made and not carried out: no agent is needed to go on", async () => {
    const project = await Killed.at("accept", begun);
    const { code, err, out } = await project.next("accept", "--reason", "good");
    expect(code, err + out).toBe(0);
    expect(project.git("log", "--format=%s")).toBe("task-1: Greet people by name\nBegin\n");
  });

  it("L12 accept, before it landed: accepting again lands it", async () => {
    const project = await Killed.at("accept", { call: "link", names: /, ".*greet\.txt"/ });
    const { code, err } = await project.next("accept", "--reason", "good");
    expect(code, err).toBe(0);
    expect(project.text("app/greet.txt")).toBe("Hello, Ada!\n");
  });

  it("G5 accept: the hold against `git gc` and half-written objects go with the next command", async () => {
    const project = await Killed.at("accept", { call: "unlink", names: /gc\.pid"/ });
    expect(project.has("app/.git/gc.pid")).toBe(true);
    for (const name of ["tmp_obj_ABCdef", "tmp_obj_heddle_1_x"])
      project.write(`app/.git/objects/${name}`, "half");
    project.write("app/.git/refs/heads/heddle/task-1.lock", "");
    await project.next("status");
    const left = readdirSync(project.path("app/.git"), { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => /gc\.pid|tmp_obj|\.lock$/.test(name))).toEqual([]);
  });
});

describe("a note that came with a repository", () => {
  const note = (content: unknown) => JSON.stringify({ seal: "00".repeat(32), body: JSON.stringify(content) });
  const dead = `999999~1~00000000-0000-0000-0000-000000000000~${encodeURIComponent(hostName())}`;

  it("G9 is not carried out: nothing is deleted, written or moved by it", async () => {
    const project = new Killed(join(folder("heddle-noted-"), "project"));
    mkdirSync(project.root, { recursive: true });
    const mine = join(folder("heddle-mine-"), "mine.txt");
    writeFileSync(mine, "mine\n");
    expect((await project.next("init", "app")).code).toBe(0);
    project.write(`.heddle/underway/${dead}`, "");
    project.write(`.heddle/underway/${dead}~0.scratch.json`, note({ paths: [mine] }));
    project.write(`.heddle/underway/${dead}~1.scratch.json`, JSON.stringify({ paths: [mine] }));
    expect((await project.next("status")).code).toBe(0);
    expect(readFileSync(mine, "utf8")).toBe("mine\n");
    expect(readdirSync(project.path(".heddle/underway")).filter((name) => name.startsWith("999999"))).toEqual(
      [],
    );
  });
});

function hostName(): string {
  return execFileSync("hostname", { encoding: "utf8" }).trim();
}
