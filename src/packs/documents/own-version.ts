// What a person wrote into a run's folder is never lost: before heddle puts another version in its place, the person's is copied
// beside it, and the record of the new one says where it is (L16).
import { copyTree, isThere } from "../../host/files.ts";
import { digestAt, fileOf, type RunFiles } from "./run-files.ts";

/** Where the person's version of an artifact is kept; nothing when what is there is heddle's own or an agent's. */
function ownVersion(run: RunFiles, name: string): string | undefined {
  const path = fileOf(run, name);
  const digest = digestAt(path);
  if (digest === null) return undefined;
  const known = run.artifacts[name];
  const isPersons =
    known === undefined ||
    known.digest !== digest ||
    known.content.edited === true ||
    known.content.by_hand === true;
  return isPersons ? `${path}.yours-${digest.slice(0, 8)}` : undefined;
}

/** Copies it there, once. */
export function keepOwnVersion(run: RunFiles, name: string): void {
  const aside = ownVersion(run, name);
  if (aside !== undefined && !isThere(aside)) copyTree(fileOf(run, name), aside);
}

/** For the lines that say what an artifact says. */
export function ownVersionLine(run: RunFiles, name: string): string[] {
  const aside = ownVersion(run, name);
  return aside === undefined ? [] : [`your own version is kept at ${aside}`];
}
