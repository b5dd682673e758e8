// heddle as a library: open a directory, submit inputs, look at runs.
export { apply, fold, fork, newRun } from "./core/apply.ts";
export type { Entry, Fact } from "./core/fact.ts";
export type { Input } from "./core/input.ts";
export { next } from "./core/next.ts";
export type { Problem } from "./core/problem.ts";
export type { Protocol } from "./core/protocol.ts";
export type { Run, Task, TaskStatus } from "./core/run.ts";
export { step } from "./core/step.ts";
export { App, Refused } from "./engine/app.ts";
export { runJobs } from "./packs/documents/runs.ts";
export { protocols } from "./packs/registry.ts";
export { hintText } from "./view/hint.ts";

import { composition } from "./cli/composition.ts";
import type { App, AppOptions } from "./engine/app.ts";
import { openApp as open } from "./engine/open.ts";
import { newRun as begin, type NewRun, suggest as suggested } from "./packs/documents/runs.ts";
import { hintText } from "./view/hint.ts";
import { suggestNext as ofRun, type Suggestion } from "./view/suggestion.ts";

/** With heddle's own protocols, and journals on this machine, unless others are given. */
type With<T extends AppOptions> = Omit<T, keyof typeof composition> &
  Partial<Pick<T, keyof typeof composition>>;

export const openApp = (options: With<AppOptions>): Promise<App> => open({ ...composition, ...options });
export const newTask = (order: With<NewRun>): Promise<App> => begin({ ...composition, ...order });

/** The same object as `heddle next --dry-run --json` and the MCP tool give: its hint is a line (L8). */
function inLines(suggestion: Suggestion) {
  const { hint } = suggestion;
  return { ...suggestion, hint: hint === null ? null : hintText(hint) };
}

export const suggestNext = (...given: Parameters<typeof ofRun>) => inLines(ofRun(...given));

export async function suggest(app: App) {
  const found = await suggested(app);
  return { ...found, suggestion: inLines(found.suggestion) };
}
