// The commands that check a task's criteria (D9, D10): whether a shell could read them, which is certain, and whether
// they are commands at all and do more than look, which is a guess.
import { simpleCommands } from "../../../protocols/always-green.ts";
import { INVISIBLE } from "../../../protocols/document.ts";
import type { Word } from "../../../protocols/shell-list.ts";
import { shellWords } from "./shell-words.ts";

/** A command may have several lines and tabs, but nothing else that a reader can not see. */
const hidden = new RegExp(`(?![\\t\\n\\r])[${INVISIBLE}]`);

/** Most commands: words and blanks alone need no second look. */
const harmless = /^[\w./:=@,+%-][\w ./:=@,+%-]*$/;

/** Why no shell can read it, as the end of a sentence. */
export function commandFault(command: string): string | undefined {
  if (harmless.test(command)) return undefined;
  if (hidden.test(command)) return "holds control characters";
  const read = shellWords(command);
  return "fault" in read ? read.fault : undefined;
}

const proseWords =
  /^(?:verify|ensure|confirm|manual|manually|visually|inspect|review|the|it|all|users?|should|when|given|there|a|an|(?:make|be) sure|(?:run|open|execute|start) (?:the|all|your|our|it)|(?:check|test|see|assert) (?:that|if|whether|the))\b(?![./=-])/i;

/** `Works as expected`: commands are written small, and have more than letters in them before long. */
const sentence = /^[A-Z][a-z]+(?:,? [A-Za-z']+){2,}[.!]?$/;

export function looksLikeProse(command: string): boolean {
  const text = command.trim();
  return (proseWords.test(text) && !/[|&;$<>(]|\s-/.test(text) && text.includes(" ")) || sentence.test(text);
}

const suspects =
  /\b(?:rm|chmod|chown|git|mkfs|dd|shutdown|reboot|halt|sudo|su|publish|push|upload|apply|deploy|destroy|unpublish|ssh|scp|sftp|telnet|nc|ncat|curl|wget)\b/;

/** What it does beyond looking at the work, as the end of a sentence. A box holds it; a person may run it without one. */
export function dangerIn(command: string): string | undefined {
  if (!suspects.test(command)) return undefined;
  const all = simpleCommands(command);
  for (const words of all) {
    const said = destroys(words) ?? reachesOut(words);
    if (said !== undefined) return said;
  }
  const fetches = all.some(([program]) => program === "curl" || program === "wget");
  const runs = all.some(
    ([program, first]) => /^(?:ba|da|z|k)?sh$|^python\d?$/.test(program ?? "") && first === undefined,
  );
  return fetches && runs ? "runs what it fetches from the network" : undefined;
}

const beyond = /^(?:\/|~|\.\.(?:\/|$))|^(?:\.?\/?\*|\.|\.\/)$/;

function destroys([program, ...args]: readonly Word[]): string | undefined {
  const targets = args.filter((arg) => arg === undefined || !arg.startsWith("-"));
  const isRecursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(arg ?? ""));
  const reaches = targets.some((arg) => arg === undefined || (beyond.test(arg) && !arg.startsWith("/tmp/")));
  if (program === "rm" && isRecursive && reaches) return "removes more than what the task made";
  if ((program === "chmod" || program === "chown") && isRecursive && reaches)
    return "changes files outside of the project";
  if (program === "git" && /^(?:clean|reset|checkout|restore|stash)$/.test(args[0] ?? ""))
    return "changes the checkout";
  if (/^(?:mkfs(?:\.\w+)?|dd|shutdown|reboot|halt|sudo|su)$/.test(program ?? ""))
    return "is meant for the machine, not for the project";
  return undefined;
}

const publishing =
  /^(?:npm|pnpm|yarn|cargo|poetry|uv|gem|twine|docker|podman|helm|terraform|kubectl) (?:publish|push|upload|apply|deploy|destroy|unpublish)$/;

function reachesOut([program, ...args]: readonly Word[]): string | undefined {
  const [first] = args;
  if (program === "git" && first === "push") return "pushes to another repository";
  if (publishing.test(`${program} ${first}`)) return "publishes something";
  if (/^(?:ssh|scp|sftp|telnet|nc|ncat)$/.test(program ?? "")) return "reaches out to another machine";
  return undefined;
}
