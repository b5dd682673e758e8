// Paths of files in the target: relative, with forward slashes, inside it, and never git's own.
// This is about spelling alone: links and what exists are the host's matter.
import type { Problem } from "../core/problem.ts";
import { isName } from "./fields.ts";
import { type Spot, shown } from "./spot.ts";

const MAX_LENGTH = 4096;

/** One spelling for one file: `./src//a.ts` is `src/a.ts`. */
export function normalPath(path: string): string {
  if (!path.includes("//") && !path.startsWith(".") && !path.includes("/.")) return path;
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** Why a path can not be a file in the target, as the end of a sentence. */
export function pathFault(path: string): string | undefined {
  if (!isName(path)) return "is blank or holds control characters";
  if (path.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (path.includes("\\")) return "has a backslash";
  if (path.startsWith("/")) return "is absolute";
  if (/^[A-Za-z]:/.test(path)) return "begins with a drive";
  if (path.endsWith("/") || normalPath(path) === "") return "is a folder";
  if (!path.includes("..") && !/\.git/i.test(path)) return undefined;
  const parts = path.split("/");
  if (parts.includes("..")) return "climbs with `..`";
  return parts.some((part) => part.toLowerCase() === ".git") ? "is inside git's own folder" : undefined;
}

export function pathProblem(spot: Spot, path: string, fault: string): Problem {
  const hint = "write it relative to the target directory, with forward slashes, such as `src/main.ts`";
  return spot.problem("outside-target", `the path ${shown(path)} ${fault}`, hint);
}

/** Nothing about a path that is no name at all: the schema has refused it. */
export function pathProblems(path: Spot): Problem[] {
  if (path.text === undefined || !isName(path.text)) return [];
  const fault = pathFault(path.text);
  return fault === undefined ? [] : [pathProblem(path, path.text, fault)];
}
