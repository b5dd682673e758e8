// The skill of a role: the text that tells an agent how to play it.
import { join } from "node:path";
import { type Problem, problem } from "../../core/problem.ts";
import { fileDigest } from "../../host/digest.ts";
import { isThere, readText } from "../../host/files.ts";
import { packageDir } from "../package.ts";

export interface Skill {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
}

/** The project's own skill for a role, or ours. */
export function skillOf(role: string, heddleDir: string): Skill | Problem {
  const own = join(heddleDir, "roles", role, "SKILL.md");
  const path = isThere(own) ? own : join(packageDir(), "roles", role, "SKILL.md");
  const read = readText(path, 256 * 1024);
  if ("text" in read) return { path, text: read.text, digest: fileDigest(path) ?? "" };
  return problem("no-skill", `there is no skill for role \`${role}\``, {
    place: { file: path },
    hint: `write ${own}`,
  });
}
