// The names by which processes are found again. A program carries its marks in one variable of its environment, divided
// by colons, and everything that it starts inherits them: its own, its orchestrator's turn, and the heddle that started it.
// A mark is written one way, and only here, so that what is looked for is what was given.
import { AsyncLocalStorage } from "node:async_hooks";
import { textDigest } from "../digest.ts";

export const markName = "HEDDLE_RUN_MARK";

/** `name` as it stands in an environment. Two names never share a mark, and a mark's mark is itself. */
export function asMark(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, "-");
  return plain === name ? plain : `${plain}-${textDigest(name).slice(0, 16)}`;
}

const turns = new AsyncLocalStorage<string>();

/** Whatever programs `work` starts carry `mark` beside their own. One process may orchestrate several runs at once. */
export function markedAs<T>(mark: string, work: () => T): T {
  return turns.run(asMark(mark), work);
}

/** The mark of the turn in which this is called, if it is called in one. */
export function turnMark(): string | undefined {
  return turns.getStore();
}
