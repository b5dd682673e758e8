// Machines beside this one, from the configuration: what placement knows of them, how their orders get there, and what is
// asked of them first. What a machine lacks is a sentence about that machine, and never a fault of the task.
import { hostname } from "node:os";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { HostConfig } from "../config/hosts.ts";
import { workerFor } from "../config/worker.ts";
import type { Outcome } from "../core/input.ts";
import type { Fleet, Wants } from "../core/machines/fleet.ts";
import { machineOutcome } from "../core/outcome.ts";
import { problem, Refused } from "../core/problem.ts";
import { taskOf } from "../core/run.ts";
import type { App } from "../engine/app.ts";
import type { Carriers } from "../engine/world.ts";
import { textDigest } from "../host/digest.ts";
import type { Carrier } from "../work/order.ts";
import type { Fitting, Lodging, Seen } from "../work/wire/machine-messages.ts";
import { wrapping } from "./carriers/elsewhere.ts";
import { lookAt, MachineGone, sshCarrier } from "./carriers/ssh.ts";
import type { Reached } from "./carriers/ssh-program.ts";
import type { WorkersReached, WorkersWanted } from "./workers-reached.ts";

/** What of the configuration agents are made of; nothing else of it leaves this machine. */
type Shop = Pick<Config, "agents" | "network" | "budget" | "prices">;

export interface Machines {
  /** The project's own folder of heddle's. */
  readonly heddle: string;
  readonly hosts: readonly HostConfig[];
  readonly version: string;
  readonly fitting: Fitting;
  /** Where workers may join: how orders get to them. */
  readonly workers?: WorkersReached | undefined;
}

export interface MachinesWanted {
  readonly heddle: string;
  readonly config: Config;
  readonly version: string;
  readonly unconfined: boolean;
}

/** Nothing where the configuration names no other machine. */
export function machinesOf({ heddle, config, version, unconfined }: MachinesWanted): Machines | undefined {
  const hosts = (config.hosts ?? []).filter(({ ssh }) => ssh !== undefined);
  if (hosts.length === 0 && !config.workers) return undefined;
  return { heddle, hosts, version, fitting: { settings: JSON.stringify(shopOf(config)), unconfined } };
}

function shopOf({ agents, network, budget, prices }: Config): Shop {
  return {
    ...(agents && { agents }),
    ...(network && { network }),
    ...(budget && { budget }),
    ...(prices && { prices }),
  };
}

/** Nothing where the configuration takes no workers: then nothing of queues is loaded. */
export async function workersOf(wanted: WorkersWanted): Promise<WorkersReached | undefined> {
  if (!wanted.config.workers) return undefined;
  const { reachWorkers } = await import("./workers-reached.ts");
  return reachWorkers(wanted);
}

const slotsUnlessSaid = 2;

/** What placement knows: slots, labels, and whom a task needs. */
export function fleetFor(
  config: Config,
  {
    slots,
    agent,
    phase,
  }: { readonly slots: number; readonly agent: string | undefined; readonly phase: string },
): Fleet | undefined {
  const { hosts = [], tags = {}, workers } = config;
  const machines = hosts.flatMap(({ ssh, slots: own = slotsUnlessSaid, labels = [] }) =>
    ssh === undefined ? [] : [{ name: ssh, slots: own, labels }],
  );
  if (machines.length === 0 && !workers) return undefined;
  const here = hosts.find((each) => each.here);
  const executor = (tag?: string) =>
    workerFor(config, { role: "task-executor", phase, ...(tag !== undefined && { tags: [tag] }) }, agent)
      .agent;
  const wanted = (tag: string): Wants => {
    const word = executor(tag);
    const { labels } = tags[tag] ?? {};
    return { ...(labels && { labels }), ...(word !== undefined && { agents: [word] }) };
  };
  const everybody = executor();
  return {
    here: { slots: here?.slots ?? slots, labels: here?.labels ?? [] },
    machines,
    wants: {
      ...Object.fromEntries(Object.keys(tags).map((tag) => [tag, wanted(tag)])),
      ...(everybody !== undefined && { "": { agents: [everybody] } }),
    },
    ...(workers && { open: true as const }),
  };
}

/** Every word that an executor may be chosen by. */
const wordsOf = ({ wants }: Pick<Fleet, "wants">) => [
  ...new Set(Object.values(wants).flatMap(({ agents = [] }) => agents)),
];

const isHost = ({ hosts }: Machines, name: string) => hosts.some(({ ssh }) => ssh === name);

function reached({ hosts, version }: Machines, name: string): Reached & Pick<HostConfig, "folder"> {
  const host = hosts.find(({ ssh }) => ssh === name);
  if (!host?.ssh) throw new MachineGone(`${name} is no longer among the hosts of the configuration`, false);
  const { ssh, heddle = "heddle", folder } = host;
  return { name, ssh, heddle, version, ...(folder !== undefined && { folder }) };
}

/** The same project, wherever it is worked on: one folder there for this place of this machine. */
function lodgingIn(heddle: string, folder: string | undefined): Lodging {
  const project = textDigest(`${hostname()} ${heddle}`).slice(0, 32);
  return { project, ...(folder !== undefined && { folder }) };
}

/** Carries orders of attempts that are placed there. */
export async function carrierOn(machines: Machines, app: App, name: string): Promise<Carrier> {
  const { heddle, fitting, workers } = machines;
  const planningDir = await app.look((run) => run.planningDir);
  const live = () =>
    app.look((run) =>
      run.running
        .map((id) => taskOf(run, id))
        .filter(({ attempt }) => attempt?.machine === name)
        .map(({ def, attempts }) => `${run.id}/${def.id}-${attempts}`),
    );
  if (workers && !isHost(machines, name)) {
    const { queueCarrier } = await import("./carriers/queue.ts");
    return queueCarrier({
      ...workers,
      worker: name,
      fitting,
      live,
      wrapping: wrapping({ heddle, planningDir }),
    });
  }
  const { folder, ...machine } = reached(machines, name);
  return sshCarrier({
    ...{ machine, fitting, live, lodging: lodgingIn(heddle, folder), scratch: join(heddle, "sent") },
    wrapping: wrapping({ heddle, planningDir }),
  });
}

/** Asks a machine whether it is there and fit for work. */
export function machineCarriers(machines: Machines, fleet: Fleet): Carriers {
  return {
    "ask-machine": async ({ machine }, signal): Promise<Outcome> => {
      try {
        const seen = await seenOf(
          machines,
          { name: machine, agents: wordsOf(fleet), thorough: false },
          signal,
        );
        const [missing] = seen.missing;
        if (missing !== undefined) return machineOutcome(missing, false);
        return { ok: true, machine: { agents: seen.agents } };
      } catch (error) {
        if (error instanceof MachineGone) return machineOutcome(error.message, false);
        throw error;
      }
    },
  };
}

interface Question {
  readonly name: string;
  readonly agents: readonly string[];
  readonly thorough: boolean;
}

export async function seenOf(
  machines: Machines,
  { name, agents, thorough }: Question,
  signal: AbortSignal,
): Promise<Seen> {
  const { workers, fitting } = machines;
  if (workers && !isHost(machines, name)) {
    const { lookAtWorker } = await import("./carriers/queue.ts");
    return lookAtWorker({ ...workers, worker: name, fitting }, { agents, thorough }, signal);
  }
  const { folder, ...machine } = reached(machines, name);
  const lodging = lodgingIn(machines.heddle, folder);
  return lookAt({ machine, fitting: machines.fitting, lodging }, { agents, thorough }, signal);
}

/** What a person asked about by name. */
export function demandHost({ hosts = [] }: Config, name: string): HostConfig {
  const found = hosts.find(({ ssh }) => ssh === name);
  if (found) return found;
  const known = hosts.flatMap(({ ssh }) => (ssh === undefined ? [] : [`\`${ssh}\``]));
  throw new Refused([
    problem("unknown-host", `\`${name}\` is not among the hosts of .heddle/config.json`, {
      hint:
        known.length > 0
          ? `choose ${known.join(" or ")}`
          : `"hosts": [{ "ssh": "${name}" }] in .heddle/config.json`,
    }),
  ]);
}
