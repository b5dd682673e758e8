// Checking an output by its bundle alone.
import type { Check } from "../core/parts.ts";
import { type Problem, problem } from "../core/problem.ts";
import { type Checks, checkDocument } from "../jobs/check-document.ts";
import { checkOutput, type Makes, type Output, outputKinds, outputThere } from "../planning/check-output.ts";
import { missionFile } from "../planning/mission-files.ts";
import { isMissionMakes, lookAtDocument } from "../planning/mission-product.ts";
import type { MustHave } from "../planning/must-haves.ts";
import { checkGapTasks, lookAtVerification } from "../planning/verify-product.ts";
import { Refused } from "./app.ts";

export interface CheckedFor {
  readonly path: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function checkFor(file: string, text: string): CheckedFor {
  const bundle = parsed(file, text);
  const ofMission = missionOutput(bundle);
  if (ofMission) return ofMission;
  const { makes, path, planningDir, targetDir } = fieldsOf(file, bundle);
  const isJob = bundle.kind === "job";
  const kind = isJob ? "file" : outputKinds[makes as Makes];
  if (!outputThere(kind, path)) return { path, warnings: [], problems: [nothing(path)] };
  if (isJob) return { path, ...checkJob(bundle, makes, path) };
  const { problems, warnings } = checkPlanned(bundle, makes as Makes, {
    places: { planningDir, targetDir },
    path,
  });
  return { path, problems, warnings };
}

function checkPlanned(bundle: Bundle, makes: Makes, output: Output): Omit<CheckedFor, "path"> {
  if (makes === "gap_tasks") return checkGapTasks(output);
  if (makes !== "verification") return checkOutput(makes, output);
  const list = <T>(value: unknown) => (Array.isArray(value) ? (value as readonly T[]) : []);
  return lookAtVerification(output.path, {
    truths: list<MustHave>(bundle.must_haves).map(({ truth }) => String(truth)),
    checks: list<Pick<Check, "command" | "ok">>(bundle.final_checks),
  });
}

function checkJob(bundle: Bundle, makes: string, path: string): Omit<CheckedFor, "path"> {
  const { fields } = bundle.output as { readonly fields?: Readonly<Record<string, readonly string[]>> };
  const protocol: Checks = { name: String(bundle.protocol), fields: { [makes]: fields ?? {} } };
  const { problems, warnings } = checkDocument(protocol, makes, path) ?? { problems: [], warnings: [] };
  return { problems, warnings };
}

type Bundle = Readonly<Record<string, unknown>>;

const wrong = (file: string) =>
  new Refused([problem("bad-bundle", `\`${file}\` is not a bundle of a role`, { place: { file } })]);

function parsed(file: string, text: string): Bundle {
  try {
    const bundle: unknown = JSON.parse(text);
    if (typeof bundle === "object" && bundle !== null) return bundle as Bundle;
  } catch {
    // It is no JSON, and so no bundle.
  }
  throw wrong(file);
}

function fieldsOf(
  file: string,
  bundle: Bundle,
): { makes: string; path: string; planningDir: string; targetDir: string } {
  const { makes, output, planning_dir: planningDir, target_dir: targetDir } = bundle;
  const path = (output as { path?: unknown } | undefined)?.path;
  const known = typeof makes === "string" && (bundle.kind === "job" || Object.hasOwn(outputKinds, makes));
  if (!known || typeof path !== "string" || typeof planningDir !== "string" || typeof targetDir !== "string")
    throw wrong(file);
  return { makes, path, planningDir, targetDir };
}

/** A mission's roles hand in single documents; what they are held against lies in the planning folder. */
function missionOutput(bundle: Bundle): CheckedFor | undefined {
  const path = (bundle.output as { path?: unknown } | undefined)?.path;
  const { protocol, makes, planning_dir: planningDir } = bundle;
  if (protocol !== "mission" || typeof path !== "string" || typeof planningDir !== "string") return undefined;
  if (typeof makes !== "string" || !isMissionMakes(makes)) return undefined;
  if (!outputThere("file", path)) return { path, warnings: [], problems: [nothing(path)] };
  const { problems, warnings } = lookAtDocument(makes, path, missionFile({ planningDir }, "plan"));
  return { path, problems, warnings };
}

const nothing = (path: string) =>
  problem("no-output", `nothing lies at \`${path}\``, { hint: "write the output there, and nowhere else" });
