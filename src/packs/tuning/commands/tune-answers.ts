// What a person decides while a skill is tuned: by flag, on the terminal, or later by `heddle answer` (S12). And what he
// sees meanwhile.

import type { Call } from "../../../command/command.ts";
import { whileOpen } from "../../../command/terminal/ask-in-place.ts";
import { canAsk, type Prompts, prompts } from "../../../command/terminal/prompts.ts";
import type { App } from "../../../engine/app.ts";
import type { Changed } from "../../../engine/changed.ts";
import { readIfThere } from "../../../host/files.ts";
import { stateAt } from "../subjects.ts";
import { type Asking, selectedFixes } from "../tune.ts";

/** Nothing when it will be given later, or was given elsewhere while the prompt stood there. */
export async function answerTo(call: Call, app: App, asking: Asking): Promise<string | undefined> {
  const { id, point, text, options } = asking.decision;
  const risk = call.flags.one("yes");
  if (risk !== undefined && point !== "requirements") {
    const answers: Readonly<Record<string, string>> = {
      fixes: `${risk} risk`,
      continue: "continue",
      summary: "finish",
    };
    return answers[point];
  }
  if (!canAsk(call)) return undefined;
  // The reply shows it.
  if (point === "summary") return "finish";
  const ask = await prompts(call);
  if (point === "fixes") for (const line of findingLines(asking)) call.say(line);
  return whileOpen(app, id, (until) =>
    point === "fixes" ? chooseFixes(call, asking, { ask, until }) : ask.choose(text, options, until),
  );
}

const some = "some of them";
const diffs = "show the diffs";

async function chooseFixes(
  call: Call,
  { decision, fixes, workDir }: Asking,
  { ask, until }: { readonly ask: Prompts; readonly until: AbortSignal },
): Promise<string> {
  for (;;) {
    const chosen = await ask.choose(decision.text, ["all", "low risk", some, diffs, "none"], until);
    if (chosen === diffs) call.say(readIfThere(`${workDir}/fixes/fix-proposals.md`) ?? "");
    else if (chosen !== some) return chosen;
    else {
      const check = (said: string) =>
        (selectedFixes(fixes, said) ?? []).length > 0
          ? undefined
          : `name some of ${fixes.map(({ id }) => id).join(" ")}`;
      return ask.text("Which ones?", { initial: "", check, until });
    }
  }
}

/** Each finding with the fix for it, or without one. */
function findingLines({ fixes, issues }: Asking): string[] {
  return issues.flatMap(({ id, severity, file, line, pattern, description, advice }) => {
    const fix = fixes.find((each) => each.issues.includes(id));
    const how = fix
      ? `${fix.id} (${fix.risk} risk): ${fix.description}`
      : `no rule fixes it: ${advice ?? ""}`;
    return [`  ${severity.padEnd(8)} ${file}:${line}  ${pattern} ${description}`, `           ${how}`];
  });
}

/** What is wrong with the skill, when nobody has said it and somebody can be asked. */
export async function complaintFor(call: Call): Promise<string | undefined> {
  const given = call.flags.one("issue");
  if (given !== undefined || call.flags.has("yes") || call.flags.has("focus") || !canAsk(call)) return given;
  const ask = await prompts(call);
  const said = await ask.text("What is wrong with the skill? (Enter: look at it from all sides)", {
    initial: "",
  });
  return said.trim() === "" ? undefined : said;
}

/** Says what each action did, as soon as it is done. */
export function sayActions({ say }: Call): Changed {
  let told: readonly unknown[] | undefined;
  return (run) => {
    const history = stateAt(run, "action_history");
    const now = Array.isArray(history) ? history : [];
    const before = told;
    told = now;
    // What an earlier call has done was said then.
    if (!before) return undefined;
    const last = before.at(-1);
    const from = last === undefined ? 0 : now.findLastIndex((each) => isSame(each, last)) + 1;
    const done = now.slice(from) as unknown as readonly { action: string; summary: string }[];
    return () => {
      for (const { action, summary } of done)
        say(`  ${action.replace(/^action-(diagnose-)?/, "").padEnd(20)} ${summary}`);
    };
  };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
