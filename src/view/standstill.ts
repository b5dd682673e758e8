// Why a run stands still, for the person who must do something about it: everything that was wrong, uncut, where it
// lies, and what to type.
import type { Run } from "../core/run.ts";
import { commandOf } from "../core/step-phase.ts";
import { oneLine } from "./safe.ts";

const most = 20;

export function standstillText(run: Run, heddleDir: string): string {
  const question = run.questions.find(({ answer }) => answer === null);
  if (question) return `hint: heddle answer ${oneLine(question.id)} "<text>", then: ${commandOf(run)}`;
  if (run.halt?.code === "job") return refusedText(run, heddleDir);
  if (run.halt?.reason === "Ctrl-C") return `hint: ${commandOf(run)} goes on`;
  return blockedText(run) ?? "hint: heddle why";
}

/** The role that gave up is the first word of the halt. */
function refusedText(run: Run, heddleDir: string): string {
  const { id, halt, jobs } = run;
  const job = Object.values(jobs).find(({ role }) => halt?.reason.startsWith(`${role} `));
  if (!job) return "hint: heddle why";
  const more = job.problems.length - most;
  return [
    ...job.problems.slice(0, most).map((problem) => `  - ${oneLine(problem)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    `what it was given, wrote and printed: ${heddleDir}/attempts/${id}/${job.role}-${job.attempts}`,
    `hint: ${commandOf(run)} gives ${job.role} another try`,
  ].join("\n");
}

function blockedText({ phase, artifacts, planningDir }: Run): string | undefined {
  const { verdict, summary } = artifacts.task_validation?.content ?? {};
  if (phase !== "validation" || verdict !== "BLOCKED") return undefined;
  return [
    `BLOCKED: ${oneLine(String(summary))}`,
    `the report is at ${planningDir}/reports/task-validation-report.md`,
    "hint: mend the task files, then: heddle verify-plan",
  ].join("\n");
}
