// The agents of a tuning: one takes the complaint apart, one writes edits for what no rule fixes, and one looks deeper
// beside the loop. What they answer is advice (`skill/advice.ts`): heddle checks its shape, and what it leads to.
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Spent } from "../../core/input.ts";
import { jsonIn } from "../../core/json.ts";
import { isProblem } from "../../core/problem.ts";
import type { App } from "../../engine/app.ts";
import { readIfThere } from "../../host/files.ts";
import type { Agents } from "../../orders/agents.ts";
import type { BoxChoice } from "../../orders/box.ts";
import { limitsFor } from "../../orders/config.ts";
import { type Consulted, consult } from "../../work/consult.ts";
import { skillOf } from "../../work/given/skill.ts";
import { type ActionCase, lookOf, skillOf as skillAt, verdictsIn } from "./skill/actions/action.ts";
import { general } from "./skill/actions/requirements.ts";
import { type Advice, readAdvice } from "./skill/advice.ts";
import { isSuggestion } from "./skill/finding.ts";
import { measure } from "./skill/measure.ts";
import { propose } from "./skill/propose.ts";

export interface Tuning {
  readonly app: App;
  readonly config: Config;
  /** Nobody, when no agent was named. */
  readonly agents: Agents | undefined;
  /** Where evals' checks run; like the agents. */
  readonly box: BoxChoice | undefined;
  /** How often each eval is run, before and after a fix. */
  readonly evalRuns: number;
  /** What agents do while they are at it. */
  readonly watch: (role: string, text: string) => void;
}

export interface Advised {
  readonly advice?: Advice;
  /** Why there is none, although somebody was asked. */
  readonly error?: string;
  readonly usage?: Spent;
}

interface Request {
  readonly role: string;
  readonly kind: Parameters<typeof readAdvice>[0];
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly given: ActionCase;
  /** Which time this role is asked. */
  readonly time: number;
}

const deepRole = "deep-analyst";

/** What an agent says to an action before heddle carries it out; nothing when the action needs nobody. */
export async function adviceFor(
  tuning: Tuning,
  asked: { readonly action: string; readonly given: ActionCase; readonly time: number },
  signal: AbortSignal,
): Promise<Advised> {
  const { action, given, time } = asked;
  if (!tuning.agents) return {};
  if (action === "action-analyze-requirements") {
    const complaint = String(given.state("user_issue_description") ?? general);
    const isKnown = given.state("requirement_analysis.dimensions") !== undefined;
    if (complaint === general || isKnown) return {};
    return ask(tuning, { role: "requirement-analyst", kind: "dimensions", inputs: {}, given, time }, signal);
  }
  if (action === "action-generate-report") return judged(tuning, { given, time }, signal);
  if (action !== "action-propose-fixes") return {};
  const skill = skillAt(given);
  const { open } = propose(skill, lookOf(given));
  const findings = measure(skill, lookOf(given)).findings.filter(({ id }) => open.includes(id));
  if (findings.length === 0) return {};
  const analysis = jsonIn(readIfThere(join(given.workDir, "diagnosis/deep-analysis.json")));
  const inputs = { findings, ...(analysis !== undefined && analysis !== null && { analysis }) };
  return ask(tuning, { role: "fix-author", kind: "edits", inputs, given, time }, signal);
}

/** Suspicions that nobody has judged yet: each is confirmed with words of the skill, or rejected. */
async function judged(
  tuning: Tuning,
  { given, time }: Pick<Request, "given" | "time">,
  signal: AbortSignal,
): Promise<Advised> {
  const known = verdictsIn(given);
  const findings = measure(skillAt(given), lookOf(given)).findings.filter(
    (each) => isSuggestion(each) && !(each.key in known),
  );
  if (findings.length === 0) return {};
  return ask(tuning, { role: "finding-judge", kind: "verdicts", inputs: { findings }, given, time }, signal);
}

export function deepAnalysis(tuning: Tuning, given: ActionCase, signal: AbortSignal): Promise<Advised> {
  const { findings } = measure(skillAt(given));
  return ask(tuning, { role: deepRole, kind: "analysis", inputs: { findings }, given, time: 1 }, signal);
}

const keyFields = [
  "status",
  "iteration_count",
  "quality_gate",
  "target_skill",
  "user_issue_description",
  "focus_areas",
];

async function ask(
  { app, config, agents, watch }: Tuning,
  { role, kind, inputs, given, time }: Request,
  signal: AbortSignal,
): Promise<Advised> {
  const [agent, skill] = [agents?.forRole(role, { phase: "tuning" }), skillOf(role, app.paths.heddle)];
  if (!agent) return { error: "no agent is named" };
  const missing = [agent, skill].find(isProblem);
  if (missing || isProblem(agent) || isProblem(skill)) return { error: missing?.message ?? "" };
  const { workDir, place, state } = given;
  const fields = Object.fromEntries(keyFields.map((name) => [name, state(name) ?? null]));
  const consulted: Consulted<Advice> = await consult(
    {
      agent,
      skill,
      role,
      time,
      inputs,
      limits: limitsFor(config, { role, agent: agent.name, phase: "tuning" }),
      folder: join(workDir, "agents", `${role}-${time}`),
      target: dirname(place.entry),
      state: { text: readIfThere(join(workDir, "state.json")) ?? "{}\n", fields },
      read: (answer) => readAdvice(kind, answer),
      watch: (who, event) => {
        if (event.kind === "used-tool") watch(who, `${event.name} ${event.detail}`);
      },
    },
    signal,
  );
  const { value, error, usage } = consulted;
  return { ...(value && { advice: value }), ...(error && { error }), ...(usage && { usage }) };
}
