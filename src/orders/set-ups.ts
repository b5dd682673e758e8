// Whose set-up it is: what the person wrote or what was merged has one for everybody, with the network that the
// configuration gives set-ups; what an attempt may have changed has its own, with the network that its agent has.
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { App } from "../engine/app.ts";
import { narrower, type Reach } from "../gateway/reach.ts";
import type { Sandbox } from "../host/program/sandbox.ts";
import type { AttemptFolder } from "../work/attempt-folder.ts";
import type { SetUp } from "../work/set-up/provide.ts";
import { registriesWord } from "../work/set-up/registries.ts";
import { type BoxChoice, usable } from "./box.ts";
import { benchFor } from "./config.ts";

interface Project {
  readonly app: App;
  readonly config: Config;
  readonly box: BoxChoice;
}

/** Null where the person said that none is needed; throws where one is needed and there is none. */
export function sandboxOf(box: BoxChoice): Sandbox | null {
  const found = usable(box);
  return found.kind === "boxed" ? found.sandbox : null;
}

export function setUpOf({ app, config, box }: Project): SetUp {
  return {
    commands: config.setup,
    reads: config.setupReads,
    bench: benchFor(config, sandboxOf(box)),
    network: config.network?.setup ?? [registriesWord],
    cache: join(app.paths.heddle, "setup"),
    attempt: null,
  };
}

export interface Changes {
  /** Commits that hold nothing of an open attempt's. */
  readonly trusted: readonly (string | null)[];
  /** Whoever may have changed something. */
  readonly agents: readonly string[];
  readonly folder: AttemptFolder;
}

/** Of a tree with changes of attempts that are not merged. */
export function setUpFor(project: Project, { trusted, agents, folder }: Changes): SetUp {
  const { config } = project;
  const network =
    config.network?.changedSetup ??
    agents.map((agent) => reachOf(config, agent)).reduce((one, other) => narrower(one, other), true);
  const commits = trusted.filter((commit) => commit !== null);
  return { ...setUpOf(project), attempt: { trusted: commits, network, folder: folder.setUps } };
}

/** What an agent may reach beside its model, by the word that names it. */
function reachOf({ agents, network }: Config, word: string): Reach {
  const [kind = ""] = word.split(":");
  const set = agents?.[word] ?? (agents?.[kind]?.kind === kind ? agents[kind] : undefined);
  const reach = set?.network ?? network?.agents ?? true;
  return reach === "model" ? false : reach;
}
