// Moving a project's journal from one store to another. What counts is the line in the configuration: until it is written everything is
// as it was, and from then on the journal is where it says. The journal that was left stays as a backup that refuses to be written to,
// from before that line is written: nobody can write to both.
import { join } from "node:path";
import { toCall } from "../core/hint.ts";
import { problem } from "../core/problem.ts";
import { type Opening, Refused } from "../engine/app.ts";
import { pathsIn } from "../engine/paths.ts";
import { note } from "../host/notes.ts";
import { turnIn } from "../host/underway.ts";
import type { Store } from "../journal/journal.ts";
import { takeTurn } from "../journal/turn.ts";
import { setJournal } from "../orders/config.ts";
import { prove, refuseWhileHeld } from "./backup.ts";

export interface Moved {
  readonly facts: number;
  readonly from: string;
  readonly to: string;
}

const files = "sqlite";
const nameOf = ({ name }: Store) => name ?? files;

export async function moveJournal(opening: Opening, where: string): Promise<Moved> {
  const { root, journals } = opening;
  const { heddle } = pathsIn(root);
  if (!journals.stores) throw new Error("bug: this store cannot be moved from");
  const { from, to } = await journals.stores(root, where);
  if (nameOf(from) === nameOf(to)) return bringBack(opening, from, to);
  if (from.name !== undefined && to.name !== undefined)
    throw new Refused([
      problem("two-servers", "a journal is moved from one server to another by way of a file", {
        hint: [toCall("journal move --to sqlite"), ", then: ", toCall(`journal move --to '${to.name}'`)],
      }),
    ]);
  await refuseWhileHeld(opening);
  return inTurn(heddle, () => carry(opening, from, to));
}

async function carry(opening: Opening, from: Store, to: Store): Promise<Moved> {
  const { root, journals } = opening;
  const { heddle } = pathsIn(root);
  const copy = journals.copies.nameIn(root, String(process.pid));
  const release = note(heddle, "scratch", { paths: journals.copies.names(copy) });
  let facts = 0;
  await from.leave(root, nameOf(to), async (file) => {
    const proven = await prove(opening, file);
    if (proven.problems.length > 0) throw new Refused(proven.problems);
    facts = proven.facts;
    await to.take(root, file);
  });
  setJournal(join(heddle, "config.json"), to.name);
  release();
  return { facts, from: nameOf(from), to: nameOf(to) };
}

/** Nothing to move, unless a move was killed after the journal had been left: then it is ended, or taken back. */
async function bringBack(opening: Opening, from: Store, to: Store): Promise<Moved> {
  const { root } = opening;
  const left = from.leftFor ? await from.leftFor(root) : undefined;
  if (left === undefined)
    throw new Refused([
      problem("same-place", `the journal is there already: ${nameOf(to)}`, { hint: { do: "show-status" } }),
    ]);
  const { to: there } = (await opening.journals.stores?.(root, left)) ?? {};
  if (!there) throw new Error("bug: a journal was left for a store that is not known");
  return inTurn(pathsIn(root).heddle, () => carry(opening, there, to));
}

/** One process at a time moves, restores, or clears up. */
async function inTurn<T>(heddle: string, work: () => Promise<T>): Promise<T> {
  const turn = takeTurn(turnIn(heddle));
  try {
    return await work();
  } finally {
    turn?.close();
  }
}
