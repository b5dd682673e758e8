// Who would work on what, with what, and why: the configuration and the flag, put together as a run would. Nothing starts.
import { limitsSet, type Work, workerFor } from "../config/worker.ts";
import { isProblem } from "../core/problem.ts";
import { protocols } from "../protocols/registry.ts";
import { workersOf } from "../protocols/workers.ts";
import { chooseAgents } from "./agents.ts";
import { readConfig } from "./config.ts";
import { pathsIn } from "./paths.ts";

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
  /** Why that agent could not start here, and what to type. */
  readonly missing: { readonly what: string; readonly hint: string } | null;
}

export function assignments(root: string, named: string | undefined): Assignment[] {
  const config = readConfig(pathsIn(root).heddle);
  const agents = chooseAgents({ config, named, root, box: { kind: "unconfined" } });
  const assigned = (protocol: string, work: Work): Assignment => {
    const { agent, model, effort, fallback, why } = workerFor(config, work, named);
    const [tag] = work.tags ?? [];
    const found = agents.forRole(work.role, work);
    const missing = isProblem(found) ? { what: found.message, hint: found.hint ?? "" } : null;
    return {
      ...{ protocol, phase: work.phase ?? null, role: work.role, tag: tag ?? null },
      ...{ agent: agent ?? null, model: model ?? null, effort: effort ?? null, fallback, why, missing },
      limits: limitsSet(config, work, agent ?? ""),
    };
  };
  const executing = { role: "task-executor", phase: "executing" };
  const tags = Object.keys(config.tags ?? {}).map((tag) =>
    assigned("decomposition", { ...executing, tags: [tag] }),
  );
  return [
    ...Object.values(protocols).flatMap((protocol) => [
      ...workersOf(protocol).map((work) => assigned(protocol.name, work)),
      ...(protocol.name === "decomposition" ? [...tags, ...(config.review ? [reviewer()] : [])] : []),
    ]),
    assigned("every protocol", { role: "fixer" }),
  ];

  /** Somebody of another vendor, where nothing is said (X9). */
  function reviewer(): Assignment {
    const plain = assigned("decomposition", { role: "task-verifier", phase: "executing" });
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
