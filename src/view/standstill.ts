// Why a run stands still, for the person who must do something about it: everything that was wrong, uncut, where it
// lies, and what to type.
import type { Run } from "../core/run.ts";
import { commandOf } from "../core/steps/phase.ts";
import { hintText, inShell, type Manner } from "./hint.ts";
import { oneLine } from "./safe.ts";

const most = 20;

export function standstillText(run: Run, heddleDir: string, manner: Manner = inShell): string {
  const question = run.questions.find(({ answer }) => answer === null);
  if (question) {
    const answer = { do: "answer", question: oneLine(question.id) } as const;
    return `hint: ${hintText([answer, ", then: ", commandOf(run)], manner)}`;
  }
  if (run.halt?.code === "job") return refusedText(run, heddleDir, manner);
  if (run.halt?.interrupted) return `hint: ${hintText(commandOf(run), manner)} goes on`;
  return blockedText(run, manner) ?? `hint: ${manner("why")}`;
}

function refusedText(run: Run, heddleDir: string, manner: Manner): string {
  const { id, halt, jobs } = run;
  const job = jobs[halt?.role ?? ""];
  if (!job) return `hint: ${manner("why")}`;
  const more = job.problems.length - most;
  return [
    ...job.problems.slice(0, most).map((problem) => `  - ${oneLine(problem)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    `what it was given, wrote and printed: ${heddleDir}/attempts/${id}/${job.role}-${job.attempts}`,
    `hint: ${hintText(commandOf(run), manner)} gives ${job.role} another try`,
  ].join("\n");
}

function blockedText({ phase, artifacts, planningDir }: Run, manner: Manner): string | undefined {
  const { verdict, summary } = artifacts.task_validation?.content ?? {};
  if (phase !== "validation" || verdict !== "BLOCKED") return undefined;
  return [
    `BLOCKED: ${oneLine(String(summary))}`,
    `the report is at ${planningDir}/reports/task-validation-report.md`,
    `hint: fix the task files, then: ${manner("verify-plan")}`,
  ].join("\n");
}
