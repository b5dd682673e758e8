// The files of a host's attempt (X20): copies at the start, put back at a failure; and `prepare-rollback` with
// `verify-rollback`. Whatever an agent leaves in the way, nothing outside the target is read, written or deleted.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import { desk, expectDone, expectRefused, folder, kindsOf, plan, read, record, waits } from "./desk.ts";

const file = (path: string, action: string) => ({ path, action, layer: "domain", purpose: "its part" });
const files = [
  file("src/old.ts", "modify"),
  file("src/new.ts", "create"),
  file("lib/deep/made.ts", "create"),
];

const project = desk(async (each) => {
  await plan(each, { tasks: [{ files }, waits("T001"), {}, waits("T002")] });
  each.write("app/src/old.ts", "as it was\n");
  each.write("app/src/other.ts", "not declared\n");
  chmodSync(each.path("app/src/old.ts"), 0o755);
  await each.must("state", "start-task", "T001");
});
const fail = (...words: readonly string[]) => project.state("fail-task", "T001", "red", ...words);

/** What an agent does before it fails. */
function work(): void {
  project.write("app/src/old.ts", "half done\n");
  project.write("app/src/new.ts", "half done\n");
  project.write("app/lib/deep/made.ts", "half done\n");
  project.write("app/src/other.ts", "changed too\n");
}

describe("fail-task", () => {
  it("X20 puts declared files back and deletes those that were not there", async () => {
    work();
    const ran = await fail();
    expectDone(ran, /^Task T001 failed: red\n/);
    expect(read(project, "app/src/old.ts")).toBe("as it was\n");
    expect([project.has("app/src/new.ts"), project.has("app/lib/deep/made.ts")]).toEqual([false, false]);
    expect(ran.out).toMatch(/put back: src\/old\.ts/);
    expect(ran.out).toMatch(/taken away: src\/new\.ts, lib\/deep\/made\.ts/);
  });

  it("X20 says in JSON what it put back, deleted and blocked", async () => {
    work();
    expect(JSON.parse((await fail("--category", "test", "--json")).out)).toEqual({
      task: "T001",
      status: "failed",
      error: "red",
      category: "test",
      retryable: true,
      restored: ["src/old.ts"],
      deleted: ["src/new.ts", "lib/deep/made.ts"],
      left: [],
      aside: project.path(".heddle/taken-away/plan-1/T001-1"),
      blocked: 2,
    });
  });

  it("X20 leaves files alone that the task did not declare", async () => {
    work();
    await fail();
    expect(read(project, "app/src/other.ts")).toBe("changed too\n");
  });

  it("X20 brings a declared file back that the agent deleted, with its mode", async () => {
    rmSync(project.path("app/src"), { recursive: true });
    expectDone(await fail());
    expect(read(project, "app/src/old.ts")).toBe("as it was\n");
    expect(statSync(project.path("app/src/old.ts")).mode & 0o777).toBe(0o755);
  });

  it("X20 --keep leaves everything as it is", async () => {
    work();
    expectDone(await fail("--keep"), "Task T001 failed: red\n  2 tasks are blocked");
    expect([read(project, "app/src/old.ts"), read(project, "app/src/new.ts")]).toEqual([
      "half done\n",
      "half done\n",
    ]);
  });

  it("X20 each attempt has its own copies: a failed second one goes back to where it began", async () => {
    work();
    await fail("--keep");
    project.write("app/src/old.ts", "fixed by hand\n");
    await project.must("state", "start-task", "T001");
    project.write("app/src/old.ts", "half done again\n");
    await fail();
    expect([read(project, "app/src/old.ts"), read(project, "app/src/new.ts")]).toEqual([
      "fixed by hand\n",
      "half done\n",
    ]);
  });

  it("X20 two files with one name do not overwrite each other's copies (defect 16)", async () => {
    await project.must("state", "start-task", "T003");
    project.write("app/src/T003.ts", "x");
    work();
    await fail();
    expectDone(await project.state("fail-task", "T003", "red"), /taken away: src\/T003\.ts/);
    expect(read(project, "app/src/old.ts")).toBe("as it was\n");
  });

  it("X12 is refused for a task that is not running, and changes no file (defect 7)", async () => {
    work();
    await project.must("state", "complete-task", "T001");
    expectRefused(await fail(), /T001` is complete/);
    expect(read(project, "app/src/old.ts")).toBe("half done\n");
    expect(record(project, "T001").status).toBe("complete");
  });

  it("X12 blocks everything that waits for it, however far (defect 8)", async () => {
    expectDone(await fail(), /2 tasks are blocked/);
    expect([record(project, "T002").status, record(project, "T004").status]).toEqual(["blocked", "blocked"]);
  });

  it("X20 counts the tasks that this failure blocks, not those that another one had blocked", async () => {
    await fail();
    await project.must("state", "start-task", "T003");
    const { blocked } = JSON.parse((await project.state("fail-task", "T003", "red", "--json")).out);
    expect(blocked).toBe(0);
  });
});

describe("what an agent may leave in the way", () => {
  const outside = folder("heddle-outside-");

  it("X20 a folder that became a link to the outside is refused, and nothing out there changes", async () => {
    mkdirSync(`${outside}/src`, { recursive: true });
    writeFileSync(`${outside}/src/new.ts`, "mine\n");
    rmSync(project.path("app/src"), { recursive: true });
    symlinkSync(`${outside}/src`, project.path("app/src"));
    const kinds = await kindsOf(project, async () => {
      const ran = await fail();
      expect(ran).toMatchObject({
        code: 1,
        err: expect.stringMatching(/`src\/old\.ts` leads outside the target/),
      });
    });
    expect(kinds).toEqual([]);
    expect(readFileSync(`${outside}/src/new.ts`, "utf8")).toBe("mine\n");
    expect(existsSync(`${outside}/src/old.ts`)).toBe(false);
    expectDone(await fail("--keep"));
  });

  it("X20 a file that became a link is refused, and what it leads to is untouched", async () => {
    writeFileSync(`${outside}/prize`, "mine\n");
    rmSync(project.path("app/src/old.ts"));
    symlinkSync(`${outside}/prize`, project.path("app/src/old.ts"));
    expectRefused(await fail(), /`src\/old\.ts` leads outside/);
    expect(readFileSync(`${outside}/prize`, "utf8")).toBe("mine\n");
    expect(lstatSync(project.path("app/src/old.ts")).isSymbolicLink()).toBe(true);
  });

  it("X20 start-task does not copy through a link that leads outside", async () => {
    symlinkSync(`${outside}/prize`, project.path("app/src/T003.ts"));
    const kinds = await kindsOf(project, async () =>
      expectRefused(await project.state("start-task", "T003"), /`src\/T003\.ts` leads outside/),
    );
    expect(kinds).toEqual([]);
  });

  it("C14 a folder where a file is to be deleted does not bring heddle down", async () => {
    mkdirSync(project.path("app/src/new.ts/inner"), { recursive: true });
    const ran = await fail();
    expect([0, 1], ran.err).toContain(ran.code);
    expect(ran.err).not.toMatch(/heddle has a bug/);
  });

  it("C14 a folder where a file is to be put back does not bring heddle down", async () => {
    rmSync(project.path("app/src/old.ts"));
    mkdirSync(project.path("app/src/old.ts"));
    const ran = await fail();
    expect([0, 1], ran.err).toContain(ran.code);
    expect(ran.err).not.toMatch(/heddle has a bug/);
  });

  it("C14 a file where a folder was does not bring heddle down", async () => {
    rmSync(project.path("app/src"), { recursive: true });
    writeFileSync(project.path("app/src"), "a file now\n");
    const ran = await fail();
    expect([0, 1], ran.err).toContain(ran.code);
    expect(ran.err).not.toMatch(/heddle has a bug/);
  });
});

describe("prepare-rollback and verify-rollback", () => {
  const prepare = (...words: readonly string[]) => project.state("prepare-rollback", "T001", ...words);
  const verify = (...words: readonly string[]) => project.state("verify-rollback", "T001", ...words);

  it("X20 prepare-rollback keeps checksums of files that are there and notes those that are not", async () => {
    expectDone(await prepare("src/other.ts", "src/later.ts"), /T001 \(2 files\)/);
    expect(record(project, "T001").rollback_data).toMatchObject({
      task_id: "T001",
      target_dir: project.path("app"),
      file_existed: { "src/other.ts": true, "src/later.ts": false },
      file_checksums: { "src/other.ts": expect.stringMatching(/^[0-9a-f]{64}$/), "src/later.ts": "" },
    });
  });

  it("X20 prepared files are copied too, so that fail-task puts them back (defect 16)", async () => {
    await prepare("src/other.ts", "src/later.ts");
    work();
    project.write("app/src/later.ts", "half done\n");
    await fail();
    expect(read(project, "app/src/other.ts")).toBe("not declared\n");
    expect(project.has("app/src/later.ts")).toBe(false);
  });

  it("X20 verify-rollback passes when everything is as it was", async () => {
    await prepare("src/other.ts", "src/later.ts");
    work();
    await fail();
    expectDone(
      await verify("--created", "src/later.ts", "--modified", "src/other.ts"),
      "Rollback verified successfully",
    );
  });

  it("X20 verify-rollback names everything that is not as it was, and records it", async () => {
    await prepare("src/other.ts", "src/old.ts", "src/later.ts");
    project.write("app/src/other.ts", "changed\n");
    rmSync(project.path("app/src/old.ts"));
    project.write("app/src/later.ts", "still here\n");
    const kinds = await kindsOf(project, async () => {
      const { code, err } = await verify(
        "--created",
        "src/later.ts",
        "--modified",
        "src/other.ts",
        "src/old.ts",
      );
      expect(code).toBe(1);
      expect(err).toMatch(/`src\/later\.ts` was created by the task and is still there/);
      expect(err).toMatch(/`src\/other\.ts` differs/);
      expect(err).toMatch(/`src\/old\.ts` was there before the task and is missing/);
    });
    expect(kinds).toEqual(["rollback-verified"]);
  });

  it("X20 verify-rollback is refused when nothing was prepared", async () => {
    expectRefused(await verify("--modified", "src/old.ts"), /no rollback was prepared for task `T001`/);
  });

  it("X20 a path that leads outside the target is refused by prepare-rollback", async () => {
    const kinds = await kindsOf(project, async () =>
      expectRefused(await prepare("../../etc/passwd"), /leads outside the target/),
    );
    expect(kinds).toEqual([]);
  });
});
