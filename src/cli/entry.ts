#!/usr/bin/env node
// The first thing that is loaded, on whatever Node there is: answers `--version` by itself, starts again with the
// Node that the repository brings when this one is too old, and otherwise leaves everything to `main.ts`.
// What every call pays for is kept to this file. It is built as CommonJS, and the others are found beside it.
import { compile, runAsModule } from "./compiled.ts";

declare const HEDDLE_VERSION: string;
declare const require: NodeJS.Require;
declare const __dirname: string;

const words = process.argv.slice(2);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (words[0] === "--version" || words[0] === "-V") {
  process.getBuiltinModule("node:fs").writeSync(1, `heddle ${HEDDLE_VERSION}\n`);
} else if (major > 24 || (major === 24 && minor >= 16)) {
  if (process.env.HEDDLE_TETHER === "3") again().endWithParent();
  const everyday = `${__dirname}/everyday.js`;
  const { main } = runAsModule(compile(everyday), everyday, require) as typeof import("./main.ts");
  main(words).then((code) => {
    process.exitCode = code;
  });
} else {
  again().startAgain(words);
}

function again() {
  return require(`${__dirname}/start-again.js`) as typeof import("./start-again.ts");
}
