// The integration branch, and what is said from inside an attempt.
import { accept, find, isProblem, refuse, reopened, type Steps } from "../answer.ts";
import { problem } from "../problem.ts";
import { foundOn } from "./attempt.ts";
import { skipBaseline } from "./baseline.ts";

export const branchSteps: Steps<
  "open-branch" | "skip-baseline" | "propose" | "refuse-proposal" | "undo" | "land"
> = {
  "open-branch": (run, { name, start, tip }) => {
    if (!run.branch) return accept({ kind: "branch-opened", name, start, tip });
    if (run.branch.tip === tip) return accept();
    const found = foundOn(run, tip);
    if (found.length > 0) return accept(...found);
    return accept({ kind: "branch-moved", tip, reason: `${name} was moved by somebody else` });
  },
  propose: (run, { task: id, attempt, status, summary }) => {
    const task = find(run, id);
    if (isProblem(task)) return refuse(task);
    if (task.attempt?.number === attempt && task.attempt.stage === "working")
      return accept({ kind: "proposal-recorded", task: id, attempt, status, summary });
    return refuse(problem("late", `attempt ${attempt} of \`${id}\` is over: its word changes nothing`));
  },
  "refuse-proposal": (_run, { task, attempt, what, reason }) =>
    accept({ kind: "proposal-refused", task, attempt, what, reason }),
  undo: (run, { task: id, commit, reason }) => {
    const task = find(run, id);
    if (isProblem(task)) return refuse(task);
    if (task.state !== "complete" || task.commit === null)
      return refuse(
        problem("not-merged", `task \`${id}\` has no change on the integration branch`, {
          hint: { do: "why", task: id },
        }),
      );
    return accept({ kind: "task-undone", task: id, commit, reason }, ...reopened(run));
  },
  "skip-baseline": skipBaseline,
  land: (_run, { commit, files, into }) =>
    accept({ kind: "landed", commit, files, ...(into !== undefined && { into }) }),
};
