// The mission's documents: their schemas, and what schemas cannot say. All problems at once, each with its place.
import type { Hint } from "../../../core/hint.ts";
import type { Problem } from "../../../core/problem.ts";
import { isAlwaysGreen } from "../../../protocols/always-green.ts";
import { type Checked, checkArtifact } from "../../../protocols/check-artifact.ts";
import type { Source } from "../../../protocols/document.ts";
import { type Spot, shown } from "../../../protocols/spot.ts";
import { pathProblems } from "../../../protocols/target-path.ts";
import { shellWords } from "../../decomposition/checks/shell-words.ts";
import { type MissionPlan, missionPlan } from "./plan.ts";
import { missionResearch } from "./research.ts";
import { type MissionSession, missionSession } from "./session.ts";
import { type MissionSummary, missionSummary } from "./summary.ts";
import { type MissionVerification, missionVerification } from "./verification.ts";

export function checkPlan(source: Source): Checked<MissionPlan> {
  return checkArtifact(missionPlan, source, { wrong: wrongSteps, unwise: largeSteps });
}

/** For a plan that is handed in: each command must be able to fail, unless a person allowed it (D22). */
export function checkNewPlan(source: Source, allowed: readonly string[]): Checked<MissionPlan> {
  const empty = allowed.includes("empty-command") ? () => [] : emptyCommands;
  const wrong = (root: Spot) => [...wrongSteps(root), ...empty(root)];
  return checkArtifact(missionPlan, source, { wrong, unwise: largeSteps });
}

function emptyCommands(root: Spot): Problem[] {
  return root.at("tasks").items.flatMap((step) => {
    const command = step.at("verification_cmd");
    if (command.text === undefined || !isAlwaysGreen(command.text)) return [];
    const said = `${shown(command.text)} passes no matter what the step does`;
    const hint: Hint = [
      "write a command that is red until the step is done, or: ",
      { do: "allow", code: "empty-command" },
    ];
    return [command.problem("empty-command", said, hint)];
  });
}

export const checkResearch = (source: Source) => checkArtifact(missionResearch, source);
export const checkSession = (source: Source): Checked<MissionSession> =>
  checkArtifact(missionSession, source);

function wrongSteps(root: Spot): Problem[] {
  const seen = new Set<string>();
  return root.at("tasks").items.flatMap((step) => {
    const problems = [
      ...doubled(step.at("id"), seen),
      ...step.at("dependencies").items.flatMap((id) => notBefore(id, seen)),
      ...step.at("files").items.flatMap(pathProblems),
      ...unreadableCommand(step.at("verification_cmd")),
    ];
    if (step.at("id").text !== undefined) seen.add(step.at("id").text ?? "");
    return problems;
  });
}

function doubled(id: Spot, seen: ReadonlySet<string>): Problem[] {
  if (id.text === undefined || !seen.has(id.text)) return [];
  return [id.problem("doubled-task", `the task ${shown(id.text)} is listed twice`, "give each its own id")];
}

/** Tasks are done in the order of the list: what one needs stands before it. */
function notBefore(id: Spot, seen: ReadonlySet<string>): Problem[] {
  if (id.text === undefined || seen.has(id.text)) return [];
  return [
    id.problem(
      "not-before",
      `the dependency ${shown(id.text)} does not stand before the task that needs it`,
      "put the tasks in the order in which they are done",
    ),
  ];
}

function unreadableCommand(command: Spot): Problem[] {
  if (command.text === undefined) return [];
  const read = shellWords(command.text);
  if (!("fault" in read)) return [];
  return [command.problem("bad-command", `no shell can read the command: ${read.fault}`, "fix its quoting")];
}

const manyFiles = 3;

function largeSteps(root: Spot): Problem[] {
  return root.at("tasks").items.flatMap((step) => {
    const files = step.at("files");
    if (files.items.length <= manyFiles) return [];
    const said = `task ${shown(step.at("id").value)} concerns ${files.items.length} files`;
    return [
      files.problem("large-task", said, `split it: ${manyFiles} files at most are easily kept in mind`),
    ];
  });
}

export interface SummarySource extends Source {
  readonly taskId: string;
}

export function checkSummary(input: SummarySource): Checked<MissionSummary> {
  return checkArtifact(missionSummary, input, (root) => [
    ...wrongTask(root.at("task_id"), input.taskId),
    ...root.at("changes").items.flatMap((change) => pathProblems(change.at("file"))),
    ...silent(root),
  ]);
}

function wrongTask(id: Spot, wanted: string): Problem[] {
  if (id.text === undefined || id.text === wanted) return [];
  const said = `the summary is about task ${shown(id.text)}, but is taken for \`${wanted}\``;
  return [id.problem("wrong-task", said, `write \`"task_id": "${wanted}"\` if it is about that one`)];
}

/** Whoever stops short says why: a person, or the next try, goes by it. */
function silent(root: Spot): Problem[] {
  const status = root.at("status");
  if (status.text === undefined || status.text === "complete") return [];
  const said = root.at("message").text ?? root.at("checkpoint").at("message").text ?? "";
  if (said.trim() !== "") return [];
  return [status.problem("no-message", `\`${status.text}\` comes without a reason`, 'add `"message": "…"`')];
}

export interface VerificationSource extends Source {
  /** What the plan says must be true; not compared when it is left out. */
  readonly truths?: readonly string[];
}

export function checkVerification({
  truths = [],
  ...source
}: VerificationSource): Checked<MissionVerification> {
  return checkArtifact(missionVerification, source, (root) => [
    ...contradiction(root),
    ...unchecked(root.at("checks"), truths),
  ]);
}

function contradiction(root: Spot): Problem[] {
  const passed = root.at("passed");
  const failed = root.at("checks").items.filter((check) => check.at("verdict").text === "fail");
  const gaps = root.at("gaps").items;
  if (passed.value === true && failed.length > 0)
    return [passed.problem("contradiction", "it passed, and a check failed", "set `passed` to false")];
  if (passed.value === true && gaps.length > 0)
    return [
      passed.problem("contradiction", "it passed, and has gaps", "set `passed` to false, or drop them"),
    ];
  if (passed.value === false && gaps.length === 0)
    return [passed.problem("no-gaps", "it did not pass, and names no gap", "list in `gaps` what is missing")];
  return [];
}

const plain = (text: string) => text.trim().replace(/\s+/g, " ");

function unchecked(checks: Spot, truths: readonly string[]): Problem[] {
  const claims = new Set(checks.items.map((check) => plain(check.at("claim").text ?? "")));
  return truths
    .filter((truth) => !claims.has(plain(truth)))
    .map((truth) =>
      checks.problem(
        "unchecked",
        `no check is about ${shown(truth)}`,
        "add one with that sentence as its `claim`, word for word",
      ),
    );
}
