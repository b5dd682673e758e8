// What the two roles make that verify a plan as a whole: the verification, and tasks for the gaps that it names. Tasks are
// added: those that are there stay as they are (M7, D20).
import { basename, join } from "node:path";
import { isExcused } from "../../core/baseline.ts";
import type { Input } from "../../core/input.ts";
import { type Problem, problem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import type { Check } from "../../core/run-parts.ts";
import { fileDigest, textDigest } from "../../host/digest.ts";
import { listFiles, readText, replaceFile } from "../../host/files.ts";
import type { CheckedOutput, Product } from "../../work/product.ts";
import { checkVerification } from "../mission/artifacts/check.ts";
import { gapsIn, gapWords } from "../mission/product.ts";
import { checkSequencing } from "./checks/check-sequencing.ts";
import { mustHavesOf } from "./must-haves.ts";
import {
  checkSources,
  definition,
  fileOf,
  inputsOf,
  orderDigest,
  type Places,
  placesIn,
  planDigest,
  taskDigest,
  taskSources,
} from "./plan-files.ts";
import { textOf } from "./product.ts";

type Seen = Pick<Check, "command" | "ok" | "excused">;

export interface Judged {
  /** The commit that the role had before it; what it says counts for that one. */
  readonly seen: string | null;
  /** What heddle itself saw there. */
  readonly checks: readonly Seen[] | undefined;
}

export function verifyProduct(makes: string, run: Run, judged: Judged): Product {
  return makes === "gap_tasks" ? gapTasks(run) : verification(run, judged);
}

function verification(run: Run, { seen: tip, checks = [] }: Judged): Product {
  return {
    kind: "file",
    check: (path) => {
      const truths = mustHavesOf(run).map(({ truth }) => truth);
      const { problems, warnings, value } = lookAtVerification(path, { truths, checks });
      if (!value) return { problems, warnings, inputs: [] };
      const named = { passed: value.passed, gaps: gapsIn(value) };
      const content = { ...named, ...gapWords(named), tip };
      const digest = textDigest(textOf(path));
      const plan = run.artifacts.tasks?.digest;
      const register: Input = {
        ...right(run, "verification", digest),
        inputs: plan === undefined ? {} : { tasks: plan },
        content: { ...content, checks: value.checks.length },
      };
      return { problems, warnings, inputs: [register] };
    },
    keep: (path) => replaceFile(fileOf(run, "verification"), textOf(path)),
  };
}

interface HeldAgainst {
  readonly truths: readonly string[];
  readonly checks: readonly Seen[];
}

/** No agent's word outweighs a command that failed. */
export function lookAtVerification(file: string, { truths, checks }: HeldAgainst) {
  const read = readText(file);
  if ("problem" in read) return { problems: [read.problem], warnings: [], value: undefined };
  const found = checkVerification({ file, text: read.text, truths });
  const red = checks.filter((check) => !check.ok && !isExcused(check));
  if (!found.value?.passed || red.length === 0) return found;
  const problems = red.slice(0, 10).map(({ command }) =>
    problem("contradiction", `it passed, and \`${command}\` fails on this very tree`, {
      place: { file },
      hint: "set `passed` to false, and name the gap",
    }),
  );
  return { problems, warnings: found.warnings, value: undefined };
}

const right = (places: Places, artifact: string, digest: string) =>
  ({
    kind: "register",
    artifact,
    path: fileOf(places, artifact),
    digest,
    inputs: {},
    valid: true,
    problems: [],
    content: {},
  }) as const;

function gapTasks(run: Run): Product {
  return {
    kind: "folder",
    // What lies there and is not in the run was put there by one who died before it was written down.
    check: (path) => checkGapTasks({ places: placesIn(run), path }, (id) => run.tasks.get(id) !== undefined),
    keep: (path) => {
      for (const name of listFiles(path, ".json"))
        replaceFile(join(fileOf(run, "tasks"), name), textOf(join(path, name)));
    },
  };
}

interface Added {
  readonly places: Places;
  /** Where the new tasks lie. */
  readonly path: string;
}

export function checkGapTasks(
  { places, path }: Added,
  isKnown: (id: string) => boolean = isThereIn(places),
): CheckedOutput {
  const own = taskSources(path);
  const names = new Set(own.sources.map(({ file }) => basename(file)));
  const there = taskSources(fileOf(places, "tasks"));
  const before = there.sources.filter(({ file }) => !names.has(basename(file)));
  const { checked, problems } = checkSources(places, [...before, ...own.sources]);
  const isNew = (file: string | undefined) => file?.startsWith(`${path}/`) === true;
  const known = checked.tasks
    .filter(({ source, task }) => isNew(source.file) && isKnown(task.id))
    .map(({ source, task }) => exists(task.id, source.file));
  const order = checkSequencing(checked.tasks).filter(({ place }) => isNew(place?.file));
  const warnings = checked.warnings.filter(({ place }) => isNew(place?.file));
  const wrong: Problem[] = [...own.unreadable, ...there.unreadable, ...problems, ...known, ...order];
  if (wrong.length > 0) return { problems: wrong, warnings, inputs: [] };
  const tasks = checked.tasks.map(({ source, task }) => definition(task, source.file));
  const digest = planDigest(checked.tasks.map(({ task }) => taskDigest(task))) ?? "";
  return {
    problems: [],
    warnings,
    inputs: [
      { kind: "load-plan", tasks },
      { ...right(places, "tasks", digest), inputs: inputsOf(places, "tasks") },
      { ...right(places, "order", orderDigest(tasks)), inputs: { tasks: digest } },
      { ...right(places, "gap_tasks", digest), inputs: madeFromGaps(places) },
    ],
  };
}

const isThereIn = (places: Places) => (id: string) =>
  listFiles(fileOf(places, "tasks"), ".json").includes(`${id}.json`);

function madeFromGaps(places: Places): Record<string, string> {
  const digest = fileDigest(fileOf(places, "verification"));
  return digest === null ? {} : { verification: digest };
}

function exists(id: string, file: string): Problem {
  return problem("task-exists", `task \`${id}\` is in the plan already`, {
    place: { file },
    hint: "give new tasks new ids: what was done stays as it is",
  });
}
