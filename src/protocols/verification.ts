// Work that ends with a verification: what the verifier says counts for the commit that it saw, and gaps are planned again,
// a few times (M7). Rules and subjects for every protocol with a task graph; the phases are the protocol's own.
import { freshness } from "../core/artifact.ts";
import type { Hint } from "../core/hint.ts";
import {
  at,
  decide,
  go,
  halt,
  job,
  type Rule,
  rule,
  type Seen,
  type Standing,
  type Subject,
  saw,
} from "../core/protocol.ts";
import type { Run } from "../core/run.ts";
import { type Content, counterSince, verdict } from "./subject.ts";

/** How often gaps are planned again (M7). */
const GAP_PLANS = 2;

export interface Verifying {
  readonly phase: string;
  /** Where tasks are worked on, where gaps are planned, and where it ends. */
  readonly runs: string;
  readonly plans: string;
  readonly done: string;
  /** What `work` is while it is not done. */
  readonly unfinished: readonly string[];
  /** How a person has it planned once more. */
  readonly onceMore: Hint;
}

const verify = job("verifier", "verification");

export function verifyingRules({ phase, runs, plans, done, unfinished, onceMore }: Verifying): Rule[] {
  const open = saw("work", ...unfinished);
  return [
    rule(
      "a task is open again, and the returns are used up",
      at(phase),
      open,
      saw("returns", "reached"),
      halt("tasks_reopened", onceMore),
    ),
    rule("a task is open again", at(phase), open, go(runs, "returns")),
    rule("the verifier passed it", at(phase), saw("verification", "passed"), go(done)),
    rule(
      "the verifier found gaps, and the gap plans are used up",
      at(phase),
      saw("verification", "gaps"),
      saw("gaps", "reached"),
      halt("gaps_remain", onceMore),
    ),
    rule("the verifier found gaps", at(phase), saw("verification", "gaps"), go(plans, "gaps")),
    rule("the verification is missing", at(phase), saw("verification", "missing"), verify),
    rule("the verification is invalid", at(phase), saw("verification", "invalid"), verify),
    rule("the plan or its work changed since it was verified", at(phase), verify),
  ];
}

/** `passed: boolean`. */
function verificationSays({ passed }: Content): string | undefined {
  if (typeof passed !== "boolean") return undefined;
  return passed ? "passed" : "gaps";
}

/** `tip`: the commit that was verified. Work that came or went since then makes it stale. */
function isOfTheWork({ run }: Seen): boolean {
  const { tip = null } = run.artifacts.verification?.content ?? {};
  return tip === (run.branch?.tip ?? null);
}

const words = ["passed", "gaps"];
const onThePlan = verdict("verification", words, verificationSays);

const verification: Subject = {
  ...onThePlan,
  see: (seen) => {
    const said = onThePlan.see(seen);
    return words.includes(said) && !isOfTheWork(seen) ? "stale" : said;
  },
};

/** Whether what became of the project was looked at, whatever happened to the files since. */
export const judged: Subject = {
  about: "what the verifier said of the plan that is there",
  artifact: "verification",
  values: ["nothing", ...words],
  see: (seen) => {
    const said = freshness("verification", seen) === "valid" ? onThePlan.see(seen) : "nothing";
    return words.includes(said) ? said : "nothing";
  },
};

export const verifyingSubjects: Readonly<Record<string, Subject>> = {
  verification,
  gaps: counterSince("gaps", () => GAP_PLANS),
  returns: counterSince("returns", (run) => run.policy.rounds),
};

/** What the rules say when they let a run stand still. */
export function halting(run: Run): Standing | undefined {
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  if (rule?.then.kind !== "halt") return undefined;
  const { code, hint } = rule.then;
  return { code, message: code === "gaps_remain" ? gapsText(run) : rule.name, hint };
}

function gapsText({ artifacts: { verification } }: Run): string {
  const { gaps } = verification?.content ?? {};
  const listed = Array.isArray(gaps) ? gaps.map(String) : [];
  return `the gap plans are used up, and gaps remain: ${listed.join("; ")}`;
}

/** Why work that is verified as a whole stands still, if it does. */
export function verifyingStands(run: Run): Standing | undefined {
  return run.halt || run.phase !== "verifying" ? undefined : halting(run);
}
