// Which commands are about a plan, when a project has runs of other protocols as well.
const everyRuns = new Set(["state adopt", "state restore", "state export"]);
const ofPlans = /^(?:state|bundle|plan-task) |^(?:plan|verify-plan|execute|undo|attach)$/;

/** Commands that work on plans alone: a task that goes on beside one is none of their business. */
export const isAboutPlans = (name: string) => ofPlans.test(name) && !everyRuns.has(name);
