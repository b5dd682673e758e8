// Small plans for tests, written as text: `T001 T002<-T001 T003*<-T001,T002` (a star marks the steel thread).
import { apply, newRun } from "../../src/core/apply.ts";
import type { Fact } from "../../src/core/fact.ts";
import type { Input } from "../../src/core/input.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { Run, TaskDef } from "../../src/core/run.ts";
import { carryOut } from "../../src/core/step.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";

export function planOf(text: string): TaskDef[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => {
      const [name = "", dependencies = ""] = word.split("<-");
      const id = name.replace("*", "");
      const dependsOn = dependencies.split(",").filter((each) => each !== "");
      return definition(id, { dependsOn, steel: name.includes("*") });
    });
}

export function definition(id: string, more: Partial<TaskDef> = {}): TaskDef {
  return {
    id,
    name: `task ${id}`,
    phase: 1,
    dependsOn: [],
    steel: false,
    estimateHours: 1,
    behaviours: [],
    files: [],
    criteria: [],
    file: `tasks/${id}.json`,
    digest: `${id}:${JSON.stringify(more.dependsOn ?? [])}`,
    ...more,
  };
}

/** A run in memory that remembers what each input led to. */
export class Conversation {
  readonly run: Run = newRun("plan-1", decomposition);

  submit(input: Input): { facts: Fact[]; problems: readonly Problem[] } {
    const facts: Fact[] = [];
    const record = (fact: Fact) => {
      facts.push(fact);
      apply(this.run, { position: this.run.position + 1, at: "2026-01-01T00:00:00.000Z", by: "test", fact });
    };
    const problems = carryOut({ run: this.run, record }, input);
    return { facts, problems };
  }

  /** A new plan, in ingestion. */
  static begun(): Conversation {
    const conversation = new Conversation();
    conversation.submit({ kind: "create", targetDir: "/target", planningDir: "/planning" });
    return conversation;
  }

  /** Brings a plan to `ready` without its documents. */
  static ready(plan: string): Conversation {
    const conversation = new Conversation();
    conversation.submit({ kind: "create", targetDir: "/target", planningDir: "/planning" });
    conversation.submit({ kind: "load-plan", tasks: planOf(plan) });
    for (const to of ["logical", "physical", "definition", "validation", "sequencing", "ready"])
      conversation.submit({ kind: "override", reason: "test", to, digests: {} });
    conversation.submit({ kind: "open-branch", name: "heddle/plan-1", start: "main", tip: "main" });
    return conversation;
  }
}

export const holder = { pid: 1, startTime: "1", bootId: "b", host: "h" };
