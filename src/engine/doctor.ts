// `heddle doctor`: tries what heddle needs on this machine and in this project, for real: it merges, writes, boxes. What
// a version says is only shown beside what was seen.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { isThere, remove } from "../host/files.ts";
import { askAgent, askable, tryAgents } from "./doctor-agents.ts";
import { tryBox } from "./doctor-box.ts";
import { tryClock, tryDisk, tryGit, tryJournal, tryNode } from "./doctor-machine.ts";
import { tryGitSettings, tryPlan, trySettings, trySetUp, tryTarget } from "./doctor-project.ts";
import { type Bench, type Finding, fail } from "./finding.ts";
import { pathsIn } from "./paths.ts";

type Trial = (bench: Bench) => Finding[] | Promise<Finding[]>;

const trials: readonly (readonly [string, Trial])[] = [
  ["node", tryNode],
  ["git", tryGit],
  ["journal", tryJournal],
  ["sandbox", tryBox],
  ["disk", tryDisk],
  ["clock", tryClock],
  ["project", tryPlan],
  ["target", tryTarget],
  ["agents", tryAgents],
  ["settings", trySettings],
  ["set-up", trySetUp],
  ["git settings", tryGitSettings],
];

/** One trial that cannot even be made does not keep the others from being made. */
export async function examine(
  root: string,
  tell: (finding: Finding) => void,
  /** Agents that are asked something for real: these, or everybody. */
  asked: readonly string[] | "everybody" = [],
): Promise<Finding[]> {
  const { heddle } = pathsIn(root);
  const found: Finding[] = [];
  const say = (findings: readonly Finding[]) => {
    found.push(...findings);
    for (const each of findings) tell(each);
  };
  const place = isThere(heddle) ? heddle : root;
  let folder: string;
  try {
    folder = mkdtempSync(join(place, ".heddle-doctor-"));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    say([fail("folder", `\`${place}\` cannot be written (${code})`, `ls -ld ${place}`)]);
    return found;
  }
  try {
    const bench = { root, heddle, folder };
    for (const [name, trial] of trials) say(await tried(name, trial, bench));
    for (const word of asked === "everybody" ? askable(bench) : asked)
      say(await tried(`ask ${word}`, async () => [await askAgent(word, bench)], bench));
  } finally {
    remove(folder);
  }
  return found;
}

async function tried(name: string, trial: Trial, bench: Bench): Promise<Finding[]> {
  try {
    return await trial(bench);
  } catch (error) {
    const problems = (error as { problems?: readonly { message: string; hint?: string }[] }).problems;
    if (problems) return problems.map((each) => fail(name, each.message, each.hint ?? "heddle help"));
    return [fail(name, (error as Error).message.split("\n")[0] ?? "", "HEDDLE_DEBUG=1 heddle status")];
  }
}
