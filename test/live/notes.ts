// A scripted model that knows the example: in each role it hands in what the example's author wrote, with the tools that a
// real model would use.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { example, sources } from "../plan/rig.ts";
import { bash, heddleTool, inTurn, orderIn, read, resultOf, write } from "./answers.ts";
import type { Script } from "./model.ts";

const text = (path: string) => readFileSync(join(example, path), "utf8");
const steps: Record<string, Record<string, string>> = JSON.parse(text("solution/steps.json"));
const judgement = { verdict: "PASS", recommendation: "PROCEED", criteria: [], reasons: [] };

type Role = keyof typeof sources;

export function notes(target: string): Script {
  return (asked) => {
    const { role, bundle, output } = orderIn(asked);
    if (role === "task-executor") return executed(asked);
    const written =
      role === "task-verifier"
        ? [write(output, JSON.stringify(judgement))]
        : handedIn(role as Role, output, target);
    return inTurn(asked.step, [[read(bundle)], written], "done");
  };
}

function handedIn(role: Role, output: string, target: string) {
  const source = sources[role];
  if (source.endsWith(".json")) return [write(output, text(source).replaceAll("@TARGET@", target))];
  return readdirSync(join(example, source)).map((name) =>
    write(join(output, name), text(join(source, name))),
  );
}

/** Reads what is there, writes the step's files, runs their tests, and proposes them. */
const executed: Script = (asked) => {
  const { task, bundle, workspace, output, hasTools } = orderIn(asked);
  const { files } = JSON.parse(text(`tasks/${task}.json`)) as {
    files: readonly { readonly path: string; readonly action: string }[];
  };
  const of = (action: string) => files.filter((file) => file.action === action).map(({ path }) => path);
  const [created, modified] = [of("create"), of("modify")];
  const written = Object.entries(steps[task] ?? {}).map(([path, own]) =>
    write(join(workspace, path), own === "final" ? text(join("solution", path)) : own),
  );
  const proposed = hasTools
    ? heddleTool("complete_task", { created, modified })
    : write(output, resultOf(task, created, modified));
  const turns = [
    [read(bundle), ...modified.map((path) => read(join(workspace, path)))],
    written,
    [bash("node --test")],
    [proposed],
  ];
  return inTurn(asked.step, turns, `${task}: SUCCESS`);
};
