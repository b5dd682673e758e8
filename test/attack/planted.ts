// Planted bugs of the attacks: each takes one defence out of a copy of the sources, and names the attack that must then
// fail. A text that no longer occurs exactly once is a mistake here, not a pass. One list per test file, beside it.

export interface Planted {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** A test file in this folder, and words of the title of the test that must fail. */
  readonly caughtBy: readonly [file: string, title: string];
}

/** Every `*.planted.ts` in this folder exports one list under this name. */
export interface PlantedFile {
  readonly planted: readonly Planted[];
}
