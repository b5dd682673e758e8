// `heddle doctor`: does this machine do what heddle needs?
import type { Finding } from "../../engine/finding.ts";
import { oneLine } from "../../view/safe.ts";
import { paint } from "../../view/status.ts";
import { type Command, exits } from "../command.ts";
import { demandFolder } from "../demand-folder.ts";
import { terminal } from "../terminal.ts";

const colors = { ok: 32, warn: 33, fail: 31 } as const;

export const doctor: Command = {
  name: "doctor",
  summary: "try, for real, what heddle needs here: git, journal, sandbox, disk, agents, set-up",
  group: "look",
  flags: {
    agent: {
      about: "have this agent do a small thing for real, in its box; it costs what a short answer costs",
      takes: "NAME",
      many: true,
      byHand: true,
    },
    agents: { about: "the same, with every agent that is here and has a key", byHand: true },
  },
  examples: ["heddle doctor", "heddle doctor --agent claude", "heddle doctor --agents"],
  run: async ({ root, say, flags }) => {
    demandFolder(root, "doctor");
    const { examine } = await import("../../engine/doctor.ts");
    const findings = await examine(
      root,
      (finding) => say(lines(finding)),
      flags.has("agents") ? "everybody" : flags.all("agent"),
    );
    const [failed, warned] = (["fail", "warn"] as const).map(
      (state) => findings.filter((each) => each.state === state).length,
    );
    const exit = failed ? exits.refused : warned ? exits.warned : exits.done;
    return { text: summary(failed ?? 0, warned ?? 0), json: { ok: !failed, findings }, exit };
  },
};

function lines({ state, name, what, hint }: Finding): string {
  const mark = paint(state.padEnd(4), colors[state], terminal());
  const head = `${mark}  ${oneLine(name).padEnd(12)} ${oneLine(what)}`;
  return hint === undefined ? head : `${head}\n      hint: ${oneLine(hint)}`;
}

function summary(failed: number, warned: number): string {
  if (failed > 0) return `${failed} thing${failed === 1 ? "" : "s"} must be mended first`;
  return warned > 0 ? `it works, with ${warned} warning${warned === 1 ? "" : "s"}` : "everything works";
}
