// The bounds of discovery. A repository may be of any size and was written by anyone: every loop over what it holds
// ends at one of these.
export interface Limits {
  /** Files that are listed; what comes after is not seen, and the context says so. */
  readonly files: number;
  /** Bytes that git may print. */
  readonly listBytes: number;
  readonly gitMs: number;
  readonly walkMs: number;
  /** Folders below the target that a walk enters; git has no such bound. */
  readonly walkDepth: number;
  /** A manifest or a lock file that is larger is not read. */
  readonly manifestBytes: number;
  /** A source file that is larger was generated, or might as well have been. */
  readonly sourceBytes: number;
  /** What a normal project's context stays under: code samples give way first. */
  readonly wishedBytes: number;
  /** What no context exceeds. */
  readonly contextBytes: number;
}

export const usualLimits: Limits = {
  files: 200_000,
  listBytes: 32 * 1024 * 1024,
  gitMs: 10_000,
  walkMs: 5_000,
  walkDepth: 24,
  manifestBytes: 512 * 1024,
  sourceBytes: 256 * 1024,
  wishedBytes: 20_000,
  contextBytes: 60_000,
};
