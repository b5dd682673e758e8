// Decomposition as a pack: plans, and the tasks that they are made of.
import type { Pack } from "../pack.ts";
import { decomposition } from "./protocol.ts";

export const decompositionPack: Pack = {
  name: "decomposition",
  // Always at hand: what agents call most is about plans.
  protocol: decomposition,
  hasTasks: true,
  handIns: async () => [(await import("../../work/read-result.ts")).resultHandIn],
  everyday: ["run", "plan", "verify-plan", "execute"],
  commands: [
    { load: () => import("./commands/init.ts"), commands: { init: "init", "state init": "stateInit" } },
    {
      load: () => import("./commands/plan.ts"),
      commands: { plan: "plan", "verify-plan": "verifyPlan" },
      aboutOwnRuns: true,
    },
    {
      load: () => import("./commands/plan-task.ts"),
      commands: {
        allow: "allow",
        "plan-task add": "add",
        "plan-task edit": "edit",
        "plan-task split": "split",
        "plan-task drop": "drop",
        "task add": "taskAdd",
        "task edit": "taskEdit",
        "task split": "taskSplit",
        "task drop": "taskDrop",
      },
      aboutOwnRuns: true,
    },
    { load: () => import("./commands/run.ts"), commands: { run: "run" }, aboutOwnRuns: true },
    { load: () => import("./commands/execute.ts"), commands: { execute: "execute" }, aboutOwnRuns: true },
    { load: () => import("./commands/demo.ts"), commands: { demo: "demo" } },
    { load: () => import("./commands/import.ts"), commands: { "import tasker": "importTasker" } },
    {
      load: () => import("./commands/state-plan.ts"),
      commands: {
        "state status": "stateStatus",
        "state advance": "advance",
        "state load-tasks": "loadTasks",
        "state validate": "validate",
        "state validate-tasks": "validateTasks",
      },
    },
    {
      load: () => import("./commands/coverage.ts"),
      commands: { coverage: "traced", "state spec-coverage": "coverage" },
    },
    {
      load: () => import("./commands/bundle.ts"),
      commands: {
        "bundle generate": "generate",
        "bundle generate-ready": "generateReady",
        "bundle validate": "validate",
        "bundle validate-integrity": "validateIntegrity",
        "bundle list": "list",
        "bundle clean": "clean",
        "bundle show": "show",
      },
      aboutOwnRuns: true,
    },
  ],
  served: {
    phases: ["ready", "executing", "verifying", "gap_planning"],
    drive: async (call, app, serving) =>
      (await import("./commands/execute.ts")).serveTasks(call, app, serving),
  },
  takeIn: async (app) => (await import("./commands/next.ts")).ingestSpec(app),
  next: async (call, app) => (await import("./commands/next.ts")).advance(call, app),
  digests: async (app) => (await import("./planning.ts")).observe(app),
  coverage: async (run) => (await import("./coverage.ts")).coveredBy(run),
};
