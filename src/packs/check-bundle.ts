// Checking an output by its bundle alone.
import { recordIn } from "../core/json.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Check } from "../core/run-parts.ts";
import { Refused } from "../engine/app.ts";
import { kindOf, outputThere } from "../work/product.ts";
import { checkOutput, isMakes, type Makes, type Output } from "./decomposition/check-output.ts";
import type { MustHave } from "./decomposition/must-haves.ts";
import { checkGapTasks, lookAtVerification } from "./decomposition/verify-product.ts";
import { type Checks, checkDocument } from "./documents/check-document.ts";
import { isMissionMakes, lookAtDocument } from "./mission/product.ts";

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
  const kind = isJob ? "file" : kindOf(makes);
  if (!outputThere(kind, path)) return { path, warnings: [], problems: [nothing(path)] };
  if (isJob) return { path, ...checkJob(bundle, makes, path) };
  const { problems, warnings } = checkPlanned(bundle, makes as Makes, {
    places: { planningDir, targetDir, allowed: textsIn(bundle.allowed) },
    path,
  });
  return { path, problems, warnings };
}

function checkPlanned(bundle: Bundle, makes: Makes, output: Output): Omit<CheckedFor, "path"> {
  if (makes === "gap_tasks") return checkGapTasks(output);
  if (makes !== "verification") return checkOutput(makes, output);
  return lookAtVerification(output.path, {
    truths: listIn<MustHave>(bundle.must_haves).map(({ truth }) => String(truth)),
    checks: listIn<Pick<Check, "command" | "ok" | "excused">>(bundle.final_checks),
  });
}

const listIn = <T>(value: unknown) => (Array.isArray(value) ? (value as readonly T[]) : []);

function checkJob(bundle: Bundle, makes: string, path: string): Omit<CheckedFor, "path"> {
  const { fields } = bundle.output as { readonly fields?: Readonly<Record<string, readonly string[]>> };
  const protocol: Checks = { name: String(bundle.protocol), fields: { [makes]: fields ?? {} } };
  const { problems, warnings } = checkDocument(protocol, makes, path) ?? { problems: [], warnings: [] };
  return { problems, warnings };
}

type Bundle = Readonly<Record<string, unknown>>;

const textsIn = (value: unknown) =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

const wrong = (file: string) =>
  new Refused([problem("bad-bundle", `\`${file}\` is not a bundle of a role`, { place: { file } })]);

function parsed(file: string, text: string): Bundle {
  const bundle = recordIn<Bundle>(text);
  if (bundle) return bundle;
  throw wrong(file);
}

function fieldsOf(
  file: string,
  bundle: Bundle,
): { makes: string; path: string; planningDir: string; targetDir: string } {
  const { makes, output, planning_dir: planningDir, target_dir: targetDir } = bundle;
  const path = (output as { path?: unknown } | undefined)?.path;
  const known = typeof makes === "string" && (bundle.kind === "job" || isMakes(makes));
  if (!known || typeof path !== "string" || typeof planningDir !== "string" || typeof targetDir !== "string")
    throw wrong(file);
  return { makes, path, planningDir, targetDir };
}

/** A mission's roles hand in single documents; what they are held against is in the bundle. */
function missionOutput(bundle: Bundle): CheckedFor | undefined {
  const path = (bundle.output as { path?: unknown } | undefined)?.path;
  const { protocol, makes, planning_dir: planningDir } = bundle;
  if (protocol !== "mission" || typeof path !== "string" || typeof planningDir !== "string") return undefined;
  if (typeof makes !== "string" || !isMissionMakes(makes)) return undefined;
  if (!outputThere("file", path)) return { path, warnings: [], problems: [nothing(path)] };
  const truths = listIn<MustHave>(bundle.must_haves).map(({ truth }) => String(truth));
  const { problems, warnings } = lookAtDocument(makes, path, { truths, allowed: textsIn(bundle.allowed) });
  return { path, problems, warnings };
}

const nothing = (path: string) =>
  problem("no-output", `there is no file at \`${path}\``, {
    hint: "write the output there, and nowhere else",
  });
