// What the executor of a mission's step hands in (M5): a summary that is complete, failed, blocked, or stands at a
// checkpoint. The last two stop for a person, and what is asked then is a question like any other (C8).
import { recordIn } from "../../core/json.ts";
import { type HandIn, handedIn, type Proposal } from "../../work/read-result.ts";
import { checkSummary } from "./artifacts/check.ts";
import type { MissionSummary } from "./artifacts/summary.ts";

interface Of {
  readonly task: string;
  readonly attempt: number;
}

export const summaryHandIn: HandIn = {
  role: "executor",
  schema: "mission-summary",
  read: (folder, of) => {
    const found = handedIn(folder);
    if ("kind" in found) return found;
    const { file, text } = found;
    const { value, problems } = checkSummary({ file, text: asSummary(text), taskId: of.task });
    if (!value) return { kind: "wrong", reason: problems.map((each) => each.message).join("; ") };
    return proposalFrom(value, text, of);
  },
};

/** `heddle state complete-task` and `fail-task` from inside say it in the words of a result. */
function asSummary(text: string): string {
  const said = recordIn(text);
  if (said === undefined) return text;
  const { task_id, status, error } = said;
  const message = (error as { message?: unknown } | undefined)?.message;
  if (status === "success") return JSON.stringify({ task_id, status: "complete", changes: changesIn(said) });
  if (status === "failed" && message !== undefined) return JSON.stringify({ task_id, status, message });
  return text;
}

function changesIn({ files }: Record<string, unknown>) {
  const { created = [], modified = [] } = (files ?? {}) as Record<string, unknown[] | undefined>;
  return [
    ...created.map((file) => ({ file, action: "created" })),
    ...modified.map((file) => ({ file, action: "modified" })),
  ];
}

function proposalFrom(summary: MissionSummary, text: string, { task, attempt }: Of): Proposal {
  const { status, message, checkpoint, changes = [] } = summary;
  const said = checkpoint?.message ?? message ?? "";
  switch (status) {
    case "complete": {
      const by = (...actions: readonly string[]) =>
        changes.filter(({ action }) => actions.includes(action)).map(({ file }) => file);
      const files = changes.length > 0 && {
        files: { created: by("created"), modified: by("modified", "deleted") },
      };
      return { kind: "success", text, result: { task_id: task, status: "success", ...files } };
    }
    case "failed": {
      const failure = { error: said, category: "implementation", subcategory: null, retryable: true };
      return { kind: "failed", text, failure };
    }
    case "checkpoint":
    case "blocked": {
      const what = status === "blocked" ? "blocked" : (checkpoint?.reason ?? "decision_required");
      const id = `${task}-${attempt}-${what}`;
      const options = checkpoint?.options ?? [];
      return { kind: "asked", text, asks: { kind: "ask", id, text: said, options, about: task } };
    }
  }
}
