// A problem as the role that must fix it reads it: what, where, and what to do, on one line.
import type { Problem } from "../../core/problem.ts";
import { hintText } from "../../view/hint.ts";

export function forTheRole({ message, place, hint }: Problem): string {
  const line = place?.line === undefined ? "" : `, line ${place.line}`;
  const where = place
    ? ` (${place.file.split("/").at(-1)}${line}${place.pointer ? `, ${place.pointer}` : ""})`
    : "";
  return `${message}${where}${hint ? `; ${hintText(hint)}` : ""}`;
}

/** What was wrong, as it is recorded. */
export function located({ message, place }: Problem): string {
  return place?.pointer ? `${message} (at ${place.pointer})` : message;
}
