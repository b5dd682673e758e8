// A person's corrections of what was found, a line each: `test: npm run unit`, `lint: -`, `packages/api test: make test`,
// `note: the old API stays`. Typed on a terminal, or written into `inputs/findings.txt` (D26).
import type { Command, ProjectContext } from "./project-context.ts";

import { byPerson } from "./set-up-steps.ts";

const purposes = ["test", "lint", "format", "types", "build", "check"] as const;
const form = /^(?:(\S+)\s+)?(test|lint|format|types|build|check|set-up|stack|note)\s*:\s*(.*)$/i;

export interface Corrected {
  readonly context: ProjectContext;
  /** Lines that say nothing that is known here. */
  readonly unknown: readonly string[];
  /** Whether a line was about set-up, which the configuration must then say. */
  readonly isSetUp: boolean;
}

export function corrected(context: ProjectContext, text: string): Corrected {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const unknown: string[] = [];
  let now = context;
  for (const line of lines.slice(0, 200)) {
    if (line === "" || line.startsWith("#")) continue;
    const next = correctedBy(now, line);
    if (next) now = next;
    else unknown.push(line);
  }
  return { context: now, unknown, isSetUp: now.setup !== context.setup };
}

/** What is shown and is not a command: told to planners in the person's words, and in its own place where that is one text. */
const shown =
  /^(tested with|sources|tests|shared tests|languages|configuration|dependencies|entry points|workspaces|names|imports|samples|package)\s*:\s*(\S.*)$/i;

function told(context: ProjectContext, line: string): ProjectContext | undefined {
  const [, label = "", value = ""] = shown.exec(line) ?? [];
  const name = label.toLowerCase();
  if (name === "") return undefined;
  const text = value === "-" ? "none" : value;
  const now = { ...context, notes: [`a person says: ${name}: ${text}`, ...context.notes] };
  if (name === "tested with") return { ...now, test_framework: value === "-" ? null : value };
  if (name === "sources") return { ...now, source_layout: { ...now.source_layout, summary: text } };
  if (name === "tests") return { ...now, test_layout: { ...now.test_layout, summary: text } };
  return now;
}

function correctedBy(context: ProjectContext, line: string): ProjectContext | undefined {
  const [, place = ".", label = "", value = ""] = form.exec(line) ?? [];
  const word = label.toLowerCase();
  if (word === "") return told(context, line);
  const isGone = value === "-" || value === "";
  if (word === "note") return { ...context, notes: [`a person says: ${value}`, ...context.notes] };
  if (word === "stack") return { ...context, stack: value };
  if (word === "set-up") {
    const step = { run: value, cwd: place, lock_file: null, found_in: byPerson };
    if (!/^[\w./-]+$/.test(place)) return undefined;
    const rest = context.setup.filter(({ cwd }) => cwd !== place);
    return { ...context, setup: isGone ? rest : [...rest, step] };
  }
  const purpose = purposes.find((each) => each === word);
  if (!purpose) return undefined;
  const said: Command = { purpose, run: value, cwd: place, found_in: byPerson, declared: true };
  const replaced = (commands: readonly Command[]) => [
    ...(isGone ? [] : [said]),
    ...commands.filter((each) => each.purpose !== purpose || each.cwd !== place),
  ];
  const packages = context.packages?.map((each) =>
    each.path === place ? { ...each, commands: replaced(each.commands) } : each,
  );
  return { ...context, commands: replaced(context.commands), ...(packages && { packages }) };
}
