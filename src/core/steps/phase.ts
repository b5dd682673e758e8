// Moving from phase to phase: by the rules, by a person's override, by adopting an edited view.
import { accept, refuse, type Step, type Steps, unknownTask } from "../answer.ts";
import type { Fact } from "../fact.ts";
import { type Deed, type Hint, toCall } from "../hint.ts";
import type { InputOf } from "../input.ts";
import { allowedIn } from "../policy.ts";
import { closest, type Problem, problem } from "../problem.ts";
import { type Action, decide, type Rule } from "../protocol.ts";
import type { Run } from "../run.ts";

export const phaseSteps: Steps<"advance" | "override" | "allow" | "adopt"> = {
  advance: (run, input) => {
    const { digests, request = "advance" } = input;
    const { rule } = decide(run.protocol, { run, request, digests });
    const answered = request === "advance" || rule?.when.request?.includes(request) === true;
    if (!answered || rule?.then.kind !== "go") return refuse(stays(run, rule, request));
    const { to, counts = null } = rule.then;
    const facts = request === "advance" ? [] : requested(run, { ...input, request });
    return accept(...facts, { kind: "phase-entered", from: run.phase, to, rule: rule.name, counts });
  },
  override: (run, { reason, to }) => {
    if (reason.trim() === "") return refuse(noReason({ do: "override" }));
    const target = to ?? forward(run);
    const reachable = waysOn(run);
    if (target === undefined || !reachable.includes(target))
      return refuse(unreachable(run, target, reachable));
    return accept({ kind: "overridden", reason, phase: target, tasks: {}, policy: {} });
  },
  allow: (run, { code, reason }) => {
    if (reason?.trim() === "") return refuse(noReason({ do: "allow", code }));
    const { [code]: before, ...others } = allowedIn(run.metadata);
    if ((before ?? null) === reason) return accept();
    const allowed = reason === null ? others : { ...others, [code]: reason };
    const said = reason === null ? `${code} is no longer allowed` : `${code} is allowed: ${reason}`;
    return accept(
      { kind: "metadata-set", metadata: { allowed } },
      { kind: "overridden", reason: said, phase: null, tasks: {}, policy: {} },
    );
  },
  adopt,
};

function unreachable(run: Run, target: string | undefined, reachable: readonly string[]): Problem {
  const known = run.protocol.phases.map(({ name }) => name);
  const meant = target === undefined || known.includes(target) ? undefined : closest(target, known);
  const ways = meant !== undefined && reachable.includes(meant) ? [meant] : reachable;
  const hint: Hint =
    ways.length > 0 ? { do: "override", to: ways } : { do: "show-protocol", protocol: run.protocol.name };
  if (target === undefined) return problem("unreachable", `no phase comes after \`${run.phase}\``, { hint });
  if (!known.includes(target)) return problem("unreachable", unknownPhase(run, target), { hint });
  return problem("unreachable", `phase \`${target}\` cannot be reached from \`${run.phase}\``, { hint });
}

/** L7. */
export function unknownPhase({ protocol }: Pick<Run, "protocol">, phase: string): string {
  return `phase \`${phase}\` is unknown; the phases are ${protocol.phases.map(({ name }) => name).join(", ")}`;
}

/** What a person asked for, and why; a task that is opened again has all its rounds before it. */
function requested(
  run: Run,
  { request, reason }: { readonly request: string; readonly reason?: string },
): Fact[] {
  const { job, halt, runMs } = run;
  const said = `${request}${reason === undefined ? "" : `: ${reason}`}`;
  const why: Fact[] =
    reason === undefined ? [] : [{ kind: "variable-set", name: `${request}_reason`, value: reason }];
  const ended = run.protocol.phases.find(({ name }) => name === run.phase)?.end === true;
  const anew = ended ? run.protocol.counters : [];
  // Who gives a task up ends what an orchestrator left under way, and no halt is in the way (L17).
  const givesUp = run.protocol.own?.requests?.includes(request) === true;
  const cleared: Fact[] = [];
  if (job && givesUp)
    cleared.push({
      ...{ kind: "job-failed" as const, role: job.role, attempt: job.attempt, category: "cancelled" },
      ...{ problems: [said], runMs, notBeforeMs: runMs },
    });
  if (halt && givesUp) cleared.push({ kind: "resumed", reason: halt.reason, stopFile: false });
  return [
    ...why,
    ...cleared,
    ...anew.map(
      (name): Fact => ({ kind: "variable-set", name: `${name}_before`, value: run.counters[name] ?? 0 }),
    ),
  ];
}

/** Why the phase stays: the rule's own sentence, and what would move it. */
function stays(run: Run, rule: Rule | null, request: string): Problem {
  if (!rule)
    return problem("no-rule", `no rule says how to go on from phase \`${run.phase}\``, {
      hint: { do: "check-protocol", protocol: run.protocol.name },
    });
  if (request !== "advance")
    return problem("out-of-turn", `\`${request}\` has no place in phase \`${run.phase}\`: ${rule.name}`, {
      hint: { do: "show-next" },
    });
  if (rule.then.kind === "end")
    return problem("ended", `\`${run.phase}\` is the last phase: ${rule.name}`, {
      hint: { do: "show-status" },
    });
  return problem("gate", `phase \`${run.phase}\` is not finished: ${rule.name}`, {
    hint: hintOf(run, rule.then),
  });
}

export function hintOf(run: Run, action: Action): Hint {
  const { advance, atEnd } = run.protocol.own ?? {};
  switch (action.kind) {
    case "job":
      return [
        commandOf(run),
        ` lets the ${action.role} make ${run.protocol.artifacts[action.makes] ?? action.makes}`,
      ];
    case "wait":
    case "halt":
      return action.hint;
    case "ask":
      return action.question;
    case "tasks":
      return [commandOf(run), " works on them"];
    case "go":
      return [advance === undefined ? commandOf(run) : toCall(advance), ` goes on to ${action.to}`];
    case "end":
      return atEnd ?? { do: "show-status" };
  }
}

/** What takes the run on. */
export function commandOf(run: Pick<Run, "protocol" | "phase" | "completedPhases" | "metadata">): Deed {
  // The agent is remembered; that there is no sandbox is said anew each time.
  const unconfined = run.metadata.unconfined === true ? " --unconfined" : "";
  return toCall(`${run.protocol.own?.command?.(run) ?? "next"}${unconfined}`);
}

/** Phases that some rule leads to from here; only those that need nobody to ask, when `unasked`. */
export function waysOn(run: Run, { unasked = false } = {}): string[] {
  const ways = new Set<string>();
  for (const { when, then } of run.protocol.rules) {
    const here = when.phase === undefined || when.phase.includes(run.phase);
    if (when.request?.every((each) => run.protocol.own?.requests?.includes(each))) continue;
    const automatic =
      when.request === undefined || when.request.some((each) => each === "advance" || each === "drive");
    if (here && then.kind === "go" && then.to !== run.phase && (automatic || !unasked)) ways.add(then.to);
  }
  return [...ways];
}

/** The next phase that is on every run's way. */
function forward(run: Run): string | undefined {
  const here = run.protocol.phases.findIndex(({ name }) => name === run.phase);
  const later = run.protocol.phases.slice(here + 1).filter(({ optional }) => !optional);
  return waysOn(run, { unasked: true }).find((way) => later.some(({ name }) => name === way));
}

function adopt(run: Run, input: InputOf<"adopt">): Step {
  const problems: Problem[] = [];
  if (input.reason.trim() === "") problems.push(noReason({ do: "adopt-edit" }));
  for (const id of Object.keys(input.tasks)) if (!run.tasks.get(id)) problems.push(unknownTask(run, id));
  if (input.phase !== null) problems.push(...gatesBefore(run, input.phase, input.digests));
  if (problems.length > 0) return refuse(...problems);
  return accept({
    kind: "overridden",
    reason: input.reason,
    phase: input.phase,
    tasks: input.tasks,
    policy: {},
  });
}

/** An adopted phase must be one that the rules could have reached with what is there (L6, L7). */
function gatesBefore(run: Run, phase: string, digests: InputOf<"adopt">["digests"]): Problem[] {
  const order = run.protocol.phases.map((each) => each.name);
  const target = order.indexOf(phase);
  if (target < 0) {
    const meant = closest(phase, order);
    return [
      problem("unknown-phase", unknownPhase(run, phase), {
        hint: meant ? `did you mean \`${meant}\`?` : { do: "restore-view" },
      }),
    ];
  }
  return walked(run, phase, digests);
}

/** From the first phase on, wherever the rules lead with what is there now. */
function walked(run: Run, phase: string, digests: InputOf<"adopt">["digests"]): Problem[] {
  const seen = new Set<string>();
  for (let at = run.protocol.phases[0]?.name ?? ""; at !== phase; ) {
    seen.add(at);
    const { rule } = decide(run.protocol, { run: { ...run, phase: at }, request: "advance", digests });
    if (rule?.then.kind !== "go" || seen.has(rule.then.to)) {
      const missing = rule?.name ?? "no rule leads on";
      return [
        problem("inconsistent", `phase \`${phase}\` does not fit: in \`${at}\`, ${missing}`, {
          hint: [{ do: "restore-view" }, ` goes back to \`${run.phase}\``],
        }),
      ];
    }
    at = rule.then.to;
  }
  return [];
}

function noReason(hint: Deed): Problem {
  return problem("no-reason", "an override needs a reason", { hint });
}
