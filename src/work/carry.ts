// Carrying one order out, on this machine: nothing is known here but the order, its hearing, and what lies where it says.
import type { Agent } from "../agents/agent.ts";
import { agentFrom, type Recipe } from "../agents/recipe.ts";
import { trustBy } from "../agents/steering.ts";
import type { Outcome } from "../core/input.ts";
import { hindered, impossible } from "../core/outcome.ts";
import { isProblem } from "../core/problem.ts";
import { wallClock } from "../host/clock.ts";
import { isThere } from "../host/files.ts";
import { lentFor } from "../host/git/lent-objects.ts";
import { secretValues } from "../host/program/environment.ts";
import { trustedPath } from "../host/program/programs.ts";
import { redactor } from "../host/program/redact.ts";
import { checkBaseline } from "./check-baseline.ts";
import { checkTree } from "./evidence/check-tree.ts";
import { openDoor } from "./inside/door.ts";
import { mostWritten } from "./inside/requests.ts";
import { withLog } from "./inside/role-door.ts";
import { prepareMerge } from "./merge.ts";
import type { AgentEnd, Carried, Carrier, Hearing, RoleOrder, TaskOrder, WorkOrder } from "./order.ts";
import { prepareWorkspace } from "./prepare-workspace.ts";
import type { HandIn } from "./read-result.ts";
import { repairOutput } from "./repair-output.ts";
import { repairResult } from "./repair-result.ts";
import { reviewWork } from "./review-work.ts";
import { type Park, runAgent, type TaskWork } from "./run-agent.ts";
import { type RoleWork, runRole } from "./run-role.ts";
import { storesIn } from "./set-up/stores.ts";

/** How what is handed in is read, by the name of its schema: every protocol has its own documents. */
export type HandIns = (schema: string) => Promise<HandIn | undefined> | HandIn | undefined;

/** One order under way: where it is told of, and how its agent ended. */
interface Underway {
  readonly hearing: Hearing;
  readonly park: Park;
  readonly handIns: HandIns;
  readonly signal: AbortSignal;
}

type Of<K extends WorkOrder["kind"]> = Extract<WorkOrder, { kind: K }>;
type Carriers = { readonly [K in WorkOrder["kind"]]: (order: Of<K>, underway: Underway) => Promise<Outcome> };

const carriers: Carriers = {
  "prepare-workspace": (order, { signal }) => prepareWorkspace(order, signal),
  "run-agent": work,
  "repair-result": repair,
  "run-checks": async (order, { signal }) => {
    const evidence = await checkTree(order, order.tree, signal);
    return isProblem(evidence) ? hindered(evidence) : { ok: true, evidence };
  },
  "review-work": review,
  "prepare-merge": (order) => prepareMerge(order),
  "check-baseline": (order, { signal }) => checkBaseline(order, signal),
  "run-role": async (order, underway) => {
    const role = roleWork(order, underway);
    return "ok" in role ? role : withLog(underway.hearing, role, (each) => runRole(each, underway.signal));
  },
  "repair-output": async (order, underway) => {
    const role = roleWork(order, underway);
    if ("ok" in role) return role;
    return withLog(underway.hearing, role, (each) => repairOutput(each, order.broken, underway.signal));
  },
};

/** Carries orders out in this process. */
export function carrierHere(handIns: HandIns): Carrier {
  return {
    carry: async (order, hearing, signal): Promise<Carried> => {
      let agent: AgentEnd | undefined;
      // Whom to ask next is decided by whoever gave the order; here it is only noticed how the agent ended.
      const park: Park = (word, why, message = "") => {
        agent = { word, why, message };
        return undefined;
      };
      const carry = carriers[order.kind] as Carriers[typeof order.kind] as (
        order: WorkOrder,
        underway: Underway,
      ) => Promise<Outcome>;
      if (!carry) throw new Error(`bug: nobody carries out \`${order.kind}\``);
      const outcome = await carry(order, { hearing, park, handIns, signal });
      return { outcome, ...(agent && { agent }) };
    },
  };
}

/** The attempt with what is this process's own; or why there is nobody to work on it. */
async function live(
  order: TaskOrder,
  { hearing, park, handIns }: Underway,
): Promise<TaskWork | Extract<Outcome, { ok: false }>> {
  const { folder, repository, base } = order;
  const agent = agentFrom(order.agent);
  if (isProblem(agent)) return impossible(agent.message);
  const handIn = await handIns(order.handIn.schema);
  if (!handIn) throw new Error(`bug: nobody reads \`${order.handIn.schema}\``);
  return {
    ...order,
    agent,
    handIn,
    // A workspace of a heddle that lent objects in another way names another folder; then its git finds none.
    readable: [...order.readable, ...[lentFor(repository, base)].filter(isThere)],
    // What set-up fetched lies where the order is carried out.
    env: { ...order.env, ...storesIn(folder.work, []) },
    now: wallClock,
    watch: (who, event, name) => hearing.tell({ who, agent: name, event }),
    park,
    trust: trustBy(order.approved, folder.work),
  };
}

async function work(order: TaskOrder, underway: Underway): Promise<Outcome> {
  const attempt = await live(order, underway);
  if ("ok" in attempt) return attempt;
  const { def, agent, folder, readable, env } = attempt;
  const door = await openDoor({
    submit: underway.hearing.submit,
    log: underway.hearing.log,
    task: def.id,
    who: attempt.handIn.role,
    attempt: attempt.attempt,
    folder,
    now: wallClock,
    redact: redactor(secretValues(process.env)).text,
    watch: (event) => attempt.watch(def.id, event, agent.name),
    left: { ...mostWritten },
  });
  try {
    return await runAgent(
      {
        ...attempt,
        readable: [...readable, door.folder],
        env: { ...env, HEDDLE_SOCKET: door.path, PATH: `${door.folder}:${trustedPath()}` },
      },
      underway.signal,
    );
  } finally {
    await door.close();
  }
}

async function repair(order: Of<"repair-result">, underway: Underway): Promise<Outcome> {
  const attempt = await live(order, underway);
  if ("ok" in attempt) return attempt;
  const fixer = order.fixer ? agentFrom(order.fixer) : noFixer;
  return repairResult({ ...attempt, fixer, skill: order.skill }, underway.signal);
}

const noFixer = { code: "no-agent", message: "nobody repairs it" };

async function review(order: Of<"review-work">, underway: Underway): Promise<Outcome> {
  const attempt = await live(order, underway);
  if ("ok" in attempt) return attempt;
  const agent = agentFrom(order.reviewer.agent);
  if (isProblem(agent)) return impossible(agent.message);
  const { skill, diff, evidence, limited, reviewer } = order;
  const judge = { agent, limits: reviewer.limits };
  return reviewWork({ ...attempt, reviewer: judge, skill, diff, evidence, limited }, underway.signal);
}

/** What a role made is judged by whoever gave the order: here it is only asked for. */
const unjudged = { check: () => ({ problems: [unlooked], warnings: [], inputs: [] }), keep: () => {} };
const unlooked = { code: "unjudged", message: "nobody has looked at it" };

function roleWork(
  { agent: recipe, makes, bundle, settings, ...order }: RoleOrder,
  { hearing, park }: Underway,
): RoleWork | Extract<Outcome, { ok: false }> {
  const agent = agentOf(recipe);
  if ("ok" in agent) return agent;
  return {
    ...order,
    agent,
    product: { kind: makes, ...unjudged },
    bundle: () => bundle,
    watch: (who, event) => hearing.tell({ who, agent: agent.name, event }),
    park,
    ...(settings && { trust: trustBy(settings.approved, settings.root) }),
  };
}

function agentOf(recipe: Recipe): Agent | Extract<Outcome, { ok: false }> {
  const agent = agentFrom(recipe);
  return isProblem(agent) ? impossible(agent.message) : agent;
}
