// The room in which acceptance commands run: the files of one tree and what set-up made of them, or a copy of a person's
// checkout, and nothing else. Each command finds it as it was made: what the one before it only added is taken away, and
// after anything else the room is made again.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isProblem, type Problem } from "../../core/problem.ts";
import { cloneTree } from "../../host/clone-tree.ts";
import { makeFolder } from "../../host/files.ts";
import type { Repository } from "../../host/git/repository.ts";
import { checkOut } from "../../host/git/workspace.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { putBack, type Seal, sealed } from "../../host/seal.ts";
import { provide, type SetUp } from "../set-up/provide.ts";

/** Puts the room's files at `files`, which is not there yet; `folder` is the room's own. */
export type Furnish = (
  place: { readonly folder: string; readonly files: string },
  signal: AbortSignal,
) => Promise<Problem | undefined>;

export class CleanRoom {
  readonly #folder: string;
  readonly #furnish: Furnish;
  readonly files: string;
  #seal: Seal | undefined;
  #commands = 0;

  constructor(folder: string, furnish: Furnish) {
    this.#folder = folder;
    this.#furnish = furnish;
    this.files = join(folder, "tree");
  }

  /** A home and a place for temporary files that nobody has used. */
  get own(): { readonly home: string; readonly tmp: string } {
    const place = join(this.#folder, `own-${this.#commands}`);
    return { home: join(place, "home"), tmp: join(place, "tmp") };
  }

  /** Makes the room as it was at first; `more` commands follow, so it pays to remember how that was. */
  async freshen({ more }: { readonly more: boolean }, signal: AbortSignal): Promise<Problem | undefined> {
    if (this.#commands > 0) await removeTree(join(this.#folder, `own-${this.#commands}`));
    this.#commands++;
    if (this.#seal && (await putBack(this.files, this.#seal))) return undefined;
    await removeTree(this.#folder);
    const unmade = await this.#furnish({ folder: this.#folder, files: this.files }, signal);
    if (unmade) return unmade;
    this.#seal = more ? await sealed(this.files, join(this.#folder, "probe")) : undefined;
    return undefined;
  }

  remove(): Promise<void> {
    return removeTree(this.#folder);
  }
}

export interface TreeOrder {
  readonly repository: Repository;
  readonly setUp: SetUp;
  readonly tree: string;
}

/** One tree as git checks it out, and what set-up makes of it. */
export function treeWithSetUp({ repository, setUp, tree }: TreeOrder): Furnish {
  return async ({ folder, files }, signal) => {
    const place = { folder: files, index: join(folder, "index"), tree };
    const unmade = await checkOut(repository, place);
    if (unmade) return unmade;
    const provided = await provide(setUp, { repository, ...place }, signal);
    return isProblem(provided) ? provided : undefined;
  };
}

/** A folder as it lies there, but for repositories' insides and what is named to be left out. */
export function copyOf(target: string, leaveOut: readonly string[]): Furnish {
  const copy = async (from: string, to: string): Promise<void> => {
    makeFolder(to);
    for (const name of readdirSync(from)) {
      const path = join(from, name);
      if (name === ".git" || leaveOut.includes(path)) continue;
      const holds = leaveOut.some((each) => each.startsWith(`${path}/`));
      await (holds ? copy(path, join(to, name)) : cloneTree(path, join(to, name)));
    }
  };
  return async ({ files }) => {
    await copy(target, files);
    return undefined;
  };
}

/** Where a command runs in a room. */
export function placeIn(room: CleanRoom, prefix: string) {
  return { cwd: join(room.files, prefix), writable: [room.files], ...room.own };
}
