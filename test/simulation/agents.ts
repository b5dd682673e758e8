// Agents, roles and checks as heddle meets them: they finish, fail, lie, crash, dawdle, hang, and some outlive the
// one that started them. What they leave on disk outlives everybody. The simulation remembers who really said what.
import type { Outcome } from "../../src/core/input.ts";
import type { Problem } from "../../src/core/problem.ts";
import { type Behaviour, draw, type Knowledge, type Report, reportOf, saying } from "./behaviour.ts";
import type { Ledger } from "./ledger.ts";
import type { SimProcess } from "./process.ts";
import type { Said } from "./rules.ts";
import type { Simulation } from "./simulation.ts";
import { identityOf, isTaskWork, nameOf, type Work } from "./work.ts";

interface Agent {
  readonly owner: SimProcess;
  readonly work: Work;
  alive: boolean;
  /** Whether it finishes although nobody waits for it any more. */
  isStray: boolean;
}

interface Ending {
  readonly behaviour: Behaviour;
  readonly report: Report;
  readonly resolve: (report: Report) => void;
  readonly reject: (error: Error) => void;
}

/** Where an agent that nobody started brings its answer: whoever orchestrates now. */
export type Mail = (key: string, outcome: Outcome) => void;

export class Agents {
  readonly #sim: Simulation;
  readonly #knowledge: Knowledge;
  readonly #mail: Mail;
  readonly #results = new Map<string, Report>();
  readonly #said = new Map<string, Said[]>();
  readonly #answers = new Map<string, number>();
  readonly #agents = new Set<Agent>();
  /** Attempts whose agents did not do what they say, and who started each. */
  readonly #lies = new Set<string>();
  readonly #starters = new Map<string, SimProcess>();
  limitsMs = { prepare: 0, work: 0, check: 0 };

  constructor(sim: Simulation, { knowledge, mail }: { knowledge: Omit<Knowledge, "isGood">; mail: Mail }) {
    this.#sim = sim;
    this.#knowledge = {
      ...knowledge,
      isGood: (work) => !this.#lies.has(nameOf(work)),
    };
    this.#mail = mail;
  }

  said(identity: string): readonly Said[] {
    return this.#said.get(identity) ?? [];
  }

  say(work: Work, said: Said): void {
    const identity = identityOf(work);
    this.#said.set(identity, [...this.said(identity), said]);
  }

  /** An answer is on its way to heddle. */
  answered(key: string): void {
    this.#answers.set(key, (this.#answers.get(key) ?? 0) + 1);
  }

  /** The result that an earlier one left for this very attempt and stage. Documents are checked anew each time. */
  found(work: Work): Report | undefined {
    return work.kind === "check-output" ? undefined : this.#results.get(resultName(work));
  }

  /** The agent of an attempt died with its orchestrator: processes are never taken over. */
  isOrphan(owner: SimProcess, work: Work): boolean {
    const starter = this.#starters.get(nameOf(work));
    const isAgent = work.kind === "run-agent" || work.kind === "run-role";
    return isAgent && starter !== undefined && starter !== owner;
  }

  /** Starts an agent, or the checks. Settles when it answers or has been ended; a hanging one needs the signal. */
  start(owner: SimProcess, work: Work, signal: AbortSignal): Promise<Report> {
    const { random, faults, settling } = this.#sim;
    const agent: Agent = { owner, work, alive: true, isStray: false };
    this.#agents.add(agent);
    const behaviour = draw(this.#sim, work);
    const report = reportOf(this.#sim, this.#knowledge, { work, behaviour });
    const limitMs = this.#limitMs(work);
    if (work.kind === "run-agent" || work.kind === "run-role") this.#starters.set(nameOf(work), owner);
    const usualMs = random.between(5, settling ? 60 : 250);
    const lastsMs = behaviour === "slow" ? Math.round(limitMs * (1.05 + random.next())) : usualMs;
    return new Promise((resolve, reject) => {
      if (behaviour !== "hangs")
        this.#sim.schedule.after(lastsMs, () => this.#finish(agent, { behaviour, report, resolve, reject }));
      const end = () =>
        this.#end(agent, random.chance(faults.answerLate), () => resolve(endedReport(report)));
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
  }

  #limitMs({ kind }: Work): number {
    if (kind === "prepare-workspace") return this.limitsMs.prepare;
    return kind === "run-agent" || kind === "run-role" ? this.limitsMs.work : this.limitsMs.check;
  }

  /** Agents end with their orchestrator, but for those that nothing confines. */
  ownerEnded(owner: SimProcess): void {
    for (const agent of this.#agents) {
      if (agent.owner !== owner || agent.isStray) continue;
      if (this.#sim.random.chance(this.#sim.faults.answerLate)) agent.isStray = true;
      else this.#forget(agent);
    }
  }

  cutPower(): void {
    for (const agent of this.#agents) this.#forget(agent);
  }

  hasLiving(owner: SimProcess): boolean {
    return [...this.#agents].some((agent) => agent.owner === owner && !agent.isStray);
  }

  /** Which kind of stale answer was refused. */
  classify({ message }: Problem, { epoch, started }: Pick<Ledger, "epoch" | "started">): void {
    const [, key, name, number, of] =
      /`([a-z]+-[a-z]+:(.+)#(-?\d+)\+?(?:~\d+)?@(\d+)[^`]*)`/.exec(message) ?? [];
    if (!key || !name) return;
    if (Number(of) < epoch) this.#sim.saw("answer of an older epoch refused");
    else if (Number(number) < (started.get(name) ?? 0)) this.#sim.saw("answer of an older attempt refused");
    else if ((this.#answers.get(key) ?? 0) > 1) this.#sim.saw("doubled answer refused");
    else this.#sim.saw("answer after a cancellation refused");
  }

  #finish(agent: Agent, { behaviour, report, resolve, reject }: Ending): void {
    if (!agent.alive) return;
    const { owner, work, isStray } = agent;
    this.#forget(agent);
    if (behaviour !== "crashes") this.#leave(work, report, behaviour);
    if (isStray && behaviour === "crashes") return;
    if (isStray) {
      this.#sim.note(`stray answer of ${work.key}`);
      this.say(work, report.said);
      this.answered(work.key);
      this.#mail(work.key, report.outcome);
      return;
    }
    if (behaviour === "lost") {
      this.#sim.saw("answer lost");
      return;
    }
    owner.after(this.#sim.random.between(0, 5), () => {
      if (behaviour === "crashes") reject(new Error("the agent crashed"));
      else resolve(report);
    });
  }

  /** What is left on disk when it is done. */
  #leave(work: Work, report: Report, behaviour: Behaviour): void {
    const { outcome, said } = report;
    this.#results.set(resultName(work), report);
    this.#sim.note(`result of ${work.key}: ${said.ok ? "ok" : "failed"}`);
    if (!isTaskWork(work)) return;
    const name = nameOf(work);
    if (behaviour === "lies") this.#lies.add(name);
    if (outcome.ok && outcome.work) this.#sim.git.works.set(name, outcome.work);
    if (outcome.ok && outcome.evidence?.checks.length)
      this.#sim.git.sawGreen(name, outcome.evidence.tree, said.digest);
  }

  /** Ends an agent, or thinks so: that takes a moment. Whoever waits for it hears of it, dead or alive. */
  #end(agent: Agent, isStray: boolean, ended: () => void): void {
    if (agent.alive) this.#sim.saw("agent cancelled");
    if (isStray) agent.isStray = true;
    this.#sim.schedule.after(this.#sim.random.between(1, 150), () => {
      if (!isStray) this.#forget(agent);
      agent.owner.after(0, ended);
    });
  }

  #forget(agent: Agent): void {
    agent.alive = false;
    this.#agents.delete(agent);
  }
}

/** A merge is checked for each commit that was prepared. */
function resultName(work: Work): string {
  const of = work.kind === "check-merge" ? ` ${work.candidate.commit}` : "";
  return `${work.kind}:${nameOf(work)}${of}`;
}

/** An agent that was ended has failed, whatever it was about to say. */
function endedReport({ said }: Report): Report {
  const failure = { error: "ended", category: "environment", subcategory: null, retryable: true };
  return saying({ ok: false, kind: "failed", ...failure }, said);
}
