// `heddle next` on a tuning.
import { relative } from "node:path";
import { type Call, exits, type Reply } from "../../../command/command.ts";
import type { App } from "../../../engine/app.ts";
import { dryRun } from "../../documents/suggested.ts";
import { stateAt } from "../subjects.ts";
/** A tuning is moved by `heddle tune` alone, which knows its actions. */
export async function showTuning(call: Call, app: App): Promise<Reply> {
  const { text, json } = await dryRun(call, app);
  const entry = String(await app.look((run) => stateAt(run, "target_skill.path") ?? "PATH"));
  const hint = `${call.manner(`tune ${relative(process.cwd(), entry)}`)} goes on with it`;
  return { text: `${text}\n${hint}`, json, exit: exits.refused };
}
