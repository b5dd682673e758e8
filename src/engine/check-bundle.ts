// Checking an output by its bundle alone.
import { type Problem, problem } from "../core/problem.ts";
import { checkOutput, type Makes, outputKinds, outputThere } from "../planning/check-output.ts";
import { Refused } from "./app.ts";

export interface CheckedFor {
  readonly path: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function checkFor(file: string, text: string): CheckedFor {
  const { makes, path, planningDir, targetDir } = fieldsOf(file, text);
  if (!outputThere(outputKinds[makes], path))
    return {
      path,
      warnings: [],
      problems: [
        problem("no-output", `nothing lies at \`${path}\``, {
          hint: "write the output there, and nowhere else",
        }),
      ],
    };
  const { problems, warnings } = checkOutput(makes, { places: { planningDir, targetDir }, path });
  return { path, problems, warnings };
}

function fieldsOf(
  file: string,
  text: string,
): { makes: Makes; path: string; planningDir: string; targetDir: string } {
  const wrong = new Refused([
    problem("bad-bundle", `\`${file}\` is not a planning bundle`, { place: { file } }),
  ]);
  let bundle: Record<string, unknown>;
  try {
    bundle = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw wrong;
  }
  const { makes, output, planning_dir: planningDir, target_dir: targetDir } = bundle;
  const path = (output as { path?: unknown } | undefined)?.path;
  const known = typeof makes === "string" && Object.hasOwn(outputKinds, makes);
  if (!known || typeof path !== "string" || typeof planningDir !== "string" || typeof targetDir !== "string")
    throw wrong;
  return { makes: makes as Makes, path, planningDir, targetDir };
}
