// For commands that work without a project too, but not without a directory.
import { statSync } from "node:fs";
import { problem } from "../core/problem.ts";
import { Refused } from "../engine/app.ts";

export function demandFolder(root: string, command: string): void {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return;
  const hint = `heddle ${command} --dir <the project's directory>`;
  throw new Refused([problem("no-folder", `\`${root}\` is not a directory`, { hint })]);
}
