// What a run is for, in a few words of the person's own: for lists of runs.
import type { Run } from "../core/run.ts";

/** `spec`: how its specification begins, read only where nothing else says what it is for. */
export function runTitle(
  { metadata, protocolName }: Pick<Run, "metadata" | "protocolName">,
  spec: () => string,
): string {
  const { list: name, brief, goal, skill } = metadata;
  if (typeof name === "string") return name.startsWith("words:") ? "tasks from the command line" : name;
  const said = [brief, goal, skill].find((each) => typeof each === "string");
  if (typeof said === "string") return said.split("\n")[0] ?? "";
  const line = spec()
    .split("\n")
    .find((each) => each.trim() !== "");
  return line?.replace(/^#+\s*/, "") ?? protocolName;
}
