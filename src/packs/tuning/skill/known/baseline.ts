// A baseline for CI: the findings that were there when somebody began to look. They do not count; what is new does. It
// is kept by each finding's key, so moved lines change nothing, and paths are relative to the baseline's own folder.
import { dirname, relative, resolve } from "node:path";
import * as z from "zod";
import { toCall } from "../../../../core/hint.ts";
import { jsonIn } from "../../../../core/json.ts";
import { type Problem, problem } from "../../../../core/problem.ts";
import { readText, replaceFile } from "../../../../host/files.ts";
import type { SkillCheck } from "../check.ts";
import { isCounted } from "../finding.ts";

const shape = z.object({
  version: z.literal(1),
  findings: z.array(
    z.object({
      skill: z.string(),
      key: z.string(),
      pattern: z.string(),
      file: z.string(),
      description: z.string(),
    }),
  ),
});

export interface Baseline {
  /** The keys known of the skill whose entry lies there. */
  readonly of: (entry: string) => ReadonlySet<string>;
}

const most = 8 * 1024 * 1024;

export function readBaseline(path: string): Baseline | Problem {
  const read = readText(resolve(path), most);
  const hint = [toCall(`tune --check --all --baseline ${path} --write-baseline`), " writes it"] as const;
  if ("problem" in read)
    return problem("no-baseline", `the baseline \`${path}\` cannot be read`, { hint: [...hint] });
  const { success, data } = shape.safeParse(jsonIn(read.text));
  if (!success)
    return problem("bad-baseline", `\`${path}\` is not a baseline of heddle's`, { hint: [...hint] });
  const folder = dirname(resolve(path));
  return {
    of: (entry) =>
      new Set(
        data.findings.filter(({ skill }) => resolve(folder, skill) === resolve(entry)).map(({ key }) => key),
      ),
  };
}

/** What counts now is known from now on. */
export function writeBaseline(path: string, { skills }: SkillCheck, from: string): number {
  const folder = dirname(resolve(path));
  const findings = skills.flatMap((skill) =>
    skill.findings.filter(isCounted).map(({ key, pattern, file, description }) => ({
      ...{ skill: relative(folder, resolve(from, skill.path)), pattern, file, description, key },
    })),
  );
  replaceFile(resolve(path), `${JSON.stringify({ version: 1, findings }, null, 2)}\n`);
  return findings.length;
}
