#!/usr/bin/env node
// The first thing that is loaded, on whatever Node there is: answers `--version` by itself, starts again with the
// Node that the repository brings when this one is too old, and otherwise leaves everything to `main.ts`.
// Nothing is imported here: what every call pays for is kept to this file.
declare const HEDDLE_VERSION: string;

const words = process.argv.slice(2);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (words[0] === "--version" || words[0] === "-V") {
  process.getBuiltinModule("node:fs").writeSync(1, `heddle ${HEDDLE_VERSION}\n`);
} else if (major > 24 || (major === 24 && minor >= 16)) {
  process.getBuiltinModule("node:module").enableCompileCache();
  const { main } = await import("./main.ts");
  process.exitCode = await main(words);
} else {
  const { startAgain } = await import("./start-again.ts");
  startAgain(words);
}
