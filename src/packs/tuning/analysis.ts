// The deep analysis, beside the loop (S5): under way whenever the state says that it is running, so that a crash or a
// halt in between starts it again, and what has ended is taken over. Its end is a change of the state like any other.
import { join } from "node:path";
import type { Input } from "../../core/input.ts";
import type { Json, Run } from "../../core/run.ts";
import type { Beside } from "../../engine/drive.ts";
import { replaceFile } from "../../host/files.ts";
import { caseOf, notedIn } from "./actions.ts";
import { type Advised, deepAnalysis, type Tuning } from "./agents.ts";
import { stateAt } from "./subjects.ts";

const action = "action-gemini-analysis";

export class DeepAnalysis implements Beside {
  readonly #tuning: Tuning;
  #stop = new AbortController();
  #underway: Promise<void> | undefined;
  #ended: Advised | undefined;

  constructor(tuning: Tuning) {
    this.#tuning = tuning;
  }

  isUnderway(): boolean {
    return this.#underway !== undefined;
  }

  follow(run: Run, tell: (input: Input) => void): (() => void) | undefined {
    if (stateAt(run, "gemini_analysis.status") !== "running")
      return () => {
        this.#underway = undefined;
      };
    if (!this.#underway && !run.halt) {
      const about = caseOf(run);
      return () => {
        this.#underway = this.#begin(about, tell);
      };
    }
    // An action that is at work would not see what is told now.
    if (!this.#ended || run.job !== null) return undefined;
    const { advice } = this.#ended;
    const [inputs, { planningDir }] = [endOf(run, this.#ended), run];
    return () => {
      keepAnalysis(planningDir, advice);
      for (const input of inputs) tell(input);
      this.#ended = undefined;
    };
  }

  async #begin(about: ReturnType<typeof caseOf>, tell: (input: Input) => void): Promise<void> {
    const { signal } = this.#stop;
    const ended = await deepAnalysis(this.#tuning, about, signal).catch((error: Error) => ({
      error: error.message,
    }));
    if (signal.aborted) return;
    this.#ended = ended;
    tell({ kind: "tick" });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#underway;
    [this.#underway, this.#ended, this.#stop] = [undefined, undefined, new AbortController()];
  }
}

function keepAnalysis(planningDir: string, advice: Advised["advice"]): void {
  const found = advice?.analysis;
  if (!found) return;
  replaceFile(join(planningDir, "diagnosis/deep-analysis.json"), `${JSON.stringify(found, null, 2)}\n`);
}

function endOf(run: Run, { advice, error, usage }: Advised): Input[] {
  const found = advice?.analysis;
  const gemini: Json = found ? { status: "completed" } : { status: "failed", error: error ?? "" };
  const left = found
    ? { result: { stateUpdates: {}, outputFiles: [], summary: summaryOf(found) } }
    : { error: `nobody looked deeper: ${error}` };
  const values = { gemini_analysis: gemini, ...notedIn(run, action, left) };
  const spent: Input[] = usage ? [{ kind: "record-usage", task: null, ...usage }] : [];
  return [...spent, { kind: "set", values }];
}

function summaryOf(found: {
  readonly root_causes: readonly unknown[];
  readonly recommendations: readonly unknown[];
}) {
  const count = ({ length }: readonly unknown[], what: string) =>
    `${length} ${what}${length === 1 ? "" : "s"}`;
  return `an agent names ${count(found.root_causes, "root cause")} and ${count(found.recommendations, "recommendation")}`;
}
