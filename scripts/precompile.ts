// The last step of a build: makes the command executable, goes through the commands that agents call most, in a project of
// its own, and keeps what V8 has compiled by then beside the file (`src/cli/compiled.ts`). Prints only what went wrong.
import { chmodSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { makeProject, withFolder } from "../bench/plan.ts";
import { besideOf, compile, runAsModule } from "../src/cli/compiled.ts";

const dist = resolve(import.meta.dirname, "../dist");
const require = createRequire(join(dist, "heddle.js"));

writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
// `npm link` makes it executable once; a command that was linked goes on working after the next build.
chmodSync(join(dist, "heddle.js"), 0o755);
const everyday = join(dist, "everyday.js");
const script = compile(everyday);
const { main } = runAsModule(script, everyday, require) as typeof import("../src/cli/main.ts");

const [first, second] = ["T000001", "T000002"];
const commands = [
  ["state", "ready-tasks"],
  ["state", "complete-task", first, "--created", "a.ts"],
  ["state", "start-task", second],
  ["state", "fail-task", second, "red"],
  ["state", "retry-task", second],
  ["state", "skip-task", second],
];
await withFolder(async (folder) => {
  for (const size of [30, 1_200]) {
    const root = join(folder, String(size));
    await makeProject(root, { size, width: 10 }, 1);
    for (const words of commands) {
      const code = await main([...words, "--dir", root]);
      if (code !== 0) throw new Error(`\`heddle ${words.join(" ")}\` ended with ${code}`);
    }
  }
});
writeFileSync(besideOf(everyday), script.createCachedData());
