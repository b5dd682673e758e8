// Orders carried out away from the project, by a process that stands in another folder and is told nothing of the project's
// own: files and commits go with the order and come back. `HEDDLE_CARRY=/a/folder` has it so; the tests prove by it that an
// order is enough.
import { join } from "node:path";
import { isPlainFile, isThere, makeFolder, replaceFile } from "../../host/files.ts";
import { checkOut, removeWorkspace } from "../../host/git/workspace.ts";
import { isWithin, readRecord } from "../../host/handed-in.ts";
import type { Carried, WorkOrder } from "../../work/order.ts";
import { type Away, type AwayOrder, type Kept, placeMark } from "../../work/wire/away.ts";
import { filesIn, isAwayRole } from "../../work/wire/away-role.ts";
import type { Wrapping } from "./process.ts";

/** What of the project has another place there. */
export interface Home {
  /** heddle's own folder. */
  readonly heddle: string;
  readonly planningDir: string;
}

const quoted = (text: string) => JSON.stringify(text).slice(1, -1);

/** Between the project's places and those of whoever carries an order out. */
export function wrapping({ heddle, planningDir }: Home): Wrapping {
  const pairs = [
    [quoted(planningDir), `${placeMark}/planning`],
    [quoted(heddle), placeMark],
  ] as const;
  return {
    out: (order) => ("repository" in order ? awayFor(order) : awayForRole(order, [heddle, planningDir])),
    there: (line) => pairs.reduce((text, [here, there]) => text.replaceAll(here, there), line),
    back: (line) => pairs.reduce((text, [here, there]) => text.replaceAll(there, here), line),
    keep: (kept) => keep({ heddle, planningDir }, kept),
    after: copyAtHome,
  };
}

/** What goes to another machine. What can only be carried out at home is a mistake of whoever gave it. */
export function forMachine(
  order: WorkOrder,
  { out }: Wrapping,
): { readonly order: AwayOrder; readonly away: Away } {
  const away = out(order);
  if (!away || !("repository" in order))
    throw new Error(`bug: \`${order.kind}\` cannot be carried out elsewhere`);
  // Where what comes back is kept.
  makeFolder(order.folder.folder);
  return { order, away };
}

function awayFor(order: AwayOrder): Away {
  const { gitDir } = order.repository;
  return { origin: gitDir, commits: commitsOf(order), files: filesOf(order) };
}

/** With what it may read of heddle's own and of the run's documents, and what the attempt before handed in. */
function awayForRole(order: WorkOrder, own: readonly string[]): Away | undefined {
  if (!isAwayRole(order)) return undefined;
  const given = [...order.readable, ...(order.before === undefined ? [] : [order.before])];
  const paths = given.filter((path) => own.some((folder) => isWithin(folder, path)));
  const files = paths.flatMap(filesIn).map((path) => [path, readRecord(path) ?? ""] as const);
  return { origin: "", commits: [], files: Object.fromEntries(files) };
}

function commitsOf(order: AwayOrder): string[] {
  const trusted = "setUp" in order ? (order.setUp.attempt?.trusted ?? []) : [];
  switch (order.kind) {
    case "run-checks":
      return [...trusted, ...(order.commit === undefined ? [] : [order.commit])];
    case "check-baseline":
      return [...trusted, order.commit];
    case "prepare-merge":
      return [order.base, order.work.commit, order.onto, ...(order.earlier === null ? [] : [order.earlier])];
    default:
      return [...trusted, order.base];
  }
}

/** Its bundle, and what it may read of heddle's own: the change of the attempt before. */
function filesOf(order: AwayOrder): Record<string, string> {
  const { bundle, folder } = order.folder;
  const readable = "readable" in order ? order.readable.filter((path) => path.endsWith("/change.patch")) : [];
  const before = readable.filter((path) => isWithin(join(folder, ".."), path));
  const files = [bundle, ...before]
    .filter(isPlainFile)
    .map((path) => [path, readRecord(path) ?? ""] as const);
  return Object.fromEntries(files);
}

/** Only where attempts lie, or results are kept: whoever carries an order out says no more than that. */
function keep({ heddle, planningDir }: Home, { path, text }: Kept): void {
  const folder = join(path, "..");
  const isOwn = [join(heddle, "attempts"), planningDir].some((own) => isWithin(own, path));
  if (!isOwn || path.includes("/../")) return;
  makeFolder(folder);
  replaceFile(path, text);
}

/** The files that the agent finds, from which its bundle is made; and what it made of them, for people who look. */
async function copyAtHome(order: WorkOrder, { outcome }: Carried): Promise<void> {
  if (!outcome.ok || !("base" in order)) return;
  const { folder, base, repository } = order;
  const isFirst = order.kind === "prepare-workspace" && !isThere(folder.work);
  const tree = isFirst ? base : outcome.work?.commit;
  if (tree === undefined) return;
  const place = { folder: folder.work, index: folder.index };
  await removeWorkspace(place);
  makeFolder(folder.folder);
  await checkOut(repository, { ...place, tree });
  makeFolder(join(folder.work, repository.prefix));
}
