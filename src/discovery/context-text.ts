// A project's context as a person confirms it: about 25 lines, each a finding. Everything in a context is fit to be
// shown; lines are only cut to a width.

import { importText } from "./integration.ts";
import type { Package } from "./packages.ts";
import type { Command, ProjectContext } from "./project-context.ts";
import { setUpText } from "./set-up-steps.ts";

const width = 110;
const label = 14;

export function contextText(context: ProjectContext): string {
  const { structure, source_layout, test_layout } = context;
  const incomplete = structure.complete ? "" : ", more are not seen";
  const by = structure.listed_by === "git" ? "git, without what .gitignore names" : "a walk";
  const lines = [
    row("directory", context.target_dir),
    row("project", `${context.project_type}, ${structure.files} files (${by}${incomplete})`),
    row("stack", context.stack),
    row(
      "languages",
      context.languages.slice(0, 5).map(({ language, files }) => `${language} ${files}`),
    ),
    row("sources", source_layout.summary),
    row("tests", test_layout.summary),
    row("shared tests", test_layout.shared.slice(0, 3)),
    row("configuration", shortList(context.config_files, 6)),
    ...purposes.map(([purpose, name]) => row(name, commandsOf(context.commands, purpose))),
    row("set-up", setUpText(context)),
    row("dependencies", dependencyText(context)),
    row(
      "entry points",
      shortList(
        context.entry_points.map(({ path }) => path),
        4,
      ),
    ),
    row(
      "workspaces",
      shortList(
        context.workspaces.map(({ path }) => path),
        4,
      ),
    ),
    row("tested with", context.test_framework ?? ""),
    ...(context.packages ?? []).slice(0, 8).map(packageRow),
    row("names", context.naming.map(namingText)),
    row(
      "imports",
      context.imports.map((each) => `${each.language}: ${importText(each)}`),
    ),
    row(
      "samples",
      context.samples.map(({ path }) => path),
    ),
    ...context.notes.slice(0, 4).map((note) => row("note", note)),
    ...(context.notes.length > 4 ? [row("note", `${context.notes.length - 4} more`)] : []),
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

const purposes = [
  ["test", "test"],
  ["lint", "lint"],
  ["format", "format"],
  ["types", "types"],
  ["check", "check"],
  ["build", "build"],
] as const;

/** Nothing when there is nothing to say. */
function row(name: string, value: string | readonly string[]): string {
  const text = typeof value === "string" ? value : value.join(", ");
  if (text === "") return "";
  const line = `${name.padEnd(label)}${text}`;
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

function shortList(items: readonly string[], most: number): string {
  const rest = items.length - most;
  return items.slice(0, most).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function commandsOf(commands: readonly Command[], purpose: Command["purpose"]): string {
  const own = commands.filter((command) => command.purpose === purpose);
  const declared = own.filter((command) => command.declared);
  const shown = (declared.length > 0 ? declared : own).slice(0, 2);
  return shown
    .map((command) => {
      const { run, cwd, found_in, declared: says } = command;
      const place = cwd === "." ? "" : ` in ${cwd}/`;
      return `${run}${place} (${says ? found_in : `usual: ${found_in}`})${markText(command)}`;
    })
    .join(", ");
}

function markText({ network, changes_files: changes, on_base: seen }: Command): string {
  const marks = [network && "needs network", changes && "changes files", seen && `${seen} on the base`];
  const said = marks.filter(Boolean).join(", ");
  return said === "" ? "" : ` [${said}]`;
}

function packageRow({ path, stack, test_framework: tests, commands }: Package): string {
  const test = commands.find(({ purpose }) => purpose === "test");
  const parts = [stack, test === undefined ? "no test command" : `${test.run}${markText(test)}`, tests ?? ""];
  return row("package", `${path}: ${parts.filter((part) => part !== "").join(", ")}`);
}

function dependencyText({ dependencies }: ProjectContext): string {
  const names = dependencies.map(({ name, version }) => (version === null ? name : `${name} ${version}`));
  return shortList(names, 6);
}

function namingText({ language, files, functions }: ProjectContext["naming"][number]): string {
  const parts = [
    ...(files === null ? [] : [`files ${files.style}`]),
    ...(functions === null ? [] : [`functions ${functions.style}`]),
  ];
  return `${language}: ${parts.join(", ")}`;
}
