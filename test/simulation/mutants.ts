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

const protocol = (file: string, name: string, replace: readonly [from: string, to: string]): Mutant => ({
  name,
  file: `src/protocols/${file}`,
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

const costsATry = "return [failed(run, task, { ...outcome, runMs })];";

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
  core("meanings/attempt.ts", "what is parked is not left alone", [
    "      task.notBeforeMs = notBeforeMs;\n",
    "",
  ]),
  core("steps/attempt.ts", "a missing place costs a try", [
    "return held(run, task, { code: outcome.kind, reason, runMs });",
    costsATry,
  ]),
  core("steps/attempt.ts", "what is held does not halt the run", [
    "return run.halt ? [kept] : [kept, { kind",
    "return run.runMs >= 0 ? [kept] : [kept, { kind",
  ]),
  core("effect.ts", "a key does not say how often its work was held", [
    "const number = `${attempt.number}${timesHeld(attempt)}`",
    "const number = `${attempt.number}`",
  ]),
  core("meanings/run.ts", "what was held never goes on", [
    "        if (attempt) attempt.held = false;\n",
    "",
  ]),
  core("steps/attempt.ts", "an agent that cannot work fails everything", [
    "return run.halt ? [left] :",
    "return run.runMs >= 0 ? [left] :",
  ]),
  core("meanings/job.ts", "a usage limit costs a role a try", ["tries: record.tries - 1, ", ""]),
  core("meanings/task.ts", "tries are not counted", ["      task.tries++;\n", ""]),
  core("meanings/task.ts", "the back-off is forgotten", ["      task.notBeforeMs = fact.notBeforeMs;\n", ""]),
  core("meanings/task.ts", "a dropped task stays in the counts", ["  run.counts[statusOf(task)]--;\n", ""]),
  core("meanings/task.ts", "a dropped claim stays unverified", [
    "  run.unverified -= Number(isUnverified(task));\n",
    "",
  ]),
  core("meanings/task.ts", "old edges stay when a task changes", [
    "dependent !== task.def.id",
    "dependent !== id",
  ]),
  core("meanings/task.ts", "a new rank is not written", ["hours;\n    run.tasks.set(task);", "hours;"]),
  core("table.ts", "looking at ready tasks uses them up", [
    "    for (const rank of best) this.#best.push(rank);\n",
    "",
  ]),
  core("table.ts", "what was passed over never comes up again", [
    "      else this.#ranks.delete(rank.id);\n",
    "",
  ]),
  core("graph/heap.ts", "the worse child moves up", [
    "if (!this.#before(items[child] as T, last)) break;",
    "break;",
  ]),
];

const runMutants: readonly Mutant[] = [
  core("meanings/run.ts", "the last call counts as the most expensive", [
    "Math.max(usage.largestCallUsd, fact.costUsd)",
    "fact.costUsd",
  ]),
  core("meanings/run.ts", "a claim keeps the old epoch", ["    run.epoch = fact.epoch;\n", ""]),
  core("policy.ts", "one try too many", [
    "task.tries < (retries === undefined",
    "task.tries <= (retries === undefined",
  ]),
  core("policy.ts", "the back-off starts doubled", ["Math.max(0, tries - 1)", "tries"]),
  core("policy.ts", "the run's budget is crossed by the next call", [
    "usage.costUsd + usage.largestCallUsd * (calls + 1) > runBudgetUsd",
    "usage.costUsd > runBudgetUsd",
  ]),
  core("effect.ts", "a key does not name the epoch", ["number}@${run.epoch}", "number}@1"]),
  core("effect.ts", "a key does not name the attempt", [
    "`${attempt.number}${timesHeld(attempt)}`",
    "`1${timesHeld(attempt)}`",
  ]),
  core("machines/placement.ts", "running attempts take no slot", [
    "Math.max(0, slots - (taken.get(name) ?? 0))",
    "slots",
  ]),
  core("follow.ts", "a halt stops nothing", ["if (run.halt || run.slots === 0", "if (run.slots === 0"]),
  core("steps/attempt.ts", "limits strike too early", [
    "attempt.dueMs > runMs",
    "attempt.dueMs > runMs + 200",
  ]),
  core("follow.ts", "nobody waits for a back-off", ["task.notBeforeMs > runMs || asks", "asks"]),
  core("follow.ts", "a back-off holds up those behind it", [
    "if (run.only || ready.length < limit) return",
    "if (limit > 0) return",
  ]),
  core("follow.ts", "tasks start in any phase", [
    "if (!branch || run.phase !== run.protocol.graph?.runs) return [];",
    "if (!branch) return [];",
  ]),
  core("next.ts", "halt --now lets attempts go on", ["run.halt?.now || run.holder", "run.holder"]),
  core("next.ts", "a plain halt ends attempts", ["run.halt?.now || run.holder", "run.halt || run.holder"]),
];

const stepMutants: readonly Mutant[] = [
  core("steps/task.ts", "a host starts before dependencies are done", [
    "!isSettled(taskOf(run, each))",
    "isDead(taskOf(run, each))",
  ]),
  core("steps/task.ts", "a host completes what heddle works on", ['driver === "engine"', "number === -1"]),
  core("steps/task.ts", "a host starts while the run is halted", ["if (run.halt)", "if (run.halt?.now)"]),
  core("steps/task.ts", "a complete task can be skipped", [
    'status === "blocked" || status === "failed")',
    'status === "blocked" || status === "failed" || status === "complete")',
  ]),
  core("steps/plan.ts", "a running task can be changed", [
    "return run.running.flatMap(",
    "return [].flatMap(",
  ]),
  core("steps/plan.ts", "a changed task keeps its progress", ["old.digest !== def.digest", "false"]),
  core("steps/plan.ts", "unknown dependencies are loaded", [
    "if (defs.has(id)) continue;",
    "if (id) continue;",
  ]),
  core("steps/engine.ts", "late answers count", ["effectOfAttempt(run, task)?.key !== key", "!task.attempt"]),
  core("steps/engine.ts", "a living holder is replaced", ["alive && !force", "alive && force"]),
  core("steps/job.ts", "a role that cannot work is asked again", [
    'return run.halt ? [left] : [left, { kind: "halt-requested", code: "agent", reason, now: false }];',
    "return [left];",
  ]),
  core("follow.ts", "a holder does not answer", ["if (holder.asked !== undefined)", "if (!holder)"]),
  core("steps/engine.ts", "anybody releases the run", ["epoch === run.epoch && run.holder", "run.holder"]),
  core("steps/attempt.ts", "work is done without checks", [
    'entered(run, task, { stage: "checking", runMs })',
    'entered(run, task, { stage: "integrating", runMs })',
  ]),
  core("steps/halt.ts", "a question is answered twice", [
    "if (question.answer !== null && question.used)",
    "if (question.answer === answer)",
  ]),
  core("steps/halt.ts", "a crossed budget is resumed", ['run.halt?.code === "budget"', "run.slots < 0"]),
  core("steps/host.ts", "a task stands in two lists of its batch", [
    "pending: without(from.pending)",
    "pending: from.pending",
  ]),
];

const baselineMutants: readonly Mutant[] = [
  core("follow.ts", "nobody waits for the look at the base", ["  if (needsBaseline(run)) return [];\n", ""]),
  core("baseline.ts", "a base that stopped the run is not looked at again", [
    " || baseline.stops !== null;",
    ";",
  ]),
  core("baseline.ts", "the base is looked at for ever", [
    "return baseline?.commit !== branch.start ||",
    "return true ||",
  ]),
  core("baseline.ts", "a second look at the base has the key of the first", [
    "#${number}@${epoch}`",
    "#1@${epoch}`",
  ]),
  core("steps/baseline.ts", "a base that nothing can run on stops nobody", [
    "seen.stops === null ||",
    "run.slots > 0 ||",
  ]),
  core("steps/engine.ts", "late looks at the base count", ["base?.key === key", "base"]),
];

const queueMutants: readonly Mutant[] = [
  core("queue.ts", "evidence counts for any tree", ["evidence?.tree === tree &&", "evidence !== null &&"]),
  core("steps/attempt.ts", "a task that nothing checked goes on", [
    "outcome.evidence?.checks.length === 0",
    "run.slots < 0",
  ]),
  core("queue.ts", "what rests on one that dropped out is kept", [
    "onto !== undefined && candidate?.onto === onto ? candidate : undefined",
    "candidate ?? undefined",
  ]),
  core("queue.ts", "a merge does not wait for its turn", [
    "run.queue[0] === task.def.id ? {",
    "run.queue.length > 0 ? {",
  ]),
  core("queue.ts", "a merged tree is not checked", [
    'if (!isProven(task, fits.tree)) return { needs: "check", candidate: fits };',
    "",
  ]),
  core("effect.ts", "nobody is told what was prepared before", ["attempt.candidate?.commit ?? null", "null"]),
  core("effect.ts", "a merge's key does not name what it is put onto", [
    'key("prepare-merge", of)',
    'key("prepare-merge")',
  ]),
  core("effect.ts", "a move's key does not name its commit", [
    "key(kind, `+${candidate.commit}`)",
    "key(kind)",
  ]),
  core("meanings/attempt.ts", "the last to come is merged first", [
    "run.queue.push(id)",
    "run.queue.unshift(id)",
  ]),
  core("meanings/attempt.ts", "a merge moves no tip", [
    "task.commit = commit;\n    });\n    moveTo(run, tip);",
    "task.commit = commit;\n    });",
  ]),
  core("meanings/run.ts", "what a host took over stays in the queue", [
    "    run.queue = run.queue.filter((each) => each !== id);\n",
    "",
  ]),
  core("task.ts", "what ended stays in the queue", [
    "    run.queue = run.queue.filter((id) => id !== task.def.id);\n",
    "",
  ]),
  core("steps/attempt.ts", "merged as soon as it is prepared", [
    "if (merged) return completed(task, merged);",
    "if (candidate) return completed(task, { commit: candidate.commit, tip: candidate.commit });",
  ]),
  core("steps/attempt.ts", "a moved branch is taken for a merge", [
    "candidate?.commit !== tip ||",
    "!candidate ||",
  ]),
  core("steps/attempt.ts", "somebody's move costs a try", [
    'return [{ kind: "branch-moved", tip: outcome.tip, reason }];',
    costsATry,
  ]),
  core("steps/attempt.ts", "a limit strikes who waits in the queue", [
    'return attempt.stage !== "integrating" || placeInQueue(run, task).needs === "check";',
    "return true;",
  ]),
  core("steps/branch.ts", "an undone task leaves the run complete", [", ...reopened(run));", ");"]),
  store("git.ts", "the branch is moved from anywhere", ["if (this.tip !== onto) return false;", ""]),
  store("carriers.ts", "what was merged before is merged again", [
    "earlier !== null && git.isAncestor(earlier, onto)",
    'earlier === "nothing"',
  ]),
  store("carriers.ts", "the branch is moved without the run", [
    "(run) => this.#isWanted(run, effect)",
    "() => true",
  ]),
];

const attemptMutants: readonly Mutant[] = [
  core("meanings/attempt.ts", "a loss costs a try", ["  task.tries--;\n", ""]),
  core("meanings/attempt.ts", "losses are not counted", ["      task.losses++;\n", ""]),
  core("meanings/task.ts", "an attempt begins with old evidence", [
    "done: null, evidence: null",
    "done: null",
  ]),
  core("steps/attempt.ts", "a task may be lost for ever", ["|| task.losses + 1 >= run.policy.losses", ""]),
  core("steps/attempt.ts", "orphans are never skipped", ['run.onOrphan === "skip" || ', ""]),
  core("steps/attempt.ts", "orphans never halt the run", [
    'run.onOrphan === "abort" && !run.halt',
    "run.slots < 0",
  ]),
  core("steps/attempt.ts", "a lost agent is a failure", [
    "return lost(run, task, { reason, runMs });",
    costsATry,
  ]),
  core("steps/attempt.ts", "nobody reviews", [
    'run.policy.review ? "reviewing" : "integrating"',
    '"integrating"',
  ]),
  core("steps/attempt.ts", "a result is fixed again and again", [
    'if (task.attempt?.stage === "working") return',
    "if (task.attempt) return",
  ]),
  core("steps/attempt.ts", "a question does not end the attempt", [
    'if (asked.some((fact) => fact.kind === "question-asked"))',
    "if (run.slots < 0)",
  ]),
  core("machines/placement.ts", "who waits in the queue takes a slot", [" || isWaiting(run, task)", ""]),
  core("follow.ts", "two write the same file", [" || own.some((each) => taken.has(each))", ""]),
  core("follow.ts", "two that start together share a file", [
    "      for (const each of own) taken.add(each);\n",
    "",
  ]),
  core("follow.ts", "two have the same thing for themselves", ["...(def.exclusive ?? [])", "...[]"]),
  core("follow.ts", "a task starts without its answer", ["asksSomething(run, id) || own", "own"]),
  core("follow.ts", "all tasks start although some were named", ["run.only ? named(run, run.only) : ", ""]),
  core("follow.ts", "a task named twice starts twice", ["[...new Set(only)]", "[...only]"]),
  core("follow.ts", "calls under way cost nothing", [
    "runBudgetCrossed(run, calls + chosen.length)",
    "runBudgetCrossed(run, 0)",
  ]),
  core("follow.ts", "an attempt begins where the branch began", ["base: branch.tip", "base: branch.start"]),
  core("follow.ts", "limits run while halted", ["run.halt?.now ? [] : timeLimits", "timeLimits"]),
  core("meanings/run.ts", "what was halted is late", ["    if (now) stopLimits(run);\n", ""]),
  core("steps/branch.ts", "anybody speaks for an attempt", ["task.attempt?.number === attempt &&", ""]),
];

const jobMutants: readonly Mutant[] = [
  core("steps/job.ts", "a role starts beside another", ["if (run.job || asksSomething", "if (asksSomething"]),
  core("steps/job.ts", "the fixer is asked again and again", [
    "if (!job.repaired) return",
    "if (job.role) return",
  ]),
  core("steps/job.ts", "a role is tried for ever", [
    "again && tries < run.policy.attempts",
    "again && tries < 9 + run.policy.attempts",
  ]),
  core("steps/job.ts", "a role has no limit", ["run.job.dueMs > runMs", "run.job.dueMs > 0"]),
  core("steps/job.ts", "an output is taken unchecked", ['if (job.stage === "checking")', "if (job.stage)"]),
  core("meanings/job.ts", "a role's tries are not counted", [
    "tries: record.tries + 1",
    "tries: record.tries",
  ]),
  core("meanings/run.ts", "resuming gives a role no new try", ['run.halt?.code === "job"', "run.slots < 0"]),
  core("steps/engine.ts", "a role's late answers count", [
    "effectOfJob(run, run.job).key === key",
    "key.includes(run.job.role)",
  ]),
];

const verifyMutants: readonly Mutant[] = [
  protocol("verification.ts", "gaps are planned for ever", ["() => GAP_PLANS", "() => 9 + GAP_PLANS"]),
  protocol("verification.ts", "a verdict counts for other work", ["&& !isOfTheWork(seen)", "&& !seen.run"]),
  protocol("verification.ts", "what has gaps is complete", ['passed ? "passed" : "gaps"', '"passed"']),
];

const engineMutants: readonly Mutant[] = [
  engine("hold.ts", "a replaced orchestrator goes on", [
    "run.epoch !== this.#epoch",
    "run.epoch < this.#epoch",
  ]),
  engine("hold.ts", "every holder is taken for dead", ["isAlive(known.holder)", "!isAlive"]),
  engine("ask-holder.ts", "a holder elsewhere is not waited for", [
    "if (!isSame(asked, await open())) return undefined;",
    "return asked;",
  ]),
  engine("hold.ts", "run time starts again with every holder", [
    "claim.clock.monotonicMs() - runMs;",
    "claim.clock.monotonicMs();",
  ]),
  engine("hold.ts", "others are not noticed", ["return this.#newest > this.#seen;", "return false;"]),
  core("idle.ts", "an orchestrator leaves what is under way", [
    'if (run.job || run.running.some((id) => taskOf(run, id).attempt?.driver === "engine")) return false;',
    "",
  ]),
  engine("hold.ts", "times that facts name are forgotten", [
    "for (const { fact } of committed.entries) this.#noteTimes(fact);",
    "",
  ]),
  engine("hold.ts", "times from before a hold are forgotten", ["new Set(times)", "new Set<number>()"]),
  engine("loop.ts", "time passes unnoticed", ['if (await hold.isDue()) return { kind: "tick" };', ""]),
  engine("loop.ts", "effects are told once only", ["if (hold.othersWrote()) return undefined;", ""]),
  engine("world.ts", "what is not wanted goes on", ["if (!wanted.has(key)) stop.abort();", ""]),
  engine("world.ts", "stopping waits for nothing", [
    "    await Promise.all(ending.map(({ done }) => done));\n",
    "",
  ]),
];

const machineMutants: readonly Mutant[] = [
  core("machines/placement.ts", "a machine takes more than its slots", [
    "left(name, slots)] as const",
    "slots] as const",
  ]),
  core("machines/placement.ts", "a machine that is away takes tasks", [
    'fleet?.machines.filter(({ standing }) => standing === "there") ?? []',
    "fleet?.machines ?? []",
  ]),
  core("machines/placement.ts", "labels do not count", [
    "wanted.labels.every((label) => labels.includes(label))",
    "wanted.labels.length >= 0 || labels.length > 0",
  ]),
  core("machines/placement.ts", "what this machine cannot check is moved here", [
    "return !fleet || (fleet.here.slots > 0 && hasLabels(fleet.here, wantedBy(fleet, def)));",
    "return !fleet || wantedBy(fleet, def).labels.length >= 0;",
  ]),
  core("meanings/machine.ts", "a question to a machine is asked twice", ["asked: position", "asked: 1"]),
  core("machines/fleet.ts", "a machine that left is never asked again", [
    "notBeforeMs <= runMs,",
    "notBeforeMs === 0 && runMs >= 0,",
  ]),
  core("steps/attempt.ts", "a lost machine costs a try", [
    "return withoutMachine(run, task, { reason, runMs, begun: outcome.begun });",
    "return [failed(run, task, { ...outcome, runMs })];",
  ]),
  core("steps/attempt.ts", "work that is at home is begun anew", [
    "if (attempt?.work && attempt.machine !== undefined && fitsHere(run, task)) {",
    "if (!attempt && fitsHere(run, task)) {",
  ]),
  core("meanings/attempt.ts", "an attempt that moved keeps its key", [
    "Object.assign(attempt, { holds: (attempt.holds ?? 0) + 1, dueMs });",
    "Object.assign(attempt, { dueMs });",
  ]),
  core("meanings/run.ts", "a new orchestrator trusts old answers of machines", [
    "    forgetAnswers(run);\n",
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
  ...baselineMutants,
  ...queueMutants,
  ...attemptMutants,
  ...jobMutants,
  ...verifyMutants,
  ...engineMutants,
  ...machineMutants,
  ...storeMutants,
];
