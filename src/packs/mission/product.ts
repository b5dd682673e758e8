// What the mission's roles make: research, plan, verification. Each is checked, put in its place and recorded; a new plan
// puts the one before it into the archive, with its summaries and its verification (M7).
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isExcused } from "../../core/baseline.ts";
import type { Input } from "../../core/input.ts";
import { recordIn } from "../../core/json.ts";
import { allowedIn } from "../../core/policy.ts";
import { type Problem, problem } from "../../core/problem.ts";
import type { Json, Run, TaskDef } from "../../core/run.ts";
import type { Check } from "../../core/run-parts.ts";
import { fileDigest, textDigest } from "../../host/digest.ts";
import { copyTree, isThere, makeFolder, readText, remove, replaceFile } from "../../host/files.ts";
import type { CheckedOutput, Product } from "../../work/product.ts";
import { textOf } from "../decomposition/product.ts";
import { checkNewPlan, checkResearch, checkVerification } from "./artifacts/check.ts";
import type { MissionPlan } from "./artifacts/plan.ts";
import type { MissionVerification } from "./artifacts/verification.ts";
import { carried, type Following, kept, type MustHave, mustHavesOf, replacedPlan } from "./earlier.ts";
import {
  archiveOf,
  artifactsIn,
  generationOf,
  type MissionPlaces,
  madeFrom,
  missionFile,
  readPlan,
  stepsAsTasks,
} from "./files.ts";

const missionMakes = ["research", "plan", "verification"] as const;
export type MissionMakes = (typeof missionMakes)[number];

export const isMissionMakes = (name: string): name is MissionMakes =>
  (missionMakes as readonly string[]).includes(name);

interface Looked {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** What the rules read of it. */
  readonly content: Readonly<Record<string, Json>> | undefined;
}

export interface Held {
  /** What a verification is about. */
  readonly truths?: readonly string[];
  /** Faults of a plan that a person allowed, by their codes. */
  readonly allowed?: readonly string[];
}

/** As far as the document itself goes: what an agent can find out in its box. */
export function lookAtDocument(makes: MissionMakes, path: string, held: Held = {}): Looked {
  const { truths = [], allowed = [] } = held;
  const read = readText(path);
  if ("problem" in read) return { problems: [read.problem], warnings: [], content: undefined };
  const source = { file: path, text: read.text };
  switch (makes) {
    case "research": {
      const { value, ...found } = checkResearch(source);
      return { ...found, content: value && {} };
    }
    case "plan": {
      const { value, ...found } = checkNewPlan(source, allowed);
      return { ...found, content: value && plannedIn(value) };
    }
    case "verification": {
      const { value, ...found } = checkVerification({ ...source, truths });
      return { ...found, content: value && { passed: value.passed, gaps: gapsIn(value) } };
    }
  }
}

const plannedIn = ({ tasks, must_haves: musts }: MissionPlan): Looked["content"] => ({
  tasks: tasks.map(({ id }) => id),
  must_haves: musts.map(({ truth, evidence_required }) => ({ truth, evidence_required })),
});

const mostGaps = 20;

export const gapsIn = ({ gaps = [] }: MissionVerification) =>
  gaps.slice(0, mostGaps).map(({ description }) => description.slice(0, 500));

/** Why it is not done, for every view; nothing where it is (L15). */
export function gapWords({ passed, gaps }: { passed: boolean; gaps: readonly string[] }): {
  said?: string[];
} {
  if (passed) return {};
  return { said: [gaps.length === 1 ? "a gap" : `${gaps.length} gaps`, ...gaps] };
}

/** What a verification is held against, whatever it says. */
export interface Against {
  /** The commit that the role had before it. */
  readonly seen: string | null;
  /** Every command of the phase, as heddle ran it, and on which commit (M10). */
  readonly final: { readonly tip: string; readonly checks: readonly Check[] } | undefined;
}

export function missionProduct(makes: MissionMakes, run: Run, against: Against): Product {
  return {
    kind: "file",
    check: (path) => checkProduct({ makes, against }, run, path),
    keep: (path) => {
      makeFolder(artifactsIn(run));
      if (makes === "plan") putAside(run, path);
      replaceFile(
        missionFile(run, makes),
        makes === "verification" ? heldAgainst(path, against) : textOf(path),
      );
    },
  };
}

interface Judging {
  readonly makes: MissionMakes;
  readonly against: Against;
}

function checkProduct({ makes, against }: Judging, run: Run, path: string): CheckedOutput {
  const held = { truths: makes === "verification" ? truthsOf(run) : [], allowed: allowedBy(run) };
  const { problems, warnings, content } = lookAtDocument(makes, path, held);
  if (!content) return { problems, warnings, inputs: [] };
  if (makes === "verification") return judgedOutput(run, { path, warnings, against });
  const digest = textDigest(textOf(path));
  if (makes === "plan" && isJudged(run, digest)) return { problems: [unchanged], warnings, inputs: [] };
  return { problems: [], warnings, inputs: recording(run, makes, { path, digest, content, replaces: true }) };
}

export const allowedBy = ({ metadata }: Run) => Object.keys(allowedIn(metadata));

const truthsOf = (run: Run) => phaseMustHaves(run).map(({ truth }) => truth);

/** Those of earlier plans of the phase as well (M11). */
export function phaseMustHaves(run: Run): MustHave[] {
  const planned = readPlan(missionFile(run, "plan"));
  return "plan" in planned ? mustHavesOf(run, planned.plan.must_haves) : mustHavesOf(run);
}

interface Verified {
  readonly path: string;
  readonly warnings: readonly Problem[];
  readonly against: Against;
}

/** What a verifier says counts for the commit that it saw, and only where heddle saw the commands there. */
function judgedOutput(run: Run, { path, warnings, against }: Verified): CheckedOutput {
  const { seen, final } = against;
  if (final?.tip !== seen) return { problems: [unseen], warnings, inputs: [] };
  const text = heldAgainst(path, against);
  const { passed, gaps } = recordIn(text) as unknown as MissionVerification;
  const named = { passed, gaps: gapsIn({ gaps } as MissionVerification) };
  const content = { ...named, ...gapWords(named), tip: seen };
  const made = { path, digest: textDigest(text), content, replaces: true };
  return { problems: [], warnings, inputs: recording(run, "verification", made) };
}

const unseen = problem(
  "unchecked-tree",
  "heddle has not run the plan's commands on the tree that you judged",
  {
    hint: "judge the tree again: it may have changed",
  },
);

/** The document as it counts: a command that is red on this very tree is a gap, whoever says otherwise (M10). */
function heldAgainst(path: string, { final }: Against): string {
  const text = textOf(path);
  const red = (final?.checks ?? []).filter((check) => !check.ok && !isExcused(check));
  if (red.length === 0) return text;
  const said = recordIn(text) as unknown as MissionVerification;
  const seen = red.map(({ criterion, command, exit, note }) => ({
    claim: `${criterion}: \`${command}\` is green on the final tree`,
    verdict: "fail",
    evidence: `heddle ran it in a clean room: ${note ?? `it exited with code ${exit}`}`,
    by: "heddle",
  }));
  const gaps = red.map(({ criterion, command, exit, note }) => ({
    description: `\`${command}\` (${criterion}) is red on the final tree: ${note ?? `exit code ${exit}`}`,
    suggested_task: "Make it green again, without breaking what the other commands show",
    by: "heddle",
  }));
  const whole = {
    ...said,
    passed: false,
    checks: [...said.checks, ...seen],
    gaps: [...gaps, ...(said.gaps ?? [])],
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

interface Made {
  readonly path: string;
  readonly digest: string;
  readonly content: Readonly<Record<string, Json>>;
  /** It takes the place of the plan that is there; otherwise a person edited that one. */
  readonly replaces: boolean;
}

/** What is written down of a document that is right: for a plan, its tasks as well. */
export function recording(run: Run, makes: MissionMakes, made: Made): readonly Input[] {
  const { path, digest, content } = made;
  const register = {
    kind: "register",
    artifact: makes,
    path: missionFile(run, makes),
    digest,
    inputs: madeFrom(run, makes),
    valid: true,
    problems: [],
    content,
  } as const;
  if (makes !== "plan") return [register];
  const following = followingOf(run, path);
  const generation = generationOf(run);
  // Which plan it is, and what went before it in this phase, is heddle's to say.
  const isNew = made.replaces || run.artifacts.plan?.content.generation !== generation;
  const own = { generation, earlier: isNew ? carried(run, following) : kept(run) };
  return [
    { kind: "load-plan", tasks: following.tasks },
    { ...register, content: { ...content, ...own } },
  ];
}

function followingOf(run: Run, path: string): Following & { readonly tasks: TaskDef[] } {
  const planned = readPlan(path);
  if (!("plan" in planned)) throw new Error(`bug: ${path} was checked and is no plan`);
  const tasks = stepsAsTasks(planned.plan, generationOf(run));
  const digests = new Map(tasks.map(({ id, digest }) => [id, digest]));
  const before = readPlan(missionFile(run, "plan"));
  const isThat = "plan" in before && before.digest === run.artifacts.plan?.digest;
  return { tasks, digests, ...(isThat && { mustHaves: before.plan.must_haves }) };
}

/** The same plan again would be executed, found wanting, and asked for for ever. */
function isJudged({ artifacts: { plan, verification } }: Run, digest: string): boolean {
  return plan?.valid === true && plan.digest === digest && verification?.inputs.plan === digest;
}

const unchanged = problem("unchanged", "it is the plan that was executed already, and it left gaps", {
  hint: "plan what `gaps` names, or what the next phase needs",
});

/** Only what belongs to the plan that is replaced. Repeating it changes nothing. */
function putAside(run: Run, path: string): void {
  const { plan } = run.artifacts;
  const there = missionFile(run, "plan");
  if (!plan || fileDigest(there) !== plan.digest || fileDigest(path) === plan.digest) return;
  const { generation } = plan.content;
  const replaced = replacedPlan(run, followingOf(run, path));
  if (!replaced && generation === generationOf(run)) return;
  const archive = archiveOf(run, replaced?.name ?? String(generation));
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
