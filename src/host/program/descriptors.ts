// How many files this process may hold open at once. With too few of them everything fails somewhere in the middle, and each
// thing in its own way: so it is asked for before anything begins.
import { readdirSync, readFileSync } from "node:fs";
import { type Problem, problem } from "../../core/problem.ts";

/** Node itself, the journal, a git and its pipes. */
const leastDescriptors = 64;
/** A program: its streams, its box, its socket and who talks to it. */
const perProgram = 16;

/** For `programs` of others at once, beside heddle's own. */
export function fewDescriptors(programs = 0): Problem | undefined {
  // A child's streams are sorted above the last descriptor that it inherits, before they are put into place.
  const highest = programs === 0 ? 0 : Math.max(0, ...inheritedDescriptors());
  const needed = Math.max(leastDescriptors + programs * perProgram, highest + perProgram);
  const allowed = descriptorsAllowed();
  if (allowed >= needed) return undefined;
  return problem("few-files", `only ${allowed} files may be open at once here, and ${needed} are needed`, {
    hint: "ulimit -n 1024",
  });
}

/** Node has raised it to the hard limit by now. */
function descriptorsAllowed(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    const said = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    return said === undefined || said === "unlimited" ? Infinity : Number(said);
  } catch (error) {
    // Where there is no /proc nobody can tell; where not even it can be opened, there are too few.
    return (error as NodeJS.ErrnoException).code === "EMFILE" ? 0 : Infinity;
  }
}

/** Those that whoever started heddle left open for everybody: something else must take their place in a program. */
export function inheritedDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((fd) => fd > 2 && !closesOnExec(fd));
  } catch {
    return [];
  }
}

const closeOnExecFlag = 0o2000000;

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & closeOnExecFlag) !== 0;
  } catch {
    // The descriptor with which /proc was read.
    return true;
  }
}
