// An agent whose final message is the document has handed it in (M13): many answer with what they were to write. Only what it
// said last counts, after its last tool; a file that it wrote, or a question that it asked, comes first.
import type { AgentEvent } from "../agents/agent.ts";
import { recordIn } from "../core/json.ts";
import { repairDocument } from "../protocols/repair.ts";

/** As much as an output may have. */
const longest = 1024 * 1024;

export class FinalMessage {
  #said: string[] = [];
  #length = 0;

  hear(event: AgentEvent): void {
    if (event.kind === "used-tool") this.#forget();
    if (event.kind !== "said") return;
    this.#length += event.text.length;
    // What is longer is no document that anybody would take.
    if (this.#length > longest) this.#forget();
    else this.#said.push(event.text);
  }

  #forget(): void {
    this.#said = [];
    this.#length = 0;
  }

  /** The document in it. A program may say it in one event or line by line. */
  document(): string | undefined {
    return documentIn(this.#said.at(-1) ?? "") ?? documentIn(this.#said.join("\n"));
  }
}

const beginsAsDocument = /^\s*(?:\{|```|~~~)/;

function documentIn(message: string): string | undefined {
  if (!message.includes("{")) return undefined;
  const found = repairDocument(message);
  if (!found || recordIn(found.text) === undefined) return undefined;
  // A name in braces in the middle of prose is no document, even if one could be made of it.
  return found.isFixed && !beginsAsDocument.test(message) ? undefined : found.text;
}
