// `heddle coverage`: each requirement with the behaviours, tasks, criteria and evidence that stand for it (D23); and `heddle
// state spec-coverage`, for scripts.
import type { Command } from "../../../command/command.ts";
import { toCall } from "../../../core/hint.ts";
import { closest, problem } from "../../../core/problem.ts";
import { Refused } from "../../../engine/app.ts";
import { oneLine } from "../../../view/safe.ts";
import { cut } from "../../../view/width.ts";
import type { Standing, TracedRequirement, TracedTask } from "../checks/trace.ts";

const signs: Readonly<Record<Standing, string>> = {
  proven: "✓",
  unproven: "!",
  open: "○",
  "without task": "✗",
};

export const traced: Command = {
  name: "coverage",
  summary: "trace each requirement to its behaviours, tasks, criteria and evidence",
  group: "look",
  args: [{ name: "requirement", about: "only this one, such as REQ-3", optional: true }],
  examples: ["heddle coverage", "heddle coverage REQ-3"],
  run: async ({ app, args }) => {
    const { traceOf } = await import("../coverage.ts");
    const all = await traceOf(await app());
    const [only] = args;
    const shown = only === undefined ? all : all.filter(({ id }) => id === only.toUpperCase());
    if (shown.length === 0 && only !== undefined) {
      const near =
        closest(
          only.toUpperCase(),
          all.map(({ id }) => id),
        ) ?? all[0]?.id;
      throw new Refused([
        problem("unknown-requirement", `the specification has no requirement \`${oneLine(only)}\``, {
          hint: near === undefined ? "number its requirements: `REQ-1: …`" : [toCall(`coverage ${near}`)],
        }),
      ]);
    }
    const counts = Object.fromEntries(
      Object.keys(signs).map((each) => [
        each.replace(" ", "_"),
        all.filter(({ standing }) => standing === each).length,
      ]),
    );
    return {
      text: [...shown.flatMap((each) => requirementLines(each)), summary(all)].join("\n"),
      json: { requirements: shown, counts },
    };
  },
};

function requirementLines({ id, text, standing, behaviours, tasks }: TracedRequirement): string[] {
  const named = behaviours.map((each) => `${each.id} ${each.name}`).join(", ");
  return [
    `${signs[standing]} ${id}  ${cut(oneLine(text), 90)}`,
    ...(named === "" ? [] : [`    ${cut(oneLine(named), 100)}`]),
    ...(tasks.length === 0 ? ["    no task"] : tasks.flatMap(taskLines)),
  ];
}

function taskLines({ id, name, status, criteria }: TracedTask): string[] {
  return [
    `    ${id}  ${cut(oneLine(name), 60)}  ${status}`,
    ...criteria.map(({ command, evidence }) => {
      const said = { none: "not run yet", "green before": "green before the work: proves nothing" }[
        evidence as string
      ];
      return `      ${said ?? evidence}: \`${cut(oneLine(command), 90)}\``;
    }),
  ];
}

function summary(all: readonly TracedRequirement[]): string {
  if (all.length === 0) return "the specification has no numbered requirements";
  const of = (standing: Standing) => all.filter((each) => each.standing === standing);
  const parts = [
    `${of("proven").length} of ${all.length} requirements proven`,
    ...(of("open").length > 0 ? [`${of("open").length} open`] : []),
    ...(of("unproven").length > 0 ? [`done without proof: ${names(of("unproven"))}`] : []),
    ...(of("without task").length > 0 ? [`without a task: ${names(of("without task"))}`] : []),
  ];
  return parts.join("; ");
}

const names = (list: readonly TracedRequirement[]) =>
  `${list
    .slice(0, 10)
    .map(({ id }) => id)
    .join(", ")}${list.length > 10 ? ", …" : ""}`;

export const coverage: Command = {
  name: "state spec-coverage",
  summary: "which tasks cover each numbered requirement of the specification",
  group: "state",
  flags: { save: { about: "record the outcome in the state" } },
  examples: ["heddle state spec-coverage", "heddle state spec-coverage --save --format json"],
  run: async ({ app, flags }) => {
    const { coverageOf } = await import("../coverage.ts");
    const found = await coverageOf(await app(), { save: flags.has("save") });
    const lines = [
      `Coverage: ${found.coverage_pct}% (${found.covered_count} of ${found.total_count})`,
      ...found.requirements.map(
        ({ id, covered_by: by, text }) =>
          `  ${by.length > 0 ? "✓" : "✗"} ${id}: ${by.join(", ") || "no task"}  ${text.slice(0, 60)}`,
      ),
    ];
    return { text: lines.join("\n"), json: found };
  },
};
