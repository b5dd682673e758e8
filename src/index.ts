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
export { openApp } from "./engine/open.ts";
export { newRun as newTask, runJobs, suggest } from "./engine/task.ts";
export { protocols } from "./protocols/registry.ts";
export { suggestNext } from "./view/suggestion.ts";
