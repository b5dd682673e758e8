// The room of what is tried on a machine before it is relied on. It may start programs and write into scratch folders that it
// removes; it changes neither the journal nor the project.
//
// `heddle doctor`: tries what heddle needs on this machine and in this project, for real: it merges, writes, boxes. What
// a version says is only shown beside what was seen.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { toCall } from "../core/hint.ts";
import type { Opening } from "../engine/app.ts";
import { pathsIn } from "../engine/paths.ts";
import { isThere, remove } from "../host/files.ts";
import { StoreFailure } from "../journal/journal.ts";
import { askAgent, askable, tryAgents } from "./agents.ts";
import { tryBox } from "./box.ts";
import { type Finding, fail, type TestBed } from "./finding.ts";
import { tryGateway } from "./gateway.ts";
import { tryClock, tryDisk, tryGit, tryJournal, tryNode } from "./machine.ts";
import { distrustWork, tryGitSettings, tryPlan, trySettings, trySetUp, tryTarget } from "./project.ts";

type Trial = (bench: TestBed) => Finding[] | Promise<Finding[]>;

const trials: readonly (readonly [string, Trial])[] = [
  ["node", tryNode],
  ["git", tryGit],
  ["journal", tryJournal],
  ["sandbox", tryBox],
  ["gateway", tryGateway],
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
  opening: Opening,
  tell: (finding: Finding) => void,
  /** Agents that are asked something for real: these, or everybody. */
  asked: readonly string[] | "everybody" = [],
): Promise<Finding[]> {
  const { root } = opening;
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
    const bench = { ...opening, heddle, folder };
    await distrustWork(opening);
    for (const [name, trial] of trials) say(await tried(name, trial, bench));
    for (const word of asked === "everybody" ? askable(bench) : asked)
      say(await tried(`ask ${word}`, async () => [await askAgent(word, bench)], bench));
  } finally {
    remove(folder);
  }
  return found;
}

async function tried(name: string, trial: Trial, bench: TestBed): Promise<Finding[]> {
  try {
    return await trial(bench);
  } catch (error) {
    const problems = (error as { problems?: readonly { message: string; hint?: string }[] }).problems;
    if (problems) return problems.map((each) => fail(name, each.message, each.hint ?? toCall("help")));
    if (error instanceof StoreFailure)
      return [fail(name, error.problem.message, error.problem.hint ?? toCall("help"))];
    return [fail(name, (error as Error).message.split("\n")[0] ?? "", "HEDDLE_DEBUG=1 heddle status")];
  }
}
