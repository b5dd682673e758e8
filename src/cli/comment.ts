// Recording what a person wants the next attempt at a task to know.
import { find } from "../core/answer.ts";
import { isProblem } from "../core/problem.ts";
import { type App, Refused } from "../engine/app.ts";
import { type Comment, commenting, isComment } from "../page/comment.ts";

export async function comment(app: App, said: Comment): Promise<void> {
  const number = await app.look((run) => {
    const found = find(run, said.task);
    if (isProblem(found)) throw new Refused([found]);
    return run.questions.filter(isComment).length + 1;
  });
  await app.submitAll(commenting(said, number));
}
