// What a person wants the next attempt at a task to know: a word of advice, or a comment on a line of its diff. It is recorded as a
// question that a person has answered, so that every executor is given it with the other answers.
import type { Input } from "../core/input.ts";
import type { TaskId } from "../core/run.ts";
import type { Question } from "../core/run-parts.ts";
import type { CommentRow } from "./model.ts";

export interface Comment {
  readonly task: TaskId;
  readonly text: string;
  readonly at: { readonly path: string; readonly line: number } | null;
}

const prefix = "comment";

/** `number`: how many the run has already, so that each has a name of its own. */
export function commenting({ task, text, at }: Comment, number: number): readonly [Input, Input] {
  const id = `${prefix}-${task}-${number}`;
  const about =
    at === null ? "What should the next attempt know?" : `What should change at ${at.path}:${at.line}?`;
  return [
    { kind: "ask", id, text: about, options: at === null ? [] : [`${at.path}:${at.line}`], about: task },
    { kind: "answer", id, answer: text },
  ];
}

export const isComment = ({ id }: Pick<Question, "id">) => id.startsWith(`${prefix}-`);

export function commentOf(question: Question): CommentRow | undefined {
  const { answer, answeredBy, askedAt, options } = question;
  if (!isComment(question) || answer === null) return undefined;
  const [, path = "", line = "0"] = /^(.*):(\d+)$/s.exec(options[0] ?? "") ?? [];
  return { path, line: Number(line), text: answer, by: answeredBy ?? "", at: askedAt };
}
