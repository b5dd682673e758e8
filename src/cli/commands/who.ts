// `heddle who`: who would work on what, and where that was said.

import { join } from "node:path";
import { agentFlags } from "../../command/agent-flags.ts";
import type { Call, Command } from "../../command/command.ts";
import { demandFolder } from "../../command/demand-folder.ts";
import { pathsIn } from "../../engine/paths.ts";
import { readIfThere } from "../../host/files.ts";
import { StoreFailure } from "../../journal/journal.ts";
import { oneLine } from "../../view/safe.ts";
import type { Assignment } from "../../watch/who.ts";

export const who: Command = {
  name: "who",
  summary:
    "show who would work in which phase and role, with which model and limits, and which setting says so",
  group: "look",
  flags: { agent: agentFlags.agent },
  examples: ["heddle who", "heddle who --agent codex"],
  run: async (call) => {
    const { root, flags } = call;
    demandFolder(root, "who");
    const { assignments } = await import("../../watch/who.ts");
    const { allProtocols } = await import("../../packs/load.ts");
    const all = assignments(root, Object.values(await allProtocols()), flags.one("agent"));
    return {
      text: [text(all), ...(await machineLines(call)), ...(await workerLines(root))].join("\n"),
      json: all,
    };
  },
};

/** Where it would be worked on, and who coordinates that now. */
async function machineLines({ root, journals, app }: Call): Promise<string[]> {
  const { hostLines } = await import("../../watch/who.ts");
  const { coordinatingLines } = await import("../../watch/coordinators.ts");
  try {
    const lines = (await journals.has(root)) ? await coordinatingLines((await app()).journal) : [];
    return [...hostLines(root), ...lines];
  } catch (error) {
    // Who would work is said without the journal as well.
    if (error instanceof StoreFailure)
      return [...hostLines(root), `who coordinates is not known: ${error.message}`];
    throw error;
  }
}

/** Workers that are there now, where the configuration takes any. */
async function workerLines(root: string): Promise<string[]> {
  const { heddle } = pathsIn(root);
  if (!readIfThere(join(heddle, "config.json"))?.includes('"workers"')) return [];
  const { readConfig } = await import("../../orders/config.ts");
  const { workers, journal } = readConfig(heddle);
  if (!workers || journal === undefined) return [];
  const { workersAt } = await import("../../queue/list.ts");
  const found = await workersAt(journal);
  if (typeof found === "string") return [`workers: ${found}`];
  if (found.length === 0) return ["no worker is there: heddle worker starts one"];
  return found.map(({ name, card: { slots, labels, version, host } }) => {
    const tags = labels.length > 0 ? ` [${labels.join(", ")}]` : "";
    return oneLine(`worker ${name}${tags}: ${slots} slots on ${host}, heddle ${version}`);
  });
}

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
  const pays = new Map(all.flatMap(({ agent, pays: by }) => (agent && by ? [[agent, by]] : [])));
  return [...lines, ...[...pays].map(([agent, by]) => `${agent} asks its model with ${by}`), ...hints].join(
    "\n",
  );
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
    `${agent ?? "no agent"}${with_ && ` (${with_})`}`,
    [
      said.join(", "),
      ...(fallback.length > 0 ? [`then ${fallback.join(", ")} (${why.fallback})`] : []),
      ...limited,
    ]
      .filter((each) => each !== "")
      .join("; "),
  ];
}
