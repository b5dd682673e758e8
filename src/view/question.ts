// A question of a run as people read it: who asks, what, and what could be answered. Whatever is typed is an answer: the options
// are only what the asker thought of (L18).

import type { Run } from "../core/run.ts";
import type { Question } from "../core/run-parts.ts";

/** Which task, role or document of which run asks. */
export function askerOf(
  run: Pick<Run, "id" | "protocol" | "tasks">,
  { about }: Pick<Question, "about">,
): string {
  const [name = ""] = about.split("@", 1);
  if (about.includes("@") && Object.hasOwn(run.protocol.artifacts, name)) return `the ${name} of ${run.id}`;
  if (run.tasks.get(about)) return about;
  return /^[a-z][a-z-]*$/.test(about) ? `${about} of ${run.id}` : run.id;
}

export function questionText(run: Pick<Run, "id" | "protocol" | "tasks">, question: Question): string {
  return `${askerOf(run, question)} asks: ${question.text}`;
}

/** An option by its number or its whole name; anything else is as it was typed. */
export function freeAnswer(options: readonly string[], typed: string): string {
  const words = typed.trim();
  const byNumber = /^\d{1,3}$/.test(words) ? options[Number(words) - 1] : undefined;
  return byNumber ?? options.find((option) => option.toLowerCase() === words.toLowerCase()) ?? words;
}
