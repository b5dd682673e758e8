// What this machine has, said to another one that would give it work (`heddle carry --machine`): a quick look before orders
// are given, and everything that `heddle doctor` tries when a person asks with `--host`.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isProblem } from "../core/problem.ts";
import { tryBox } from "../doctor/box.ts";
import { type Finding, fail, ok } from "../doctor/finding.ts";
import { tryGateway } from "../doctor/gateway.ts";
import { tryClock, tryDisk, tryGit, tryNode } from "../doctor/machine.ts";
import { lookAround, namedAgent, workshopOf } from "../orders/carriers/fit.ts";
import { hintText } from "../view/hint.ts";
import type { Fitting, Looking, Seen, SeenFinding } from "../work/wire/machine-messages.ts";

interface About {
  readonly fitting: Fitting;
  readonly place: string;
}

export async function lookAtThis(looking: Looking, { fitting, place }: About): Promise<Seen> {
  const seen = await lookAround(looking, fitting, place);
  if (!looking.thorough) return seen;
  const folder = mkdtempSync(join(place, ".doctor-"));
  try {
    const bench = { root: place, heddle: folder, folder };
    const findings: Finding[] = tryNode();
    for (const trial of [tryGit, tryBox, tryGateway, tryDisk, tryClock])
      findings.push(...(await trial(bench)));
    findings.push(...(await agentFindings(looking.agents, fitting)));
    return { ...seen, findings: findings.map(plain) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function agentFindings(words: readonly string[], fitting: Fitting): Promise<Finding[]> {
  const shop = await workshopOf({ ...fitting, unconfined: true });
  if (isProblem(shop)) return [];
  return words.map((word) => {
    const made = namedAgent(word, shop);
    if (isProblem(made)) return fail(`agent ${word}`, made.message, made.hint ?? "");
    return ok(`agent ${word}`, "its program and its key are there");
  });
}

/** A hint as it would be typed there. */
const plain = ({ name, state, what, hint }: Finding): SeenFinding => ({
  ...{ name, state, what },
  ...(hint !== undefined && { hint: hintText(hint) }),
});
