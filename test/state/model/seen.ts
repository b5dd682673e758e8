// What can be seen of either program after a command: its exit, its lines for scripts, and the state it leaves.

export interface Seen {
  readonly exit: number;
  readonly crashed: boolean;
  /** Nothing when the facts do not tell them. */
  readonly lines: readonly string[] | undefined;
  readonly state: Projection | null;
  readonly checkpoint: Batch | null;
}

export interface Projection {
  readonly phase: string;
  readonly completed: readonly string[];
  readonly tasks: Readonly<Record<string, TaskSeen>>;
  readonly counts: readonly [complete: number, failed: number];
  readonly active: readonly string[];
  readonly usage: readonly [tokens: number, cost: number];
  readonly halt: { readonly reason: string; readonly active: string | null } | null;
  readonly calibration: readonly [total: number, correct: number, positives: string, negatives: string];
  readonly artifacts: { readonly capability: boolean; readonly physical: boolean; readonly verdict: string };
}

export interface TaskSeen {
  readonly status: string;
  readonly attempts: number;
  /** Of a failed one. */
  readonly failure: string | null;
  /** Of a complete one. */
  readonly files: string | null;
  readonly verification: string | null;
}

export interface Batch {
  readonly status: string;
  readonly spawned: readonly string[];
  readonly pending: readonly string[];
  readonly completed: readonly string[];
  readonly failed: readonly string[];
}

/** The first thing in which two outcomes of one command differ, in words; nothing when they agree. */
export function differ(model: Seen, real: Seen): string | undefined {
  if (model.exit !== real.exit) return `exit ${model.exit} against ${real.exit}`;
  if (model.crashed !== real.crashed) return `crashed ${model.crashed} against ${real.crashed}`;
  const pairs: readonly [string, unknown, unknown][] = [
    ["lines", model.lines ?? real.lines, real.lines],
    ["state", model.state, real.state],
    ["checkpoint", model.checkpoint, real.checkpoint],
  ];
  for (const [what, a, b] of pairs) {
    const [ours, theirs] = [JSON.stringify(a), JSON.stringify(b)];
    if (ours !== theirs) return `${what}\n  ${ours}\n  ${theirs}`;
  }
  return undefined;
}
