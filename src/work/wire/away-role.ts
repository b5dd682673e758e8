// A role's order carried out away from the project: the documents that it may read come with it, and what it made goes back.
// It works in an empty folder of its own, so no commit goes either way; the project's code it reads in the repository.
import { dirname, join } from "node:path";
import { isThere, placeFile, remove } from "../../host/files.ts";
import { isWithin, readHandedIn, walkHandedIn } from "../../host/handed-in.ts";
import type { WorkOrder } from "../order.ts";
import { type Away, type Kept, stays } from "./away.ts";

export type RoleOrders = Extract<WorkOrder, { readonly kind: "run-role" | "repair-output" }>;

/** A role that works among the repository's files is carried where its checkout is. */
export const isAwayRole = (order: WorkOrder): order is RoleOrders =>
  (order.kind === "run-role" || order.kind === "repair-output") && !order.place && order.settings === null;

const bounds = { depth: 8, most: 20_000 };

/** Plain files in there, by their whole paths; of a file itself. */
export function filesIn(path: string): string[] {
  const below = walkHandedIn(path, bounds).map((each) => join(path, each));
  return below.length === 0 && isThere(path) ? [path] : below;
}

/** Its documents lie here then, and none that home has no more. */
export function arriveRole({ readable }: RoleOrders, { files }: Away, place: string): void {
  const listed = readable.filter((path) => isWithin(place, path)).flatMap(filesIn);
  for (const path of listed) if (!Object.hasOwn(files, path)) remove(path);
  for (const [path, text] of Object.entries(files))
    if (isWithin(place, path)) placeFile(place, path.slice(place.length + 1), text);
}

/** All of the attempt but the agent's own folders; the fixer changes what lies beside it. */
export function keptOfRole(order: RoleOrders): Kept[] {
  const own = order.folder.folder;
  const folder = order.kind === "repair-output" ? dirname(own) : own;
  return walkHandedIn(folder, bounds)
    .filter((path) => !stays.test(path))
    .flatMap((path) => {
      const read = readHandedIn(join(folder, path));
      return "text" in read ? [{ path: join(folder, path), text: read.text }] : [];
    });
}
