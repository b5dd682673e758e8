// `heddle state checkpoint`: the batch that a host has in flight, so that a crash of the host loses nothing (X13).

import { type Call, type Command, type Reply, Usage } from "../../../command/command.ts";
import { type Hint, toCall } from "../../../core/hint.ts";
import { problem } from "../../../core/problem.ts";
import type { Checkpoint } from "../../../core/run-parts.ts";
import { wallClock } from "../../../host/clock.ts";
import { hintText } from "../../../view/hint.ts";

const actions = ["create", "update", "complete", "status", "recover", "clear"] as const;
type Action = (typeof actions)[number];
type Act = (call: Call, words: readonly string[]) => Promise<Reply>;

export const checkpoint: Command = {
  name: "state checkpoint",
  summary: "keep track of the batch that a host has in flight",
  group: "state",
  args: [
    { name: "action", about: "an action", choices: actions },
    { name: "word", about: "task ids, or a task id and success|failed", optional: true, many: true },
  ],
  flags: { keep: { about: "with `recover`: leave the files of failed tasks as they are" } },
  examples: [
    "heddle state checkpoint create T001 T002 T003",
    "heddle state checkpoint update T001 success",
    "heddle state checkpoint recover",
  ],
  run: (call) => {
    const [action = "", ...words] = call.args;
    const extra = words[takes[action as Action]];
    if (extra !== undefined)
      throw wrong(
        `\`checkpoint ${action}\` does not take \`${extra}\``,
        toCall(`state checkpoint ${action}`),
      );
    if (call.flags.has("keep") && action !== "recover")
      throw wrong(`\`checkpoint ${action}\` has no \`--keep\``, toCall("state checkpoint recover --keep"));
    return acts[action as Action](call, words);
  },
};

/** How many words each action takes. */
const takes: { readonly [A in Action]: number } = {
  create: Number.POSITIVE_INFINITY,
  update: 2,
  complete: 0,
  status: 0,
  recover: 0,
  clear: 0,
};

const acts: { readonly [A in Action]: Act } = {
  create: async (call, tasks) => {
    if (tasks.length === 0)
      throw wrong("`checkpoint create` needs the ids of the batch", { do: "checkpoint", action: "create" });
    const now = wallClock();
    const batch = `batch-${now.replace(/[:.]/g, "-")}`;
    await (await call.app()).submit({ kind: "checkpoint-create", tasks, batch, now });
    return written(call, `Checkpoint created: ${batch}`);
  },
  update: async (call, [task = "", status = ""]) => {
    if (task === "" || (status !== "success" && status !== "failed"))
      throw wrong(
        `\`${status}\` is not a status of a task in a batch`,
        toCall(`state checkpoint update ${task || "T001"} success|failed`),
      );
    await (await call.app()).submit({ kind: "checkpoint-update", task, status, now: wallClock() });
    const pending = await (await call.app()).look((run) => run.checkpoint?.pending.length ?? 0);
    return written(call, `Updated ${task}: ${status} (${pending} pending)`);
  },
  complete: async (call) => {
    await (await call.app()).submit({ kind: "checkpoint-complete", now: wallClock() });
    return written(call, "Checkpoint completed");
  },
  status: async ({ app }) => {
    const { document, writeCheckpoint } = await import("../../../hostloop/checkpoint.ts");
    const found = await writeCheckpoint(await app());
    if (!found) return { text: "No active checkpoint.", json: null };
    return { text: lines(found), json: document(found) };
  },
  recover: async (call) => {
    const { recover } = await import("../../../hostloop/checkpoint.ts");
    const keep = call.flags.has("keep");
    const { recovered, orphans, problems, restored, deleted, aside } = await recover(await call.app(), {
      keep,
    });
    for (const found of problems) call.warn(found);
    const text = [
      `Recovered: ${recovered.join(", ") || "none"}`,
      `Orphaned: ${orphans.join(", ") || "none"}`,
      ...(restored.length > 0 ? [`  put back: ${restored.join(", ")}`] : []),
      ...(deleted.length > 0 ? [`  taken away: ${deleted.join(", ")}`] : []),
      ...aside.map((folder) => `  what was there is kept at ${folder}`),
      ...orphans.map(
        (task) =>
          `  ${hintText([{ do: "retry-task", task }, ", or: ", { do: "fail-task", task }], call.manner)}`,
      ),
    ];
    return written(call, text.join("\n"), { recovered, orphaned: orphans, restored, deleted, aside });
  },
  clear: async (call) => {
    await (await call.app()).submit({ kind: "checkpoint-clear" });
    return written(call, "Checkpoint cleared");
  },
};

async function written({ app }: Call, text: string, json?: unknown): Promise<Reply> {
  const { document, writeCheckpoint } = await import("../../../hostloop/checkpoint.ts");
  const found = await writeCheckpoint(await app());
  return { text, json: json ?? (found ? document(found) : null) };
}

function lines({ batch, status, spawned, pending, completed, failed }: Checkpoint): string {
  const list = (ids: readonly string[]) => ids.join(", ") || "none";
  return [
    `Batch: ${batch} (${status})`,
    `Spawned: ${list(spawned)}`,
    `Pending: ${list(pending)}`,
    `Completed: ${list(completed)}`,
    `Failed: ${list(failed)}`,
  ].join("\n");
}

function wrong(message: string, hint: Hint): Usage {
  return new Usage(problem("bad-argument", message, { hint }));
}
