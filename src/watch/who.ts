// Who would work on what, with what, and why: the configuration and the flag, put together as a run would. Nothing starts.
import { basename } from "node:path";
import { keyOf, knownBy } from "../agents/known.ts";
import type { Config } from "../config/config.ts";
import { limitsSet, type Work, workerFor } from "../config/worker.ts";
import { isProblem } from "../core/problem.ts";
import type { Graph, Protocol } from "../core/protocol.ts";
import { pathsIn } from "../engine/paths.ts";
import { chooseAgents } from "../orders/agents.ts";
import { readConfig } from "../orders/config.ts";
import { workersOf } from "../protocols/workers.ts";
import { hintText } from "../view/hint.ts";

export interface Assignment {
  readonly protocol: string;
  readonly phase: string | null;
  readonly role: string;
  readonly tag: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly effort: string | null;
  readonly fallback: readonly string[];
  readonly limits: object;
  /** Where each of these was said. */
  readonly why: Readonly<Record<string, string>>;
  /** With what it asks its model: the name of a variable, or whose login; null where that is not known. */
  readonly pays: string | null;
  /** Why that agent could not start here, and what to type. */
  readonly missing: { readonly what: string; readonly hint: string } | null;
}

function paysOf({ agents, logins }: Config, word: string): string | undefined {
  const { kind = "command", command: [program = ""] = [] } = agents?.[word] ?? {};
  const known = knownBy(agents?.[word] ? (kind === "acp" ? `acp:${basename(program)}` : kind) : word);
  return known && keyOf(known, logins);
}

/** The machines of the configuration, one per line. */
export function hostLines(root: string): string[] {
  const { hosts = [] } = readConfig(pathsIn(root).heddle);
  return hosts.map(({ ssh, slots, labels = [] }) => {
    const tags = labels.length > 0 ? ` [${labels.join(", ")}]` : "";
    return `machine ${ssh ?? "here"}${tags}${slots === undefined ? "" : `: ${slots} slots`}${ssh === undefined ? "" : ", by ssh"}`;
  });
}

/** `protocols`: those that are asked about. */
export function assignments(
  root: string,
  protocols: readonly Protocol[],
  named: string | undefined,
): Assignment[] {
  const config = readConfig(pathsIn(root).heddle);
  const agents = chooseAgents({ config, named, root, box: { kind: "unconfined" }, isLooking: true });
  const assigned = (protocol: string, work: Work): Assignment => {
    const { agent, model, effort, fallback, why } = workerFor(config, work, named);
    const [tag] = work.tags ?? [];
    const found = agents.forRole(work.role, work);
    const missing = isProblem(found) ? { what: found.message, hint: hintText(found.hint ?? "") } : null;
    return {
      ...{ protocol, phase: work.phase ?? null, role: work.role, tag: tag ?? null },
      ...{ agent: agent ?? null, model: model ?? null, effort: effort ?? null, fallback, why, missing },
      pays: agent === undefined ? null : (paysOf(config, agent) ?? null),
      limits: limitsSet(config, work, agent ?? ""),
    };
  };
  return [
    ...protocols.flatMap((protocol) => [
      ...workersOf(protocol).map((work) => assigned(protocol.name, work)),
      ...(protocol.graph?.tagged ? ofTasks(protocol.name, protocol.graph) : []),
    ]),
    assigned("every protocol", { role: "fixer" }),
  ];

  function ofTasks(protocol: string, { runs: phase, worker: role = "task-executor" }: Graph): Assignment[] {
    const tags = Object.keys(config.tags ?? {});
    const tagged = tags.map((tag) => assigned(protocol, { role, phase, tags: [tag] }));
    return config.review ? [...tagged, reviewer(protocol, { role, phase })] : tagged;
  }

  /** Somebody of another vendor, where nothing is said (X9). */
  function reviewer(protocol: string, executing: { role: string; phase: string }): Assignment {
    const plain = assigned(protocol, { role: "task-verifier", phase: executing.phase });
    const executor = agents.forRole(executing.role, executing);
    const found = isProblem(executor) ? executor : agents.reviewer(executor, executing);
    if (isProblem(found) || found.name === plain.agent) return plain;
    const agent = found.name;
    return {
      ...plain,
      agent,
      model: null,
      effort: null,
      why: { agent: "another vendor than the executor's" },
    };
  }
}
