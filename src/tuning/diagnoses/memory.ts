// Memory loss: what was agreed at the beginning and is not there any more when it is needed.
import { type Finding, finding } from "../finding.ts";
import { overlap, type Phase, type Seen, wordsOf } from "../see.ts";
import type { SkillFile } from "../skill.ts";

export function diagnoseMemory(seen: Seen): Finding[] {
  return [
    ...lostConstraints(seen),
    ...barePrompts(seen),
    ...checkpoints(seen),
    ...requestInState(seen),
    ...noCheck(seen),
  ];
}

const constraintTitle =
  /\b(constraints?|requirements?|rules?|invariants?|non-?negotiables?|must(s| hold| not)?)\b/i;

/** Bullets under such a heading, or under `[CONSTRAINTS]` in a prompt. */
export function constraintsOf(file: SkillFile): string[] {
  const stated = file.statements
    .filter(({ form, under }) => form === "item" && constraintTitle.test(under.at(-1) ?? ""))
    .map(({ text }) => text);
  const prompted = file.blocks.flatMap(({ text }) => {
    const [, list = ""] = /\[?CONSTRAINTS\]?:?\s*\n((?:\s*[-*\d].*\n?)+)/i.exec(text) ?? [];
    return list.split("\n").map((line) => line.replace(/^\s*[-*\d.]+\s*/, "").trim());
  });
  return [...stated, ...prompted].filter((text) => text !== "");
}

/** Only where each phase is loaded by itself: within one file nothing is lost. */
function lostConstraints({ phases, phasesAreFiles }: Seen): Finding[] {
  const [first, ...later] = phases;
  if (!phasesAreFiles || !first) return [];
  const constraints = constraintsOf(first.file);
  if (constraints.length === 0) return [];
  return later
    .filter((phase) => !carries(phase, first, constraints))
    .map(({ file, endLine }) =>
      finding("MEM-001", {
        file,
        line: 1,
        endLine: Math.min(endLine, 3),
        description: `none of the ${constraints.length} constraints of \`${first.file.path}\` is repeated or named here`,
        evidence: constraints[0] ?? "",
      }),
    );
}

function carries({ text }: Phase, first: Phase, constraints: readonly string[]): boolean {
  if (/constraint/i.test(text)) return true;
  const [name = ""] = first.file.path.split("/").slice(-1);
  if (text.includes(name)) return true;
  const lines = text.split("\n").map(wordsOf);
  return constraints.some((constraint) => {
    const words = wordsOf(constraint);
    return (
      words.size > 1 &&
      lines.some((line) => line.size > 1 && overlap(line, words) >= 0.6 && line.size >= words.size / 2)
    );
  });
}

/** From the third phase on: the first two are still near the request. */
function barePrompts({ phases }: Seen): Finding[] {
  return phases.slice(2).flatMap(({ file, line, endLine }) =>
    file.blocks
      .filter((block) => block.line >= line && block.endLine <= endLine && !block.isWarning)
      .filter(({ text }) => /^\W*\[?TASK\]?\s*:?\s*$|\[TASK\]|^\W*TASK:/m.test(text))
      .filter(({ text }) => !/constraint|requirement|\brules?\b|\bmust\b/i.test(text))
      .map((block) =>
        finding("MEM-002", {
          file,
          line: block.line,
          endLine: block.endLine,
          description: "the prompt has a task and no constraints, requirements or rules",
        }),
      ),
  );
}

/** Steps of one task are near each other, and an agent does all of its phases in one go. */
function areMany({ phases, phasesAreFiles, skill }: Seen): boolean {
  const isOneGo = skill.kind.endsWith("-agent") || phases.every(({ title }) => /^step\b/i.test(title));
  return phases.length > 3 && (phasesAreFiles || !isOneGo);
}

function checkpoints(seen: Seen): Finding[] {
  const { phases, allText } = seen;
  if (
    !areMany(seen) ||
    /check-?point|snapshot|preserve|save-?point|\bcommit\b|\bsaved?\b|\bresume|persist|\bstate\b|\bwrit(e|es|ten) (it|them|down|to|into)\b/i.test(
      allText,
    )
  )
    return [];
  const middle = phases[Math.floor(phases.length / 2)];
  if (!middle) return [];
  const { file, line } = middle;
  return [
    finding("MEM-003", {
      file,
      line,
      endLine: line,
      description: `${phases.length} phases, and nothing is saved between them`,
    }),
  ];
}

const keepsRequest =
  /constraint|requirement|original_?request|user_?(request|issue|prompt|story)|\bgoals?\b|objective|complaint|\brequest\b|question|["']?\b(target|topic|issue|feature|brief|prompt|task_?description|description)["']?\??\s*:|:\s*["']description["']/i;

/** A document of a few fields is a message, not the state. */
const few = 5;

function requestInState({ schemas }: Seen): Finding[] {
  const files = new Map(
    schemas.filter(({ fields }) => fields.length >= few).map((schema) => [schema.file, schema]),
  );
  return [...files.values()]
    .filter(({ file }) => !schemas.some((each) => each.file === file && keepsRequest.test(each.text)))
    .map(({ file, line, endLine }) =>
      finding("MEM-004", {
        file,
        line,
        endLine,
        description: "no field holds the request, the goal or the constraints",
      }),
    );
}

function noCheck(seen: Seen): Finding[] {
  const { phases, allText, skill } = seen;
  const checks =
    /\b(verif\w*|validat\w*|quality gate|check(s|ed|ing|list)?|review\w*|tests?|accept\w*|confirm\w*|compar\w*|done when)\b/i;
  if (!areMany(seen) || checks.test(allText)) return [];
  const last = phases.at(-1);
  const file = last?.file ?? skill.entry;
  const line = last?.line ?? 1;
  return [
    finding("MEM-005", {
      file,
      line,
      endLine: line,
      description: `${phases.length} phases, and nothing checks the result`,
    }),
  ];
}
