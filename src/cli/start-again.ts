// On a Node that is too old: starts heddle with the one that is installed beside it, or says what to type.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const places = ["../node_modules/node/bin/node", "../../node/bin/node"];

export function startAgain(words: readonly string[]): void {
  const node = places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((place) => existsSync(place));
  if (!node) {
    console.error(`error: heddle needs Node 24.16 or newer, this is ${process.versions.node}`);
    console.error("hint: npx -p node@24 -p heddle heddle");
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [process.argv[1] ?? "", ...words], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both: what it means is the child's to decide.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = signal === "SIGINT" ? 130 : signal ? 143 : (code ?? 1);
  });
}
