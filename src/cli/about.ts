// Which runs a command is about, when a project has several: those of its own protocol, or those that have tasks.
import { packs } from "../packs/packs.ts";

const everyRuns = new Set(["state adopt", "state restore", "state export"]);
const ofTasks = /^state |^(?:undo|attach|comment)$/;

/** Commands that work on a task graph, whichever protocol it belongs to. */
export const isAboutTasks = (name: string) => ofTasks.test(name) && !everyRuns.has(name);

/** The protocol whose runs a command is about, when it is about those of one alone. */
export function ownerOf(name: string): string | undefined {
  const isOwn = packs.find(({ commands }) =>
    commands.some((file) => file.aboutOwnRuns && Object.hasOwn(file.commands, name)),
  );
  return isOwn?.name;
}
