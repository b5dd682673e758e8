// The one place where a hint becomes something to type. A surface has its manner: how a command is called there.
import { type Deed, type Hint, isDeed, type SimpleDeed } from "../core/hint.ts";

/** From a command's words to what is typed on a surface. */
export type Manner = (words: string) => string;

/** In a shell, and for programs that call heddle there. */
export const inShell: Manner = (words) => `heddle ${words}`;

/** At heddle's own prompt. */
export const atPrompt: Manner = (words) => `/${words}`;

export function hintText(hint: Hint, manner: Manner = inShell): string {
  if (typeof hint === "string") return hint;
  if (isDeed(hint)) return manner(wordsOf(hint));
  return hint.map((part) => hintText(part, manner)).join("");
}

/** What is typed to go on, and nothing else: deeds that follow one another are one line of a shell (M12). */
export function commandText(hint: Hint): string {
  if (typeof hint === "string" || isDeed(hint)) return hintText(hint);
  const from = hint.findIndex(isDeed);
  const steps: string[] = [];
  for (let at = from; at >= 0 && isDeed(hint[at]); at += 2) {
    steps.push(hintText(hint[at] as Deed));
    if (hint[at + 1] !== ", then: ") break;
  }
  return steps.length > 0 ? steps.join(" && ") : hintText(hint);
}

const simple: Readonly<Record<SimpleDeed, string>> = {
  "adopt-edit": 'state adopt --reason "<why>"',
  "begin-anew": "init --force",
  "change-plan": "plan-task",
  "examine-machine": "doctor",
  follow: "status --watch",
  "load-tasks": "state load-tasks",
  "restore-view": "state restore",
  "show-history": "history",
  "show-next": "next",
  "show-status": "status",
};

function wordsOf(deed: Deed): string {
  switch (deed.do) {
    case "answer":
      return `answer ${deed.question} "<text>"`;
    case "attach":
    case "why":
      return `${deed.do} ${deed.task}`;
    case "complete-task":
    case "start-task":
      return `state ${deed.do} ${deed.task}`;
    case "confirm-verification":
      return `state record-verification ${deed.task} --verdict PASS --recommendation PROCEED`;
    case "fail-task":
      return `state fail-task ${deed.task} "${deed.reason ?? "<why>"}"`;
    case "skip-task":
      return `state skip-task ${deed.task} "<why>"`;
    case "retry-task":
      return `state retry-task ${deed.task}${deed.force ? " --force" : ""}`;
    case "halt":
      return deed.now ? "halt --now" : "halt";
    case "resume":
      if (deed.skipBaseline) return 'resume --skip-baseline "<why>"';
      return deed.budgetUsd === undefined ? "resume" : `resume --budget ${deed.budgetUsd ?? "<usd>"}`;
    case "override":
      return `next --override "<why>"${deed.to ? ` --to ${deed.to.join(", or --to ")}` : ""}`;
    case "allow":
      return `allow ${deed.code} "<why>"`;
    case "show-protocol":
      return `protocol show ${deed.protocol}`;
    case "check-protocol":
      return `protocol check ${deed.protocol}`;
    case "checkpoint":
      return `state checkpoint ${deed.action}${deed.action === "create" ? " T001" : ""}`;
    case "call":
      return deed.command;
    default:
      return simple[deed.do];
  }
}

/** For `JSON.stringify`: programs read a hint as what is typed in a shell. */
export function hintsAsText(key: string, value: unknown): unknown {
  if (isDeed(value)) return hintText(value);
  const isHint = Array.isArray(value) && (key === "hint" || value.some(isDeed));
  return isHint ? hintText(value as Hint) : value;
}
