// What an effect answers when all goes well. Trees and commits are spelled as what they hold: `main+T001+T002`.
import type { AttemptEffect } from "../../src/core/effect.ts";
import type { Outcome } from "../../src/core/input.ts";
import { type Run, taskOf } from "../../src/core/run.ts";

export function goodOutcome(run: Run, effect: AttemptEffect): Extract<Outcome, { ok: true }> {
  const { task: id } = effect;
  const { attempt } = taskOf(run, id);
  const work = `${attempt?.base}+${id}`;
  switch (effect.kind) {
    case "run-agent":
    case "repair-result":
      return {
        ok: true,
        work: {
          commit: `work-${work}#${effect.attempt}`,
          tree: work,
          created: [`${id}.ts`],
          modified: [],
          differences: [],
        },
      };
    case "run-checks":
      return { ok: true, evidence: evidenceFor(attempt?.work?.tree ?? "") };
    case "check-merge":
      return { ok: true, evidence: evidenceFor(effect.candidate.tree) };
    case "prepare-merge": {
      const merged = `${effect.onto}+${id}`;
      return { ok: true, candidate: { commit: merged, tree: merged, onto: effect.onto } };
    }
    case "move-branch":
      return { ok: true, merged: { commit: effect.candidate.commit, tip: effect.candidate.commit } };
    default:
      return { ok: true };
  }
}

export function evidenceFor(tree: string, ok = true) {
  const check = {
    criterion: "it works",
    command: "true",
    ok,
    exit: ok ? 0 : 1,
    ms: 1,
    digest: "d",
    log: "l",
  };
  return { tree, checks: [{ ...check, note: null }] };
}
