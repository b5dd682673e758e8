// The commands that check a task's criteria (D9, D10): whether a shell could read them, which is certain, and whether
// they are commands at all and could ever fail, which is a guess.
import { INVISIBLE } from "../../document.ts";
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

const empty = /^(?:true|:|exit 0|echo(?: [^|&;<>$`]*)?)$/;

/** It succeeds whatever the work is. */
export function provesNothing(command: string): boolean {
  return empty.test(command.trim()) || /\|\|\s*(?:true|:)\s*$/.test(command);
}
