// What a role is given, in protocols whose artifacts lie in the run's folder: its skill, the brief, every artifact that
// is there and whether it still counts, what was wrong the last time, and where its output belongs.

import { join } from "node:path";
import { freshness } from "../../core/artifact.ts";
import { wroteNothing } from "../../core/meanings/job.ts";
import type { Json, Run } from "../../core/run.ts";
import type { Job } from "../../core/run-parts.ts";
import { isThere } from "../../host/files.ts";
import { aboutArtifact } from "../../protocols/subject.ts";
import { loggingFor } from "../../work/given/logging.ts";
import type { Skill } from "../../work/given/skill.ts";
import { heddleCommand, packageDir } from "../../work/package.ts";
import { fileOf } from "./run-files.ts";

export interface JobOrder {
  readonly job: Job;
  readonly role: string;
  readonly skill: Skill;
  readonly bundle: string;
  readonly output: string;
  /** The name of the document that it hands in, where that is not the artifact itself. */
  readonly document?: string;
  /** What is wrong with the output of the attempt before, and a copy of it. */
  readonly previous?: string;
  readonly broken?: string;
  /** What only this role gets: a workspace, the change to be judged. */
  readonly more?: Readonly<Record<string, Json>>;
}

const schemas: Readonly<Record<string, string>> = {
  plan: "task-plan",
  plan_review: "plan-review",
  code_result: "code-result",
  code_review: "code-review",
  eval_report: "eval-report",
  decision: "decision",
  revert: "revert-record",
};

function schemaFor(document: string): string | null {
  const path = join(packageDir(), "schemas", `${schemas[document] ?? document}.schema.json`);
  return isThere(path) ? path : null;
}

export function jobBundle(run: Run, order: JobOrder): string {
  const { job, role, skill, bundle, output, document = job.makes, more = {} } = order;
  const { problems = [] } = run.jobs[job.role] ?? {};
  const missed = wroteNothing(run, job.role);
  const fixing = order.broken !== undefined;
  const whole = {
    version: "1.0",
    kind: "job",
    protocol: run.protocolName,
    role,
    run: run.id,
    phase: run.phase,
    round: run.counters.rounds ?? 0,
    attempt: job.attempt,
    skill: skill.text,
    planning_dir: run.planningDir,
    target_dir: run.targetDir,
    brief: run.metadata.brief ?? null,
    inputs: fixing ? brokenInputs(order, document) : inputsOf(run, order),
    ...more,
    output: {
      path: output,
      kind: "file",
      schema: schemaFor(document),
      fields: run.protocol.fields?.[document] ?? null,
      check: `${heddleCommand()} check-output ${bundle}`,
    },
    makes: document,
    directories_exist: true,
    logging: loggingFor(role),
    problems: fixing ? [] : problems,
    reminder: missed ? `write the output to ${output}: what is written elsewhere does not count` : null,
    answers: answersFor(run, job),
    ask: 'print {"type":"question","id":"…","text":"…","options":["…"]} as one line on standard output and stop, without writing the output',
    checksums: { skill: skill.digest },
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

type Inputs = Record<string, { path: string; sha256: string | null; state: string }>;

/** Everything that is there, the role's own last output among it: `state` says whether it still counts. */
function inputsOf(run: Run, { previous }: JobOrder): Inputs {
  const seen = { run, request: null, digests: {} };
  const known = Object.values(run.artifacts).filter(({ digest }) => digest !== "");
  const inputs: Inputs = Object.fromEntries(
    known.map(({ name, digest }) => [
      name,
      { path: fileOf(run, name), sha256: digest, state: freshness(name, seen) },
    ]),
  );
  return previous === undefined
    ? inputs
    : { ...inputs, previous: { path: previous, sha256: null, state: "refused" } };
}

function brokenInputs({ broken = "" }: JobOrder, document: string): Inputs {
  const named = (path: string) => ({ path, sha256: null, state: "broken" });
  const schema = schemaFor(document);
  return { broken: named(broken), ...(schema !== null && { schema: named(schema) }) };
}

/** What a person answered: to this role, or to what the artifact that it makes anew had asked. */
function answersFor(run: Run, { role, makes }: Job): Json {
  const own = run.artifacts[makes];
  const about = new Set([role, ...(own ? [aboutArtifact(own)] : [])]);
  return run.questions
    .filter((question) => about.has(question.about) && question.answer !== null)
    .map(({ text, answer }) => ({ question: text, answer }));
}
