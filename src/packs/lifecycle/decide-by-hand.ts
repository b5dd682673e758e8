// What a person decides about a task.

import type { App } from "../../engine/app.ts";
import { wallClock } from "../../host/clock.ts";
import { replaceFile } from "../../host/files.ts";
import { isHandMade } from "../documents/roles.ts";
import { fileOf } from "../documents/run-files.ts";
import type { Decision } from "./artifacts/decision.ts";
/** A person's decision, as the file that it is: the rules take it from there (L3). */
export async function decideByHand(
  app: App,
  decision: Decision & { readonly decider: string },
): Promise<void> {
  const { path, isUnderWay } = await app.look((run) => ({
    path: fileOf(run, "decision"),
    isUnderWay: run.job?.makes === "decision" && isHandMade(run, "decision"),
  }));
  // Somebody was killed while it was carried out: that decision stands, and is carried out first.
  if (isUnderWay) return;
  replaceFile(path, `${JSON.stringify({ ...decision, timestamp: wallClock() }, null, 2)}\n`);
}
