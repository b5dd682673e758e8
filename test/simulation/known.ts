// Invariants that are known not to hold yet, each with what breaks it. They are counted instead of failing, and a
// test wants each of them to happen still: when one is fixed, its line goes. `--strict` shows them all.

export interface Known {
  readonly why: string;
  /** Too seldom to be seen in every batch. */
  readonly isRare?: true;
}

const defects: Readonly<Record<string, Known>> = {};

export const known: ReadonlyMap<string, Known> = new Map(Object.entries(defects));
