// The room between deciding and doing: from an effect and the run to an order, and from what came of it to an outcome. It reads the run
// and the configuration and chooses agents, boxes and machines; what an order needs done is done in `work/`.
//
// Who carries orders out, and what becomes of what came of them.
import { join } from "node:path";
import type { Input, Outcome, Spent, Unsuccessful } from "../core/input.ts";
import { machineOutcome } from "../core/outcome.ts";
import type { TaskDef } from "../core/run.ts";
import { type App, Refused } from "../engine/app.ts";
import { logLine } from "../engine/log.ts";
import type { Budget } from "../gateway/budget.ts";
import { textDigest } from "../host/digest.ts";
import { makeFolder } from "../host/files.ts";
import { carrierHere } from "../work/carry.ts";
import type { Carried, Carrier, Hearing, WorkOrder } from "../work/order.ts";
import type { HandIn } from "../work/read-result.ts";
import type { Park, Watch } from "../work/run-agent.ts";
import { addUsage } from "../work/usage.ts";
import { type Home, wrapping } from "./carriers/elsewhere.ts";
import { processCarrier } from "./carriers/process.ts";
import { MachineGone } from "./carriers/ssh.ts";
import { carrierOn, type Machines } from "./machines.ts";

/** Who carries orders out: this process, or one for each (`HEDDLE_CARRY`). `handIn`: how what executors hand in is read. */
function carrierFor(home: Home, handIn?: HandIn): Carrier {
  const { HEDDLE_CARRY: how } = process.env;
  if (how === "process") return processCarrier();
  if (how?.startsWith("/")) return processCarrier(placeIn(how, home.heddle), wrapping(home));
  return carrierHere((schema) => (schema === handIn?.schema ? handIn : undefined));
}

/** Each project has a folder of its own there. */
function placeIn(folder: string, heddle: string): string {
  const place = join(folder, textDigest(heddle).slice(0, 16));
  makeFolder(place);
  return place;
}

async function homeOf(app: App): Promise<Home> {
  if (!process.env.HEDDLE_CARRY) return { heddle: app.paths.heddle, planningDir: "" };
  return { heddle: app.paths.heddle, planningDir: await app.look((run) => run.planningDir) };
}

/** Whoever gives orders: what is told goes to whoever watches, what an agent wants written down to the journal. */
export interface Giving {
  readonly app: App;
  readonly watch: Watch;
  /** How what executors of tasks hand in is read, where there are tasks. */
  readonly contract?: { readonly handIn: HandIn };
  /** Machines beside this one, where there are any. */
  readonly machines?: Machines | undefined;
}

/** Who is to be asked next, where an order asks somebody. */
export interface Asking {
  readonly park?: Park | undefined;
  /** The machine that it is placed on, when it is not this one. */
  readonly on?: string | undefined;
}

/** Gives the order, and makes an outcome of what came of it. */
export async function outcomeOf(
  giving: Giving,
  { park, on, ...order }: WorkOrder & Asking,
  signal: AbortSignal,
): Promise<Outcome> {
  const { app, watch } = giving;
  let spent: Spent | undefined;
  const hearing: Hearing = {
    tell: ({ who, event, agent }) => {
      if (on !== undefined && event.kind === "spent") spent = addUsage(spent, agent, event);
      watch(who, event, agent);
    },
    submit: (input) => submitted(app, input),
    log: (line) => logLine(app.paths.root, line),
  };
  const budgets = isAsking(order) ? { budgets: await budgetsFor(app, order) } : {};
  const given = { ...order, ...budgets } as WorkOrder;
  if (on !== undefined) {
    const carried = await carriedOn(giving, { on, given, spentThere: () => spent }, { hearing, signal });
    return park ? parkedOr(carried, park) : carried.outcome;
  }
  const carried = await carrierFor(await homeOf(app), giving.contract?.handIn).carry(given, hearing, signal);
  return park ? parkedOr(carried, park) : carried.outcome;
}

interface Placed {
  readonly on: string;
  readonly given: WorkOrder;
  readonly spentThere: () => Spent | undefined;
}

/** On another machine. What that machine lacks, or that it is gone, is no fault of the task, and does not halt the run. */
async function carriedOn(
  { app, machines }: Giving,
  { on, given, spentThere }: Placed,
  { hearing, signal }: { readonly hearing: Hearing; readonly signal: AbortSignal },
): Promise<Carried> {
  try {
    if (!machines) throw new MachineGone(`${on} is no longer among the hosts of the configuration`, false);
    const carrier = await carrierOn(machines, app, on);
    const { outcome, agent } = await carrier.carry(given, hearing, signal);
    if (outcome.ok || !isMachines(outcome)) return { outcome, ...(agent && { agent }) };
    const { usage } = outcome;
    return { outcome: { ...machineOutcome(`${on}: ${outcome.error}`, false), ...(usage && { usage }) } };
  } catch (error) {
    const gone = machineFault(error, on);
    if (!gone) throw error;
    const known = spentThere();
    // What an agent had used when it was lost is known in part; what that cost is not.
    const usage = gone.begun && known ? { usage: { ...known, costUsd: null } } : {};
    return { outcome: { ...machineOutcome(gone.message, gone.begun), ...usage } };
  }
}

/** A full disk, a missing place or an agent that cannot work at all, over there. */
const isMachines = ({ kind }: Unsuccessful) => kind === "disk" || kind === "place" || kind === "unable";

/** What was thrown there because of the machine. */
function machineFault(error: unknown, on: string): Pick<MachineGone, "message" | "begun"> | undefined {
  if (error instanceof MachineGone) return error;
  const { message, code, problem } = error as Error & {
    code?: string;
    problem?: { code: string; message: string };
  };
  const what = problem?.code ?? code ?? "";
  const isFault = /^(?:full|ENOSPC|EDQUOT|EROFS|EACCES|no-.*|sandbox.*|not-installed|unknown-agent)$/.test(
    what,
  );
  return isFault ? { message: `${on}: ${problem?.message ?? message}`, begun: false } : undefined;
}

/** Orders that an agent is asked for. */
const isAsking = ({ kind }: Pick<WorkOrder, "kind">) =>
  ["run-agent", "repair-result", "review-work", "run-role", "repair-output"].includes(kind);

/** What may still be spent when the order is given; the gateway to models adds what others spend meanwhile. */
async function budgetsFor(app: App, order: object): Promise<Budget[]> {
  const task = "def" in order ? (order.def as TaskDef).id : undefined;
  const { root } = app.paths;
  return app.look(({ id, policy, usage, tasks }) => {
    const run = {
      whose: `the run`,
      key: `${root} ${id}`,
      limitUsd: policy.runBudgetUsd,
      spentUsd: usage.costUsd,
    };
    const found = task === undefined ? undefined : tasks.get(task);
    if (!found || task === undefined) return [run];
    return [
      { whose: task, key: `${root} ${id} ${task}`, limitUsd: policy.taskBudgetUsd, spentUsd: found.costUsd },
      run,
    ];
  });
}

/** An agent that may not be asked for a while, or cannot work just now, costs no try where waiting or another one helps. */
function parkedOr({ outcome, agent }: Carried, park: Park): Outcome {
  const parked = agent && park(agent.word, agent.why, agent.message);
  if (!parked || outcome.ok) return outcome;
  return { ...outcome, kind: "parked", parkMs: parked.parkMs, error: `${agent.message}; ${parked.outlook}` };
}

/** What an agent says from inside its attempt, written down; or why it cannot be. */
async function submitted(app: App, input: Input): Promise<string | undefined> {
  try {
    await app.submit(input);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}
