// The first implementation's state commands, as the documents (001, 004) and the facts about it (§1.1–§1.5, §1.9) tell
// them, in words of our own: the program itself was not at hand. Each way in which it differs from heddle is a switch
// (`differences.ts`): with none fixed this is the first implementation, with all of them it must be heddle.
// Where the facts do not say what it prints, `lines` is undefined and nothing is compared.

import type { Difference } from "./differences.ts";
import { checkpointCommands } from "./first-checkpoint.ts";
import { planCommands } from "./first-plan.ts";
import { recordCommands } from "./first-record.ts";
import { taskCommands } from "./first-tasks.ts";
import type { Batch, Projection, Seen, TaskSeen } from "./seen.ts";

export type Status = "pending" | "running" | "complete" | "failed" | "blocked" | "skipped";

export interface TaskRecord {
  readonly id: string;
  name: string;
  deps: readonly string[];
  status: Status;
  attempts: number;
  error: string | null;
  failure: { readonly category: string; readonly retryable: boolean } | null;
  files: string;
  verification: { readonly verdict: string; readonly recommendation: string } | null;
}

export interface State {
  readonly target: string;
  phase: string;
  completed: string[];
  readonly tasks: Map<string, TaskRecord>;
  /** Artifacts as they were when they were looked at: which text, whether right, and what they were made from. */
  readonly artifacts: Record<string, { valid: boolean; text: string; from: Record<string, string> }>;
  verdict: string | null;
  counts: { complete: number; failed: number };
  active: string[];
  tokens: number;
  cost: number;
  halt: { reason: string; active: string | null } | null;
  calibration: { total: number; correct: number; positives: string[]; negatives: string[] };
  /** Attempts of tasks that were dropped. */
  readonly retired: Map<string, number>;
}

export type MutableBatch = { -readonly [K in keyof Batch]: Batch[K] };

/** The files that both programs look at. */
export interface Files {
  spec: string;
  maps: Record<"capability_map" | "physical_map", { text: string; valid: boolean }>;
  readonly tasks: Map<string, { name: string; deps: readonly string[] }>;
  stop: boolean;
  cut: boolean;
  readonly results: Map<string, "success" | "failed" | "corrupt">;
}

export interface Outcome {
  readonly exit: number;
  readonly lines?: readonly string[] | undefined;
  readonly crashed?: boolean;
}

export interface Words {
  readonly args: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

export interface CommandShape {
  /** How many words it needs, and how many it takes. */
  readonly needs: number;
  readonly takes: number;
  readonly flags?: Readonly<Record<string, "switch" | "one" | "many">>;
  /** What it does where there is no state; a refusal without one. */
  readonly stateless?: (first: First, words: Words) => Outcome;
  readonly run: (first: First, words: Words) => Outcome;
  /** Checks of values, before anything is opened. */
  readonly check?: (first: First, words: Words) => Outcome | undefined;
  /** It only looks. */
  readonly looks?: boolean;
  /** It does not read the state at all. */
  readonly apart?: boolean;
}

export const commands: Readonly<Record<string, CommandShape>> = {
  ...planCommands,
  ...taskCommands,
  ...recordCommands,
  ...checkpointCommands,
};

export const ok = (...lines: readonly string[]): Outcome => ({ exit: 0, lines });
/** Done; the facts do not tell what it prints. */
export const done: Outcome = { exit: 0 };
export const refused: Outcome = { exit: 1 };
export const crashed: Outcome = { exit: 1, crashed: true };

export class First {
  readonly files: Files;
  state: State | null = null;
  batch: MutableBatch | null = null;
  readonly #fixed: ReadonlySet<Difference>;

  constructor(files: Files, fixed: ReadonlySet<Difference>) {
    this.files = files;
    this.#fixed = fixed;
  }

  fixed(name: Difference): boolean {
    return this.#fixed.has(name);
  }

  get usage(): Outcome {
    return { exit: this.fixed("usage exits 64") ? 64 : 1 };
  }

  /** The state of a command that has one. */
  get now(): State {
    if (!this.state) throw new Error("a command without a state was let through");
    return this.state;
  }

  run(line: string): Seen {
    const outcome = this.#answer(line);
    return {
      exit: outcome.exit,
      crashed: outcome.crashed ?? false,
      lines: outcome.lines,
      state: this.state && this.#project(this.state),
      checkpoint: this.batch && structuredClone(this.batch),
    };
  }

  #answer(line: string): Outcome {
    const [head = "", second = ""] = line.split(" ");
    const name = head === "checkpoint" ? `${head} ${second}` : head;
    const shape = commands[name];
    if (!shape) return this.usage;
    const words = this.#parse(shape, line.slice(name.length + 1));
    if ("exit" in words) return words;
    const wrong = shape.check?.(this, words);
    if (wrong) return wrong;
    if (!this.state) return shape.stateless?.(this, words) ?? refused;
    if (this.files.cut && !this.fixed("a cut state.json is repaired") && !shape.apart) return crashed;
    const answer = shape.run(this, words);
    if (shape.looks) this.look();
    this.#follow();
    return answer;
  }

  #parse(shape: CommandShape, rest: string): Words | Outcome {
    const strict = this.fixed("wrong words are errors");
    const args: string[] = [];
    const flags = new Map<string, string[]>();
    const words = rest.split(" ").filter((word) => word !== "");
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as string;
      if (!word.startsWith("--")) {
        args.push(word);
        continue;
      }
      const kind = word === "--format" ? "one" : shape.flags?.[word.slice(2)];
      if (!kind && strict) return this.usage;
      const taken: string[] = [];
      while (kind && kind !== "switch" && at + 1 < words.length && !words[at + 1]?.startsWith("--")) {
        taken.push(words[++at] as string);
        if (kind === "one") break;
      }
      if (kind) flags.set(word.slice(2), taken);
    }
    if (args.length < shape.needs) return this.usage;
    return args.length > shape.takes && strict ? this.usage : { args, flags };
  }

  /** A command of heddle that changes something finds a STOP file, and fixes the view. */
  submit(): void {
    this.files.cut = false;
    const { state, files } = this;
    if (!state || state.halt || !files.stop || !this.fixed("a STOP file is a halt")) return;
    state.halt = { reason: "stop_file", active: state.active[0] ?? null };
  }

  /** One that looks changes something only where the view is to be fixed. */
  look(): void {
    if (this.files.cut) this.submit();
  }

  task(id: string | undefined): TaskRecord | undefined {
    return this.now.tasks.get(id ?? "");
  }

  dependents(id: string): TaskRecord[] {
    return [...this.now.tasks.values()].filter((task) => task.deps.includes(id));
  }

  isHeld(task: TaskRecord): boolean {
    return task.status === "complete" && task.verification?.recommendation === "BLOCK";
  }

  /** What follows from the graph, where it is the graph that decides. */
  #follow(): void {
    if (!this.state || !this.fixed("blocking follows the graph")) return;
    const deep = this.fixed("defect 8");
    const open = [...this.state.tasks.values()].filter(
      ({ status }) => status === "pending" || status === "blocked",
    );
    for (const task of open) task.status = "pending";
    for (let changed = true; changed; ) {
      changed = false;
      for (const task of open) {
        if (task.status === "blocked" || !task.deps.some((id) => this.#isDead(id, deep))) continue;
        task.status = "blocked";
        changed = true;
      }
    }
  }

  #isDead(id: string, deep: boolean): boolean {
    const task = this.task(id);
    if (!task) return false;
    return task.status === "failed" || this.isHeld(task) || (deep && task.status === "blocked");
  }

  #project(state: State): Projection {
    const { positives, negatives, total, correct } = state.calibration;
    const names = (list: readonly string[]) => list.toSorted().join(" ");
    const valid = (name: string) => state.artifacts[name]?.valid ?? false;
    return {
      phase: state.phase,
      completed: [...state.completed],
      tasks: Object.fromEntries(
        [...state.tasks.values()]
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .map((task) => [task.id, seen(task)]),
      ),
      counts: [state.counts.complete, state.counts.failed],
      active: [...state.active],
      usage: [state.tokens, state.cost],
      halt: state.halt && { ...state.halt },
      calibration: [total, correct, names(positives), names(negatives)],
      artifacts: {
        capability: valid("capability_map"),
        physical: valid("physical_map"),
        verdict: state.verdict ?? "",
      },
    };
  }
}

function seen({ status, attempts, failure, files, verification }: TaskRecord): TaskSeen {
  return {
    status,
    attempts,
    failure: status === "failed" ? `${failure?.category} ${failure?.retryable}` : null,
    files: status === "complete" ? files : null,
    verification: verification && `${verification.verdict} ${verification.recommendation}`,
  };
}
