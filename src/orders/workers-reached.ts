// Workers of a run, from the configuration: the queue that they are reached by, and the git remote between them and this machine.
// Loaded only where workers are configured.
import type { Config } from "../config/config.ts";
import type { Beside } from "../engine/drive.ts";
import { textDigest } from "../host/digest.ts";
import type { Repository } from "../host/git/repository.ts";
import type { Lodging } from "../work/wire/machine-messages.ts";
import { Dispatch } from "./carriers/dispatch.ts";
import { Remote } from "./carriers/queue.ts";

export interface WorkersReached {
  readonly dispatch: Dispatch;
  readonly remote: Remote;
  readonly lodging: Lodging;
  /** Who joins and leaves while the run goes on. */
  readonly beside: Beside;
  readonly leave: () => Promise<void>;
}

export interface WorkersWanted {
  readonly config: Config;
  readonly version: string;
  readonly repository: Repository;
}

/** Nothing where the configuration takes no workers. Throws a sentence where the queue or the remote cannot be used. */
export async function reachWorkers({
  config,
  version,
  repository,
}: WorkersWanted): Promise<WorkersReached | undefined> {
  const { workers, journal } = config;
  if (!workers || journal === undefined) return undefined;
  const dispatch = await Dispatch.open({ address: journal, version });
  // The same for every coordinator of the project, wherever it is.
  const project = textDigest(journal.replace(/^[^@]*@/, "")).slice(0, 32);
  const remote = new Remote(workers.remote, { project, coordinator: dispatch.id });
  try {
    await remote.clear(repository, await dispatch.coordinators());
  } catch (error) {
    await dispatch.close();
    throw error;
  }
  const leave = async () => {
    await remote.close();
    await dispatch.close();
  };
  return { dispatch, remote, lodging: { project }, beside: besideOf(dispatch), leave };
}

function besideOf(dispatch: Dispatch): Beside {
  let isTelling = false;
  return {
    follow: (_run, tell) => {
      if (isTelling) return undefined;
      isTelling = true;
      return () => dispatch.tellBy(tell);
    },
    isUnderway: () => false,
    stop: async () => {},
  };
}
