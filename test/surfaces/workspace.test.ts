// Workspaces of failed attempts are set aside, listed and removed; one in use is never touched.
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { until } from "../e2e/rig.ts";
import { executable } from "./rig.ts";

it("lists what failed attempts left, and removes it without its records", async () => {
  const project = await executable({
    tasks: 3,
    check: (id) => (id === "T001" ? "echo no; false" : "test -d src"),
    turns: { T002: [{ ends: "hanging" }] },
  });
  project.write(".heddle/config.json", JSON.stringify({ attempts: 1 }));
  expect((await project.heddle("workspace", "ls")).out.trim()).toBe("no workspace is left");
  const running = project.begin();
  const over = project.end(running);
  await until("T001 has failed", async () => (await project.status()).tasks.failed === 1);
  await until("T002 works", () => existsSync(project.attempt("T002-1", "started.json")));

  const all = await project.json("workspace", "ls");
  const left = all.find(({ name }: { name: string }) => name === "T001-1");
  expect(left).toMatchObject({
    task: "T001",
    attempt: 1,
    inUse: false,
    path: project.attempt("T001-1", "work"),
  });
  expect(left.why).toMatch(/^test: `echo no; false` exited with code 1/);
  expect(left.bytes).toBeGreaterThan(1000);
  expect(all.find(({ name }: { name: string }) => name === "T002-1").inUse).toBe(true);
  expect((await project.must("workspace", "ls")).out).toMatch(
    /^T001-1 +\d+ KiB +\d+s {2}test: `echo no; false`/,
  );

  const used = await project.heddle("workspace", "rm", "T001-1", "T002-1");
  expect([used.code, used.err.includes("`T002-1` is in use")]).toEqual([1, true]);
  expect(existsSync(left.path)).toBe(true);
  expect((await project.heddle("workspace", "rm", "T001-7")).err).toContain("did you mean `T001-1`?");
  expect((await project.heddle("workspace", "rm")).code).toBe(64);
  expect((await project.heddle("workspace", "rm", "../x")).code).toBe(1);

  await project.must("workspace", "rm", "--all");
  expect(existsSync(left.path)).toBe(false);
  expect(existsSync(project.attempt("T001-1", "events.jsonl"))).toBe(true);
  expect(existsSync(project.attempt("T002-1", "work"))).toBe(true);
  running.kill("SIGKILL");
  await over;
  expect((await project.heddle("workspace", "rm", "T002-1")).code).toBe(1);
});
