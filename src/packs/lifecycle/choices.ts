// What a person may decide about a task that is reviewed and tested: the same as `heddle accept` with and without a verdict.

import type { Choice } from "../../core/protocol.ts";
import { decide } from "../../core/protocol.ts";
import type { Run } from "../../core/run.ts";

export function choicesIn(run: Run): readonly Choice[] {
  if (run.phase !== "accept" || run.job !== null) return [];
  const { rule } = decide(run.protocol, { run, request: "advance", digests: {} });
  if (rule?.then.kind !== "job" && rule?.then.kind !== "wait") return [];
  const because = (reason: string) => (reason === "" ? [] : [`--reason=${reason}`]);
  const back = (to: string) => ["accept", run.id, "--verdict", "rejected", "--back-to", to];
  return [
    {
      ...{ kind: "accept", label: "Accept and commit it", reason: "optional" },
      command: (reason) => ["accept", run.id, ...because(reason)],
    },
    {
      ...{ kind: "revise", label: "Send it back to be written again", reason: "required" },
      command: (reason) => [...back("codegen"), ...because(reason)],
    },
  ];
}
