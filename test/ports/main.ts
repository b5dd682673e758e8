// `npm run ports [files…]`, or with `--carry` what `carried.ts` tries: the execute suite with the real command line over a journal that does everything its contract allows
// (`hostile.ts`). The command line is built apart, into .tmp/ports, with another composition root.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { carried } from "./carried.ts";
import { root, trialBuild } from "./trial-build.ts";

const folder = join(root, ".tmp/ports");
const words = process.argv.slice(2);
if (words[0] === "--carry") process.exit(carried(words.slice(1)));

/** With the guard before everything else, and the names of functions, for the stack of what it finds. */
const output = {
  banner: ({ name }: { name: string }) => (name === "everyday" ? 'require("./guard.js");' : ""),
  minify: { mangle: false },
};

const program = await trialBuild({
  folder,
  composition: join(import.meta.dirname, "composition.ts"),
  output,
});
const guard = await rolldown({ input: join(import.meta.dirname, "guard.ts"), platform: "node" });
await guard.write({ file: join(folder, "dist/guard.js"), format: "cjs" });
const suites = words.length > 0 ? words : ["test/execute", "test/journal/hostile.test.ts"];
const { status } = spawnSync(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", ...suites],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, HEDDLE_BUILT: "1", HEDDLE_CLI: program },
  },
);
process.exitCode = status ?? 1;
