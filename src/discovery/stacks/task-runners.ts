// Commands that a project gives names to beside its stack: targets of a Makefile, recipes of a justfile, hooks of
// pre-commit. Only names from our own list are taken, so no text of a stranger becomes part of a command.
import type { Command, Purpose, Setup } from "../project-context.ts";
import { commandOf, firstOf, type Module } from "./module.ts";

const purposes: readonly (readonly [Purpose | "setup", readonly string[]])[] = [
  ["test", ["test", "tests", "check-test", "unit-test", "test-unit", "unittest"]],
  ["lint", ["lint", "clippy", "vet"]],
  ["format", ["fmt-check", "format-check", "check-format", "format", "fmt"]],
  ["types", ["typecheck", "type-check", "types", "mypy"]],
  ["build", ["build", "compile", "all"]],
  ["check", ["check", "verify", "ci"]],
  ["setup", ["setup", "bootstrap", "deps", "install-deps", "dependencies", "install-dev"]],
];

export interface RunnerFinding {
  readonly commands: Command[];
  readonly setup: Setup[];
}

export function findTaskRunners(module: Module): RunnerFinding {
  const found: RunnerFinding = { commands: [], setup: [] };
  const makefile = firstOf(module, ["GNUmakefile", "Makefile", "makefile"]);
  if (makefile !== undefined) addTargets(module, found, { file: makefile, tool: "make" });
  const justfile = firstOf(module, ["justfile", "Justfile", ".justfile"]);
  if (justfile !== undefined) addTargets(module, found, { file: justfile, tool: "just" });
  if (module.has(".pre-commit-config.yaml"))
    found.commands.push(
      commandOf(module, "lint", {
        run: "pre-commit run --all-files",
        file: ".pre-commit-config.yaml",
        declared: true,
      }),
    );
  return found;
}

function addTargets(
  module: Module,
  found: RunnerFinding,
  { file, tool }: { file: string; tool: string },
): void {
  const targets = targetsIn(module.text(file) ?? "", tool);
  for (const [purpose, names] of purposes)
    for (const name of names.filter((each) => targets.has(each))) {
      const does = targets.get(name) ?? "";
      const run = `${tool} ${name}`;
      if (purpose === "setup") {
        found.setup.push({ run, cwd: module.root, lock_file: null, found_in: module.at(file) });
        break;
      }
      const offer = { run, file, where: name, declared: true, ...(does === "" ? {} : { does }) };
      found.commands.push(commandOf(module, purpose, offer));
      break;
    }
}

/** Every target or recipe at the start of a line, with the first line of what it does. `a := b` is a variable. */
function targetsIn(text: string, tool: string): Map<string, string> {
  const targets = new Map<string, string>();
  const lines = text.split("\n", 20_000);
  for (const [at, line] of lines.entries()) {
    const colon = line.indexOf(":");
    if (!/^@?[A-Za-z]/.test(line) || colon < 0 || /^::?=/.test(line.slice(colon, colon + 3))) continue;
    const words = line.slice(0, colon).trim().split(/\s+/);
    const next = lines[at + 1] ?? "";
    const does = /^[ \t]/.test(next) ? next.trim().replace(/^[@-]+/, "") : "";
    // What follows the name of a recipe are its parameters; what follows a target are more targets.
    for (const name of tool === "just" ? words.slice(0, 1) : words) {
      const bare = name.replace(/^@/, "");
      if (!targets.has(bare)) targets.set(bare, does);
    }
  }
  return targets;
}
