// Notes of what is under way: written before the first step that somebody else would have to end or undo, taken away after
// the last. They are sealed, because a repository may come with a `.heddle` of its own.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./files.ts";
import { readSealed, sealed } from "./sealed.ts";
import { sync } from "./sync.ts";
import { enter, folderIn, type Note, type NoteKind, ownName } from "./underway.ts";

let written = 0;

/** Writes down, durably, what has to follow if this process dies. What is returned takes the note away. */
export function note(heddle: string, kind: NoteKind, content: unknown): () => void {
  const folder = folderIn(heddle);
  makeFolder(folder);
  enter(heddle);
  const file = join(folder, `${ownName()}~${written++}.${kind}.json`);
  const fresh = `${file}.new`;
  writeFileSync(fresh, sealed(content));
  sync(fresh);
  renameSync(fresh, file);
  sync(folder);
  return () => withdraw(file);
}

/** What it is about is over: on a disk that does not let it go, it says nothing any more. */
function withdraw(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    try {
      writeFileSync(file, "");
    } catch {
      // Then nothing can be written here at all.
    }
  }
}

/** What it says, unless somebody else wrote it. */
export function contentOf({ file, isWhole }: Note): unknown {
  return isWhole ? readSealed(file) : undefined;
}
