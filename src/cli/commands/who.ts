// `heddle who`: who would work on what, and where that was said.
import type { Assignment } from "../../engine/who.ts";
import { agentFlags } from "../agent-flags.ts";
import type { Command } from "../command.ts";
import { demandFolder } from "../demand-folder.ts";

export const who: Command = {
  name: "who",
  summary:
    "show who would work in which phase and role, with which model and limits, and which setting says so",
  group: "look",
  flags: { agent: agentFlags.agent },
  examples: ["heddle who", "heddle who --agent codex"],
  run: async ({ root, flags }) => {
    demandFolder(root, "who");
    const { assignments } = await import("../../engine/who.ts");
    const all = assignments(root, flags.one("agent"));
    return { text: text(all), json: all };
  },
};

function text(all: readonly Assignment[]): string {
  const rows = all.map((each) => ({ ...each, cells: cellsOf(each) }));
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map(({ cells }) => cells[at]?.length ?? 0)));
  const protocols = [...new Set(all.map(({ protocol }) => protocol))];
  const lines = protocols.flatMap((protocol) => [
    protocol,
    ...rows
      .filter((row) => row.protocol === protocol)
      .map(({ cells }) => `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd()),
  ]);
  const missing = new Map(all.flatMap(({ missing: each }) => (each ? [[each.what, each.hint]] : [])));
  const nobody = all.every(({ agent }) => agent === null);
  const hints = [...(nobody ? [...missing].slice(0, 1) : missing)].map(
    ([what, hint]) => `${what}\n  hint: ${hint}`,
  );
  return [...lines, ...hints].join("\n");
}

function cellsOf({ phase, role, tag, agent, model, effort, fallback, limits, why }: Assignment): string[] {
  const with_ = [model, effort].filter((each) => each !== null).join(", ");
  const limited = Object.entries(limits).map(([name, value]) => `${name} ${value}`);
  const said = [
    ...new Set(Object.entries(why).flatMap(([what, where]) => (what === "fallback" ? [] : [where]))),
  ];
  return [
    `${phase ?? "any"}`,
    `${role}${tag === null ? "" : ` #${tag}`}`,
    `${agent ?? "nobody"}${with_ && ` (${with_})`}`,
    [
      said.join(", "),
      ...(fallback.length > 0 ? [`then ${fallback.join(", ")} (${why.fallback})`] : []),
      ...limited,
    ]
      .filter((each) => each !== "")
      .join("; "),
  ];
}
