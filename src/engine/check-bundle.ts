// Checking an output by its bundle alone.
import { type Problem, problem } from "../core/problem.ts";
import { checkOutput, type Makes, outputKinds, outputThere } from "../planning/check-output.ts";
import { missionFile } from "../planning/mission-files.ts";
import { isMissionMakes, lookAtDocument } from "../planning/mission-product.ts";
import { Refused } from "./app.ts";

export interface CheckedFor {
  readonly path: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function checkFor(file: string, text: string): CheckedFor {
  const ofMission = missionOutput(text);
  if (ofMission) return ofMission;
  const { makes, path, planningDir, targetDir } = fieldsOf(file, text);
  if (!outputThere(outputKinds[makes], path))
    return {
      path,
      warnings: [],
      problems: [nothing(path)],
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

/** A mission's roles hand in single documents; what they are held against lies in the planning folder. */
function missionOutput(text: string): CheckedFor | undefined {
  const bundle = parsed(text);
  const path = (bundle?.output as { path?: unknown } | undefined)?.path;
  const { protocol, makes, planning_dir: planningDir } = bundle ?? {};
  if (protocol !== "mission" || typeof path !== "string" || typeof planningDir !== "string") return undefined;
  if (typeof makes !== "string" || !isMissionMakes(makes)) return undefined;
  if (!outputThere("file", path)) return { path, warnings: [], problems: [nothing(path)] };
  const { problems, warnings } = lookAtDocument(makes, path, missionFile({ planningDir }, "plan"));
  return { path, problems, warnings };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const nothing = (path: string) =>
  problem("no-output", `nothing lies at \`${path}\``, { hint: "write the output there, and nowhere else" });
