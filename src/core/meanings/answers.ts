// Until when an answer can be corrected: whoever is given it has used it (L18).
import type { Run } from "../run.ts";

/** `about`: what the questions are about whose answers are used now. */
export function useAnswers({ questions }: Run, isMeant: (about: string) => boolean): void {
  for (const question of questions)
    if (question.answer !== null && isMeant(question.about)) question.used = true;
}
