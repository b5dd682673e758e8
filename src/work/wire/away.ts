// An order carried out away from the project: in a folder of the carrying process's own, with a repository of its own. What
// the order needs of the project's files comes with it, and what people want to see later goes back; commits are fetched
// from the project's repository and given back to it. Nothing else of the project is seen.
import { dirname, join } from "node:path";
import type { Outcome } from "../../core/input.ts";
import { fetchCommits, giveCommit, openExchange } from "../../host/exchange.ts";
import { isThere, makeFolder, placeFile } from "../../host/files.ts";
import type { Repository } from "../../host/git/repository.ts";
import { isWithin, readHandedIn, walkHandedIn } from "../../host/handed-in.ts";
import { missingCommits, sharedRef } from "../../host/packs.ts";
import { putRefs, takeRefs } from "../../host/remote.ts";
import type { Carried, WorkOrder } from "../order.ts";

/** Stands for the carrying process's folder in everything that is said. */
export const placeMark = "%place%";

export interface Away {
  /** The project's repository, to fetch from and to give back to. */
  readonly origin: string;
  readonly commits: readonly string[];
  /** Files that must lie there before, by their paths. */
  readonly files: Readonly<Record<string, string>>;
  /** Where `origin` is a remote that both sides reach: the refs that commits have there. */
  readonly refs?: RemoteRefs;
}

/** Refs of a remote that one order uses. */
export interface RemoteRefs {
  /** What the commits that it needs are named under, each by its own name. */
  readonly bases: string;
  /** Where what was made is put. */
  readonly made: string;
}

export interface Kept {
  readonly path: string;
  readonly text: string;
}

/** Orders of attempts at tasks; roles' are in `away-role.ts`. */
export type AwayOrder = Extract<WorkOrder, { readonly repository: Repository }>;

/** How commits get there and back. */
export interface Transport {
  readonly fetch: (repository: Repository, commits: readonly string[]) => Promise<void>;
  readonly give: (repository: Repository, made: MadeCommit) => Promise<void>;
}

export interface MadeCommit {
  readonly commit: string;
  /** The ref that keeps it at home: `refs/heddle/<run>/<name>`. */
  readonly run: string;
  readonly name: string;
}

/** By git itself, where the project's repository can be seen. */
export const byFile = ({ origin }: Away): Transport => ({
  fetch: (repository, commits) => fetchCommits(repository, origin, commits),
  give: (repository, { commit, run, name }) =>
    giveCommit(repository, origin, { commit, ref: `refs/heddle/${run}/${name}` }),
});

/** By a remote that both sides reach, over the network or not. */
export const byRemote = ({ origin }: Away, refs: RemoteRefs): Transport => ({
  fetch: async (repository, commits) => {
    const missing = await missingCommits(repository, commits);
    const named = missing.map((commit) => ({ ref: `${refs.bases}${commit}`, into: sharedRef(commit) }));
    await takeRefs(repository, origin, named);
    if ((await missingCommits(repository, missing)).length > 0)
      throw new Error("the remote has another commit than its ref says");
  },
  give: (repository, { commit }) => putRefs(repository, origin, [{ commit, ref: refs.made }]),
});

/** The order as it is meant here, once all that it needs is here. */
export async function arrive(
  order: AwayOrder,
  away: Away,
  { place, transport }: { readonly place: string; readonly transport: Transport },
): Promise<AwayOrder> {
  for (const [path, text] of Object.entries(away.files))
    if (isWithin(place, path)) placeFile(place, path.slice(place.length + 1), text);
  if ("resultFile" in order) makeFolder(dirname(order.resultFile));
  const repository = await openExchange(place, order.repository);
  await transport.fetch(repository, away.commits);
  return { ...order, repository };
}

/** Gives back what was made, and says what is to be kept. */
export async function leave(order: AwayOrder, { outcome }: Carried, transport: Transport): Promise<Kept[]> {
  const made = madeBy(order, outcome);
  if (made) await transport.give(order.repository, made);
  return keptOf(order);
}

/** What an order made of a commit, and the ref under which home keeps it. */
export function madeBy(order: AwayOrder, outcome: Outcome): MadeCommit | undefined {
  if (!outcome.ok || !("run" in order)) return undefined;
  const { run, def, attempt } = order;
  const name = `${def.id}-${attempt}`;
  if (outcome.work) return { commit: outcome.work.commit, run, name };
  if (outcome.candidate) return { commit: outcome.candidate.commit, run, name: `${name}-merge` };
  return undefined;
}

/** The agent's own folders, and its secret, stay. */
export const stays = /^(?:work|home|tmp|setups|room[^/]*|door|[^/]*\/(?:work|home))\/|^index|(?:^|\/)token$/;
const bounds = { depth: 4, most: 5000 };
const mostCharacters = 1024 * 1024;

function keptOf(order: AwayOrder): Kept[] {
  const { folder } = order.folder;
  const own = walkHandedIn(folder, bounds).filter((path) => !stays.test(path));
  const paths = [
    ...own.map((path) => join(folder, path)),
    ...("resultFile" in order ? [order.resultFile] : []),
  ];
  return paths.filter(isThere).flatMap((path) => {
    const read = readHandedIn(path, { most: mostCharacters });
    return "text" in read ? [{ path, text: read.text }] : [];
  });
}
