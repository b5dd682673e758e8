// A machine without bubblewrap: everything that runs no program works, and what does says what is missing.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { heddle, pathWithoutBox } from "../e2e/rig.ts";
import { Lifecycle, plan } from "./rig.ts";

const patch = `diff --git a/greet.txt b/greet.txt
new file mode 100644
--- /dev/null
+++ b/greet.txt
@@ -0,0 +1 @@
+Hello, Ada!
`;

it("U16 takes a task from a plan by hand to accepted, landed and reverted, and asks for a box only to run tests", async () => {
  const project = await Lifecycle.begun();
  const env = { PATH: pathWithoutBox() };
  const bare = (...words: string[]) => heddle(words, { cwd: project.root, env });
  const must = async (...words: string[]) => {
    const ran = await bare(...words);
    expect(ran.code, ran.err + ran.out).toBe(0);
    return ran.out;
  };
  project.write(".heddle/config.json", JSON.stringify({ agent: "command:/bin/true" }));
  const write = (file: string, value: unknown) =>
    project.write(`.heddle/tasks/task-1/${file}`, typeof value === "string" ? value : JSON.stringify(value));
  // Who is to plan is in order, but nothing can hold it.
  expect((await bare("next")).err).toContain("(`bwrap`) is not installed");
  expect((await bare("next", "--agent", "nobody")).err).toContain("`nobody` is not an agent");
  const byHand = [
    ["planning/plan.json", plan],
    ["review/plan-review.json", { ok: true, blocking_issues: [] }],
    ["code/diff.patch", patch],
    ["review/code-review.json", { ok: true, blocking_issues: [] }],
  ] as const;
  for (const [file, value] of byHand) {
    write(file, value);
    await must("next");
  }
  const untested = await bare("next");
  expect(untested.code).toBe(1);
  expect(untested.err).toContain("(`bwrap`) is not installed");
  await must("next", "--override", "tested elsewhere", "--to", "accept");
  await must("accept", "--reason", "it greets");
  await must("land");
  expect(readFileSync(project.path("app/greet.txt"), "utf8")).toBe("Hello, Ada!\n");
  expect(await must("report")).toContain("Accepted");
  expect(await must("revert", "--reason", "not now")).toContain("reverted");
});
