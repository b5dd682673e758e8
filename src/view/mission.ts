// Why a mission stands still: a code for programs, a sentence for people, and the command that goes on (M9).

import { decide } from "../core/protocol.ts";
import type { Run } from "../core/run.ts";
import { wayOn } from "../core/step-halt.ts";
import { currentTask, openQuestion } from "../protocols/mission/subjects.ts";

export interface Standing {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export function standingOf(run: Run): Standing {
  return halted(run) ?? asked(run) ?? ruled(run);
}

function halted({ halt, usage }: Run): Standing | undefined {
  if (!halt) return undefined;
  const { code, reason: message } = halt;
  if (code === "budget")
    return {
      code,
      message,
      hint: `heddle resume --budget ${Math.ceil(usage.costUsd * 2 + 1)}, then: heddle mission`,
    };
  const own = code === "job" || message === "Ctrl-C";
  return { code, message, hint: own ? "heddle mission" : `${wayOn(halt)}, then: heddle mission` };
}

/** A role that asks before there is a plan; what tasks ask is the rules' affair. */
function asked(run: Run): Standing | undefined {
  const question = run.questions.find(({ answer }) => answer === null);
  if (!question || openQuestion(run)) return undefined;
  return { code: "question", message: question.text, hint: answering(question.id) };
}

const answering = (id: string) => `heddle answer ${id} "<text>", then: heddle mission`;

function ruled(run: Run): Standing {
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  if (rule?.then.kind !== "halt")
    return { code: "working", message: rule?.name ?? run.phase, hint: "heddle mission" };
  const { code, hint } = rule.then;
  return { code, message: rule.name, hint, ...particulars(run, code) };
}

function particulars(run: Run, code: string): Partial<Standing> {
  const question = openQuestion(run);
  if (question) return { message: question.text, hint: answering(question.id) };
  if (code === "task_failed") return failure(run);
  return code === "gaps_remain" ? { message: gapsText(run) } : {};
}

function gapsText({ artifacts: { verification } }: Run): string {
  const { gaps } = verification?.content ?? {};
  const listed = Array.isArray(gaps) ? gaps.map(String) : [];
  return `the gap plans are used up, and gaps remain: ${listed.join("; ")}`;
}

/** Why a plan that is verified as a whole stands still, if it does. */
export function verifyingStands(run: Run): Standing | undefined {
  if (run.halt || run.phase !== "verifying") return undefined;
  const standing = ruled(run);
  if (standing.code === "working") return undefined;
  return standing.code === "gaps_remain" ? { ...standing, message: gapsText(run) } : standing;
}

function failure(run: Run): Partial<Standing> {
  const task = currentTask(run)?.task;
  if (!task) return {};
  const { id } = task.def;
  const final = task.failure?.retryable === false ? " --force" : "";
  return {
    message: `Task Failed: ${id}, after ${task.tries} tries: ${task.failure?.error ?? "it is held back"}`,
    hint: `heddle state retry-task ${id}${final}, then: heddle mission`,
  };
}
