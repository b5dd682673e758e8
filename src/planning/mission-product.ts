// What the mission's roles make: research, plan, verification. Each is checked, put in its place and recorded; a new plan
// puts the one before it into the archive, with its summaries and its verification (M7).
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Input } from "../core/input.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Json, Run } from "../core/run.ts";
import { fileDigest, textDigest } from "../host/digest.ts";
import { copyTree, isThere, makeFolder, readText, remove, replaceFile } from "../host/files.ts";
import { checkPlan, checkResearch, checkVerification } from "../protocols/mission/artifacts/check.ts";
import type { MissionVerification } from "../protocols/mission/artifacts/verification.ts";
import type { CheckedOutput } from "./check-output.ts";
import {
  artifactsIn,
  generationOf,
  type MissionPlaces,
  madeFrom,
  missionFile,
  readPlan,
  stepsAsTasks,
} from "./mission-files.ts";
import { type Product, textOf } from "./product.ts";

export const missionMakes = ["research", "plan", "verification"] as const;
export type MissionMakes = (typeof missionMakes)[number];

export const isMissionMakes = (name: string): name is MissionMakes =>
  (missionMakes as readonly string[]).includes(name);

interface Looked {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** What the rules read of it. */
  readonly content: Readonly<Record<string, Json>> | undefined;
}

/** As far as the document itself goes: what an agent can find out in its box. */
export function lookAtDocument(makes: MissionMakes, path: string, planFile: string): Looked {
  const read = readText(path);
  if ("problem" in read) return { problems: [read.problem], warnings: [], content: undefined };
  const source = { file: path, text: read.text };
  switch (makes) {
    case "research": {
      const { value, ...found } = checkResearch(source);
      return { ...found, content: value && {} };
    }
    case "plan": {
      const { value, ...found } = checkPlan(source);
      return { ...found, content: value && { tasks: value.tasks.map(({ id }) => id) } };
    }
    case "verification": {
      const planned = readPlan(planFile);
      const truths = "plan" in planned ? planned.plan.must_haves.map(({ truth }) => truth) : [];
      const { value, ...found } = checkVerification({ ...source, truths });
      return { ...found, content: value && { passed: value.passed, gaps: gapsIn(value) } };
    }
  }
}

const mostGaps = 20;

export const gapsIn = ({ gaps = [] }: MissionVerification) =>
  gaps.slice(0, mostGaps).map(({ description }) => description.slice(0, 500));

/** `seen`: the commit that the role had before it. */
export function missionProduct(makes: MissionMakes, run: Run, seen: string | null): Product {
  return {
    kind: "file",
    check: (path) => checkProduct({ makes, seen }, run, path),
    keep: (path) => {
      makeFolder(artifactsIn(run));
      if (makes === "plan") putAside(run, path);
      replaceFile(missionFile(run, makes), textOf(path));
    },
  };
}

interface Judging {
  readonly makes: MissionMakes;
  readonly seen: string | null;
}

function checkProduct({ makes, seen }: Judging, run: Run, path: string): CheckedOutput {
  const { problems, warnings, content } = lookAtDocument(makes, path, missionFile(run, "plan"));
  if (!content) return { problems, warnings, inputs: [] };
  const digest = textDigest(textOf(path));
  if (makes === "plan" && isJudged(run, digest)) return { problems: [unchanged], warnings, inputs: [] };
  // What a verifier says counts for the commit that it saw.
  const known = makes === "verification" ? { ...content, tip: seen } : content;
  return { problems: [], warnings, inputs: recording(run, makes, { path, digest, content: known }) };
}

interface Made {
  readonly path: string;
  readonly digest: string;
  readonly content: Readonly<Record<string, Json>>;
}

/** What is written down of a document that is right: for a plan, its tasks as well. */
export function recording(run: Run, makes: MissionMakes, { path, digest, content }: Made): readonly Input[] {
  const register: Input = {
    kind: "register",
    artifact: makes,
    path: missionFile(run, makes),
    digest,
    inputs: madeFrom(run, makes),
    valid: true,
    problems: [],
    content: { ...content, ...own(run, makes) },
  };
  if (makes !== "plan") return [register];
  const planned = readPlan(path);
  if (!("plan" in planned)) throw new Error(`bug: ${path} was checked and is no plan`);
  return [{ kind: "load-plan", tasks: stepsAsTasks(planned.plan, generationOf(run)) }, register];
}

/** What heddle itself adds: which plan it is. */
function own(run: Run, makes: MissionMakes): Readonly<Record<string, Json>> {
  return makes === "plan" ? { generation: generationOf(run) } : {};
}

/** The same plan again would be executed, found wanting, and asked for for ever. */
function isJudged({ artifacts: { plan, verification } }: Run, digest: string): boolean {
  return plan?.valid === true && plan.digest === digest && verification?.inputs.plan === digest;
}

const unchanged = problem("unchanged", "it is the plan that was executed already, and that is not enough", {
  hint: "plan what `gaps` names, or what the next phase needs",
});

/** Only what belongs to the plan that is replaced. Repeating it changes nothing. */
function putAside(run: Run, path: string): void {
  const { plan } = run.artifacts;
  const there = missionFile(run, "plan");
  const { generation } = plan?.content ?? {};
  if (!plan || fileDigest(there) !== plan.digest || generation === generationOf(run)) return;
  if (fileDigest(path) === plan.digest) return;
  const archive = join(artifactsIn(run), "archive", `plan-${String(generation)}`);
  makeFolder(archive);
  for (const file of besides(run)) {
    copyTree(file, join(archive, basename(file)));
    remove(file);
  }
  copyTree(there, join(archive, basename(there)));
}

function besides(places: MissionPlaces): string[] {
  const folder = artifactsIn(places);
  const names = isThere(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => /^summary_.+\.json$/.test(name) || name === "verification.json")
    .map((name) => join(folder, name));
}
