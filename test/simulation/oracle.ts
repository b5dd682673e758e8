// Watches the disk. After every commit it judges each new entry by the rules, folds it into a shadow of its own,
// and compares the shadow with the rows, with the ledger and, now and then, with what processes keep in memory.
import { apply, fold, headOf, newRun } from "../../src/core/apply.ts";
import type { Entry, Fact } from "../../src/core/fact.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { Run, Task, TaskId } from "../../src/core/run.ts";
import { MemoryTable } from "../../src/core/table.ts";
import type { Committed } from "../../src/journal/journal.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";
import { checkBranch } from "./branch.ts";
import { compare } from "./compare.ts";
import type { LazyTable } from "./lazy-table.ts";
import { Ledger } from "./ledger.ts";
import { hasRoom, machineRules } from "./machines.ts";
import type { SimProcess } from "./process.ts";
import type { RuleOf, Said, Scene } from "./rules.ts";
import { attemptRules } from "./rules-attempt.ts";
import { baselineRules, isBaselineOpen } from "./rules-baseline.ts";
import { jobRules } from "./rules-job.ts";
import { checkTime, runRules } from "./rules-run.ts";
import { isOverBudget, taskRules } from "./rules-task.ts";
import type { Simulation } from "./simulation.ts";

export const runId = "plan-1";

/** Remembers which tasks `apply` set: exactly their rows must have been written. */
class ShadowTable extends MemoryTable {
  readonly touched = new Set<TaskId>();

  override set(task: Task): void {
    this.touched.add(task.def.id);
    super.set(task);
  }

  override delete(id: TaskId): void {
    this.touched.add(id);
    super.delete(id);
  }
}

export class Oracle {
  readonly ledger = new Ledger();
  readonly #sim: Simulation;
  readonly #said: (key: string) => readonly Said[];
  readonly #classify: (problem: Problem) => void;
  readonly #table = new ShadowTable();
  readonly shadow: Run = newRun(runId, decomposition, this.#table);
  /** What callers were told, by position. */
  readonly #acknowledged = new Map<number, string>();
  #commits = 0;

  constructor(
    sim: Simulation,
    { said, classify }: { said: (key: string) => readonly Said[]; classify: (problem: Problem) => void },
  ) {
    this.#sim = sim;
    this.#said = said;
    this.#classify = classify;
  }

  committed(
    texts: readonly string[],
    process: SimProcess,
    { rows, dropped }: { rows: ReadonlyMap<string, string>; dropped: ReadonlySet<string> },
  ): void {
    const entries = texts.map((text) => JSON.parse(text) as Entry);
    const kinds = entries.map(({ fact }) => fact.kind);
    const scene: Scene = { sim: this.#sim, ledger: this.ledger, process, said: this.#said, kinds };
    this.#table.touched.clear();
    for (const entry of entries) this.#enter(scene, entry);
    this.#commits++;
    if (this.#sim.violation) return;
    for (const id of new Set([...this.#table.touched, ...rows.keys(), ...dropped])) this.#checkRow(id);
    this.#checkHead(this.#sim.disk.head);
    compare(this.#sim, this.shadow, this.ledger);
    if (!kinds.includes("epoch-claimed")) this.#checkIdle(process);
    if (this.#commits % 32 === 0) this.checkAll();
  }

  acknowledged({ entries }: Committed): void {
    for (const entry of entries) this.#acknowledged.set(entry.position, JSON.stringify(entry));
  }

  refused(problems: readonly Problem[]): void {
    for (const problem of problems) this.#classify(problem);
  }

  /** G1: what was acknowledged is there, as it was, where it was. */
  checkAcknowledged(): void {
    for (const [position, text] of this.#acknowledged)
      this.#sim.check(
        this.#sim.disk.log[position - 1] === text,
        "G1 lost",
        () => `entry ${position}: ${text}`,
      );
  }

  /** The whole log from its beginning against the rows, the head and the shadow. */
  checkAll(): void {
    const entries = this.#sim.disk.log.map((text) => JSON.parse(text) as Entry);
    const whole = fold(newRun(runId, decomposition), entries);
    const same = JSON.stringify(headOf(whole)) === JSON.stringify(headOf(this.shadow));
    this.#sim.check(same, "C1 fold", () => "the log folded at once is not the log folded entry by entry");
    const ids = new Set([
      ...this.#sim.disk.rows.keys(),
      ...[...this.shadow.tasks.all()].map(({ def }) => def.id),
    ]);
    for (const id of ids) this.#checkRow(id);
    this.#checkHead(this.#sim.disk.head);
    this.checkAcknowledged();
    checkBranch(this.#sim, this.ledger);
  }

  /** What a process kept from its last transaction, when it thinks that nobody else wrote since. */
  checkCache(run: Run, table: LazyTable): void {
    const { position } = this.shadow;
    this.#sim.check(run.position === position, "C4 cache", () => `kept ${run.position}, written ${position}`);
    if (run.position !== position || !this.#sim.random.chance(0.05)) return;
    this.#checkHead(JSON.stringify(headOf(run)));
    for (const task of table.kept()) {
      const written = this.shadow.tasks.get(task.def.id);
      this.#sim.check(isSame(task, written), "C4 kept task", () => differing(task, written));
    }
  }

  #enter(scene: Scene, entry: Entry): void {
    const { sim, ledger, process } = scene;
    const { fact, position } = entry;
    sim.note(`${process.name} ${position} ${fact.kind} ${gist(fact)}`);
    sim.check(
      position === this.shadow.position + 1,
      "G1 gap",
      () => `${position} after ${this.shadow.position}`,
    );
    const isHeld =
      process.role !== "orchestrator" ||
      ledger.holder === process.name ||
      fact.kind === "epoch-claimed" ||
      fact.kind === "holder-asked";
    sim.check(
      isHeld,
      "X17 epoch",
      () => `${process.name} wrote ${fact.kind} while ${ledger.holder} held the run`,
    );
    if (sim.violation) return;
    if ("runMs" in fact) checkTime(scene, fact.runMs);
    (taskRules[fact.kind] as RuleOf | undefined)?.(scene, fact);
    (runRules[fact.kind] as RuleOf | undefined)?.(scene, fact);
    (attemptRules[fact.kind] as RuleOf | undefined)?.(scene, fact);
    (machineRules[fact.kind] as RuleOf | undefined)?.(scene, fact);
    (baselineRules[fact.kind] as RuleOf | undefined)?.(scene, fact);
    (jobRules[fact.kind] as RuleOf | undefined)?.(scene, fact);
    apply(this.shadow, entry);
  }

  #checkRow(id: TaskId): void {
    const row = this.#sim.disk.rows.get(id);
    const task = this.shadow.tasks.get(id);
    const stored = row === undefined ? undefined : (JSON.parse(row) as Task);
    this.#sim.check(isSame(stored, task), "C1 row", () => differing(stored, task));
  }

  #checkHead(text: string | null): void {
    const wanted = headOf(this.shadow);
    if (text === JSON.stringify(wanted)) return;
    const stored = JSON.parse(text ?? "{}");
    this.#sim.check(canonical(stored) === canonical(wanted), "C1 head", () => differing(stored, wanted));
  }

  /** X3: once an orchestrator has spoken, no due task waits beside a free slot. */
  #checkIdle(process: SimProcess): void {
    const { ledger } = this;
    if (process.name !== ledger.holder || ledger.halt || ledger.phase !== "executing") return;
    if (ledger.phase === ledger.until || ledger.tip === null || isBaselineOpen(ledger)) return;
    const [idle] = ledger.due(
      ledger.runMs,
      (task) => !isOverBudget(ledger, task) && hasRoom(ledger, task) && ledger.slots > 0,
    );
    this.#sim.check(!idle, "X3 idle", () => `${idle?.def.id} is due and a slot is free`);
  }
}

function gist(fact: Fact): string {
  switch (fact.kind) {
    case "task-defined":
      return `${fact.task.id} <- ${fact.task.dependsOn.join(" ")}${fact.reset ? " (reset)" : ""}`;
    case "run-created":
    case "artifact-registered":
      return "";
    case "checkpoint-set":
      return fact.checkpoint ? `${fact.checkpoint.pending.length} pending` : "none";
    default: {
      const { kind: _, ...rest } = fact;
      return JSON.stringify(rest);
    }
  }
}

const isSame = (a: unknown, b: unknown) =>
  JSON.stringify(a) === JSON.stringify(b) || canonical(a) === canonical(b);

const differing = (a: unknown, b: unknown) => `${JSON.stringify(a)} instead of ${JSON.stringify(b)}`;

/** JSON with sorted keys: their order depends on how a value came about. */
function canonical(value: unknown): string {
  const sort = (_key: string, each: unknown) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each;
  return JSON.stringify(value, sort) ?? "nothing";
}
