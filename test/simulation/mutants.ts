// Planted bugs. Each is one replacement of text in a copy of the sources; the simulation must notice every one of
// them, or it is not worth its name. A text that no longer occurs exactly once is a mistake here, not a pass.

export interface Mutant {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const core = (file: string, name: string, replace: readonly [from: string, to: string]): Mutant => ({
  name,
  file: `src/core/${file}`,
  from: replace[0],
  to: replace[1],
});

const engine = (file: string, name: string, replace: readonly [from: string, to: string]): Mutant => ({
  name,
  file: `src/engine/${file}`,
  from: replace[0],
  to: replace[1],
});

const store = (file: string, name: string, replace: readonly [from: string, to: string]): Mutant => ({
  name,
  file: `test/simulation/${file}`,
  from: replace[0],
  to: replace[1],
});

const taskMutants: readonly Mutant[] = [
  core("task.ts", "one failed dependency does not block", [
    '"pending" && task.dead > 0',
    '"pending" && task.dead > 1',
  ]),
  core("task.ts", "held work counts as settled", ['"complete" && !isHeld(task))', '"complete")']),
  core("task.ts", "the shortest path goes first", ["a.remaining > b.remaining", "a.remaining < b.remaining"]),
  core("task.ts", "blocking stops at the next task", ["      turned.push(dependent);\n", ""]),
  core("task.ts", "what spreads is not written", ["    tasks.set(dependent);\n", ""]),
  core("task.ts", "a new beginning keeps the old verdict", ["  task.verification = null;\n", ""]),
  core("meaning-task.ts", "tries are not counted", ["      task.tries++;\n", ""]),
  core("meaning-task.ts", "the back-off is forgotten", ["      task.notBeforeMs = fact.notBeforeMs;\n", ""]),
  core("meaning-task.ts", "a dropped task stays in the counts", ["  run.counts[statusOf(task)]--;\n", ""]),
  core("meaning-task.ts", "a dropped claim stays unverified", [
    "  run.unverified -= Number(isUnverified(task));\n",
    "",
  ]),
  core("meaning-task.ts", "old edges stay when a task changes", [
    "dependent !== task.def.id",
    "dependent !== id",
  ]),
  core("meaning-task.ts", "a new rank is not written", ["hours;\n    run.tasks.set(task);", "hours;"]),
  core("table.ts", "looking at ready tasks uses them up", [
    "    for (const rank of best) this.#best.push(rank);\n",
    "",
  ]),
  core("table.ts", "what was passed over never comes up again", [
    "      else this.#ranks.delete(rank.id);\n",
    "",
  ]),
  core("heap.ts", "the worse child moves up", [
    "if (!this.#before(items[child] as T, last)) break;",
    "break;",
  ]),
];

const runMutants: readonly Mutant[] = [
  core("meaning-run.ts", "the last call counts as the dearest", [
    "Math.max(usage.largestCallUsd, fact.costUsd)",
    "fact.costUsd",
  ]),
  core("meaning-run.ts", "a claim keeps the old epoch", ["    run.epoch = fact.epoch;\n", ""]),
  core("policy.ts", "one try too many", [
    "task.tries < run.policy.attempts",
    "task.tries <= run.policy.attempts",
  ]),
  core("policy.ts", "the back-off starts doubled", ["Math.max(0, tries - 1)", "tries"]),
  core("policy.ts", "the run's budget is crossed by the next call", [
    "run.usage.costUsd + run.usage.largestCallUsd > runBudgetUsd",
    "run.usage.costUsd > runBudgetUsd",
  ]),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a template.
  core("effect.ts", "a key does not name the epoch", ["number}@${run.epoch}", "number}@1"]),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of a template.
  core("effect.ts", "a key does not name the attempt", ["#${task.attempt.number}@", "#1@"]),
  core("follow.ts", "running attempts take no slot", ["run.slots - own.length", "run.slots"]),
  core("follow.ts", "a halt stops nothing", ["if (run.halt || run.slots === 0", "if (run.slots === 0"]),
  core("follow.ts", "limits strike too early", ["attempt.dueMs > runMs", "attempt.dueMs > runMs + 200"]),
  core("follow.ts", "nobody waits for a back-off", ["task.notBeforeMs <= runMs", "task.notBeforeMs >= 0"]),
  core("follow.ts", "a back-off holds up those behind it", [
    "due.length >= free || ready.length < limit",
    "ready.length >= 0",
  ]),
  core("follow.ts", "tasks start in any phase", [
    "if (run.phase !== run.protocol.graph?.runs) return [];",
    "",
  ]),
  core("next.ts", "halt --now lets attempts go on", ["run.halt?.now || run.holder", "run.holder"]),
  core("next.ts", "a plain halt ends attempts", ["run.halt?.now || run.holder", "run.halt || run.holder"]),
];

const stepMutants: readonly Mutant[] = [
  core("step-task.ts", "a host starts before dependencies are done", [
    "!isSettled(taskOf(run, each))",
    "isDead(taskOf(run, each))",
  ]),
  core("step-task.ts", "a host completes what heddle works on", ['driver === "engine"', "number === -1"]),
  core("step-task.ts", "a host starts while the run is halted", ["if (run.halt)", "if (run.halt?.now)"]),
  core("step-task.ts", "a complete task can be skipped", [
    'status === "blocked" || status === "failed")',
    'status === "blocked" || status === "failed" || status === "complete")',
  ]),
  core("step-plan.ts", "a running task can be changed", [
    "return run.running.flatMap(",
    "return [].flatMap(",
  ]),
  core("step-plan.ts", "a changed task keeps its progress", ["old.digest !== def.digest", "false"]),
  core("step-plan.ts", "unknown dependencies are loaded", [
    "if (defs.has(id)) continue;",
    "if (id) continue;",
  ]),
  core("step-engine.ts", "late answers count", ["attemptKey(run, task) !== key", "!task.attempt"]),
  core("step-engine.ts", "a living holder is replaced", ["alive && !force", "alive && force"]),
  core("step-engine.ts", "anybody releases the run", ["epoch === run.epoch && run.holder", "run.holder"]),
  core("step-engine.ts", "work is done without checks", [
    'task.attempt?.stage === "working"',
    "run.slots < 0",
  ]),
  core("step-halt.ts", "a question is answered twice", [
    "if (question.answer !== null)",
    "if (question.answer === answer)",
  ]),
  core("step-halt.ts", "a crossed budget is resumed", ['run.halt?.code === "budget"', "run.slots < 0"]),
  core("step-host.ts", "a task stands in two lists of its batch", [
    "pending: without(from.pending)",
    "pending: from.pending",
  ]),
];

const jobMutants: readonly Mutant[] = [
  core("step-job.ts", "a role starts beside another", ["if (run.job || asksSomething", "if (asksSomething"]),
  core("step-job.ts", "the fixer is asked again and again", [
    '"unparseable" && !job.repaired',
    '"unparseable"',
  ]),
  core("step-job.ts", "a role is tried for ever", [
    "again && tries < run.policy.attempts",
    "again && tries < 9 + run.policy.attempts",
  ]),
  core("step-job.ts", "a role has no limit", ["run.job.dueMs > runMs", "run.job.dueMs > 0"]),
  core("step-job.ts", "an output is taken unchecked", ['if (job.stage === "checking")', "if (job.stage)"]),
  core("meaning-job.ts", "a role's tries are not counted", ["tries: tries + 1", "tries"]),
  core("meaning-run.ts", "resuming gives a role no new try", ['run.halt?.code === "job"', "run.slots < 0"]),
  core("step-engine.ts", "a role's late answers count", [
    "effectOfJob(run, run.job).key === key",
    "key.includes(run.job.role)",
  ]),
];

const engineMutants: readonly Mutant[] = [
  engine("hold.ts", "a replaced orchestrator goes on", [
    "run.epoch !== this.#epoch",
    "run.epoch < this.#epoch",
  ]),
  engine("hold.ts", "every holder is taken for dead", ["isAlive(draft.run.holder)", "!isAlive"]),
  engine("hold.ts", "run time starts again with every holder", [
    "claim.clock.monotonicMs() - runMs;",
    "claim.clock.monotonicMs();",
  ]),
  engine("hold.ts", "others are not noticed", ["this.#claim.journal.version() !== this.#version", "false"]),
  engine("drive.ts", "an orchestrator leaves what is under way", [
    "if (working && !run.halt?.now) return false;",
    "",
  ]),
  engine("loop.ts", "time passes unnoticed", ['if (await hold.isDue()) return { kind: "tick" };', ""]),
  engine("loop.ts", "effects are told once only", ["if (hold.othersWrote()) return undefined;", ""]),
  engine("inbox.ts", "a woken inbox sleeps no more", ["    this.#wake = new AbortController();\n", ""]),
  engine("world.ts", "what is not wanted goes on", ["if (!wanted.has(key)) stop.abort();", ""]),
  engine("world.ts", "stopping waits for nothing", [
    "    await Promise.all(ending.map(({ done }) => done));\n",
    "",
  ]),
];

const storeMutants: readonly Mutant[] = [
  store("store.ts", "acknowledged before it is durable", ["      sim.disk.sync();\n", ""]),
  store("store.ts", "a stale cache is kept", [
    "version !== this.#seen && this.#loaded",
    "version < this.#seen && this.#loaded",
  ]),
  store("store.ts", "what failed stays in memory", [
    "      this.#loaded = undefined;\n      throw error;",
    "      throw error;",
  ]),
  store("store.ts", "what was taken back stays in memory", [
    "decide);\n      this.#loaded = undefined;",
    "decide);",
  ]),
  store("lazy-table.ts", "the first changed row is not written", [
    "for (const id of this.#touched) rows",
    "for (const id of [...this.#touched].slice(1)) rows",
  ]),
];

export const mutants: readonly Mutant[] = [
  ...taskMutants,
  ...runMutants,
  ...stepMutants,
  ...jobMutants,
  ...engineMutants,
  ...storeMutants,
];
