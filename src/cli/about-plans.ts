// Which commands are about a plan or its tasks, when a project has runs of other protocols as well.
const everyRuns = new Set(["state adopt", "state restore", "state export"]);
const ofTasks = /^state |^(?:undo|attach)$/;
const ofPlans = /^(?:bundle|plan-task) |^(?:plan|verify-plan|execute)$/;

/** Commands that work on a task graph, whosever it is: a plan's, or a mission's. */
export const isAboutTasks = (name: string) => ofTasks.test(name) && !everyRuns.has(name);

/** Commands that work on plans alone: what goes on beside one is none of their business. */
export const isAboutPlans = (name: string) => ofPlans.test(name);
