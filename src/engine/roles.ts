// The effects of planning, put together: which agent works for which role, what it is given, and where.
import { join } from "node:path";
import type { AgentEvent } from "../agents/agent.ts";
import type { Config } from "../config/config.ts";
import type { Outcome } from "../core/input.ts";
import type { Job } from "../core/parts.ts";
import type { Run } from "../core/run.ts";
import { checkRoleOutput } from "../effects/check-output.ts";
import { brokenFile, repairOutput } from "../effects/repair-output.ts";
import { fixerFolder, roleFolder } from "../effects/role-folder.ts";
import { type RoleWork, runRole } from "../effects/run-role.ts";
import { secretValues } from "../host/environment.ts";
import { isThere, replaceFile } from "../host/files.ts";
import { redactor } from "../host/redact.ts";
import { type Makes, outputKinds, type Planned } from "../planning/check-output.ts";
import { packageDir } from "../planning/package.ts";
import { planningBundle, type RoleOrder, type Skill, skillOf } from "../planning/planning-bundle.ts";
import { planningProduct } from "../planning/product.ts";
import type { Agents } from "./agents.ts";
import type { App } from "./app.ts";
import { limitsFor } from "./config.ts";
import type { Carriers } from "./world.ts";

export interface Planning {
  readonly app: App;
  readonly config: Config;
  readonly agents: Agents;
  readonly preferences: RoleOrder["preferences"];
  readonly watch: (role: string, event: AgentEvent) => void;
}

export function planningCarriers(planning: Planning): Carriers {
  return {
    "run-role": async ({ job }, signal) => {
      const work = await workFor(planning, job);
      return "ok" in work ? work : runRole(work, signal);
    },
    "check-output": async ({ job }) => {
      const { heddle } = planning.app.paths;
      const run = await planning.app.run();
      const places = await planning.app.journal.read(run, ({ planningDir, targetDir }) => ({
        planningDir,
        targetDir,
      }));
      const before =
        job.attempt > 1 ? roleFolder(heddle, run, { ...job, attempt: job.attempt - 1 }) : undefined;
      const redact = redactor(secretValues(process.env)).text;
      const product = planningProduct(job.makes as Planned, places);
      return checkRoleOutput({ folder: roleFolder(heddle, run, job), before, product, redact });
    },
    "repair-output": async ({ job }, signal) => repair(planning, job, signal),
  };
}

async function workFor(
  planning: Planning,
  job: Job,
  more: Partial<RoleOrder> = {},
): Promise<RoleWork | Outcome> {
  const { app, config, agents, watch } = planning;
  const run = await app.run();
  const attempt = roleFolder(app.paths.heddle, run, job);
  const role = more.role ?? job.role;
  const folder = role === "fixer" ? fixerFolder(attempt) : attempt;
  const skill = skillOf(role, app.paths.heddle);
  if ("code" in skill) return impossible(skill.message);
  const phase = await app.look((state) => state.phase);
  const agent = agents.forRole(role, { phase });
  if ("code" in agent) return impossible(agent.message);
  const order = await app.journal.read(run, (state) =>
    orderFor(planning, state, { job, role, bundle: folder.bundle, output: folder.output }),
  );
  const readable = [order.places.planningDir, order.places.targetDir, packageDir(), skill.path].filter(
    isThere,
  );
  const earlier =
    job.attempt > 1 && role !== "fixer"
      ? roleFolder(app.paths.heddle, run, { ...job, attempt: job.attempt - 1 })
      : undefined;
  const refused = earlier && isThere(earlier.refused) ? { before: earlier.output } : {};
  const previous = "before" in refused ? { previous: folder.previous } : {};
  const whole = { ...order, ...previous, ...more };
  return {
    ...refused,
    agent,
    limits: limitsFor(config, { role, agent: agent.name, phase }),
    park: agents.park(role, { phase }),
    role,
    attempt: job.attempt,
    product: planningProduct(job.makes as Planned, order.places),
    bundle: () => bundleText(whole, skill as Skill),
    folder,
    readable,
    watch,
  };
}

/** Kept beside the plan as well, for people: `heddle bundle show <role>` reads the latest. */
function bundleText(order: RoleOrder, skill: Skill): string {
  const text = `${JSON.stringify(planningBundle(order, skill), null, 2)}\n`;
  replaceFile(join(order.places.planningDir, "bundles", `${order.role}-bundle.json`), text);
  return text;
}

function impossible(error: string): Outcome {
  return { ok: false, error, category: "environment", subcategory: null, retryable: false };
}

interface Place {
  readonly job: Job;
  readonly role: string;
  readonly bundle: string;
  readonly output: string;
}

function orderFor({ app, preferences }: Planning, run: Run, { job, role, bundle, output }: Place): RoleOrder {
  const { problems = [] } = run.jobs[job.role] ?? {};
  const missed = problems[0]?.startsWith("nothing fresh lies at") ?? false;
  return {
    places: { planningDir: run.planningDir, targetDir: run.targetDir },
    heddleDir: app.paths.heddle,
    run: run.id,
    phase: run.phase,
    role,
    makes: job.makes as Makes,
    attempt: job.attempt,
    output,
    bundle,
    metadata: run.metadata,
    problems,
    reminder: missed
      ? `write the output to ${output}: printing it, or writing it elsewhere, does not count`
      : null,
    answers: run.questions.filter((question) => question.about === job.role && question.answer !== null),
    preferences,
  };
}

async function repair(planning: Planning, job: Job, signal: AbortSignal): Promise<Outcome> {
  const kind = outputKinds[job.makes as Makes];
  const { output } = roleFolder(planning.app.paths.heddle, await planning.app.run(), job);
  const broken = brokenFile(kind, output);
  if (broken === undefined) return { ok: true };
  const work = await workFor(planning, job, { role: "fixer", broken, problems: [], reminder: null });
  if ("ok" in work) return { ok: true };
  const readable = [...work.readable, join(output, ".."), output];
  return repairOutput({ ...work, readable }, broken, signal);
}
