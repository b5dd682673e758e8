// `heddle doctor`: does this machine do what heddle needs?

import { type Command, exits } from "../../command/command.ts";
import { demandFolder } from "../../command/demand-folder.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import type { Finding } from "../../doctor/finding.ts";
import { hintText, type Manner } from "../../view/hint.ts";
import { oneLine } from "../../view/safe.ts";
import { paint } from "../../view/status.ts";

const colors = { ok: 32, warn: 33, fail: 31 } as const;

export const doctor: Command = {
  name: "doctor",
  summary: "test what heddle needs on this machine: git, journal, sandbox, disk, agents, set-up",
  brief: "see what this machine lacks, with the command that fixes it",
  group: "look",
  flags: {
    agent: {
      about: "have this agent do a small thing for real, in its box; it costs what a short answer costs",
      takes: "NAME",
      many: true,
      byHand: true,
    },
    host: {
      about:
        "see what one of the `hosts` of .heddle/config.json lacks: ssh, heddle, git, sandbox, disk, agents",
      takes: "NAME",
      many: true,
      byHand: true,
    },
    agents: { about: "the same, with every agent that is here and has a key", byHand: true },
  },
  examples: [
    "heddle doctor",
    "heddle doctor --agent claude",
    "heddle doctor --agents",
    "heddle doctor --host build-2",
  ],
  run: async ({ root, packs, journals, say, flags, manner }) => {
    demandFolder(root, "doctor");
    const tell = (finding: Finding) => say(lines(finding, manner));
    const hosts = flags.all("host");
    const { examine } = await import("../../doctor/doctor.ts");
    const findings =
      hosts.length > 0
        ? await examineHosts(root, hosts, tell)
        : await examine(
            { root, packs, journals },
            tell,
            flags.has("agents") ? "everybody" : flags.all("agent"),
          );
    const [failed, warned] = (["fail", "warn"] as const).map(
      (state) => findings.filter((each) => each.state === state).length,
    );
    const exit = failed ? exits.refused : warned ? exits.warned : exits.done;
    return { text: summary(failed ?? 0, warned ?? 0), json: { ok: !failed, findings }, exit };
  },
};

async function examineHosts(
  root: string,
  names: readonly string[],
  tell: (finding: Finding) => void,
): Promise<Finding[]> {
  const { examineHost } = await import("../examine-host.ts");
  const found: Finding[] = [];
  for (const name of names)
    for (const each of await examineHost(root, name)) {
      found.push(each);
      tell(each);
    }
  return found;
}

function lines({ state, name, what, hint }: Finding, manner: Manner): string {
  const mark = paint(state.padEnd(4), colors[state], terminal());
  const head = `${mark}  ${oneLine(name).padEnd(12)} ${oneLine(what)}`;
  return hint === undefined ? head : `${head}\n      hint: ${oneLine(hintText(hint, manner))}`;
}

function summary(failed: number, warned: number): string {
  if (failed > 0) return `${failed} thing${failed === 1 ? "" : "s"} must be fixed first`;
  return warned > 0 ? `it works, with ${warned} warning${warned === 1 ? "" : "s"}` : "everything works";
}
