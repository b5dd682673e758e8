// Plain mode's questions for a command that runs by itself: printed as lines, answered by a line.
import { createInterface } from "node:readline/promises";
import { safe } from "../../view/safe.ts";
import { print } from "../out.ts";
import { type Asked, askedLines, promptsThrough, settle } from "./ask.ts";
import { Cancelled } from "./cancelled.ts";
import type { Prompts } from "./prompts.ts";

/** What ends an answer of many lines where Ctrl-D would end everything. */
export const lastLine = ".";

export const askInLines = (): Prompts => promptsThrough(ask);

async function ask(asked: Asked): Promise<string> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  const cancel = () => lines.close();
  process.once("SIGINT", cancel);
  asked.until?.addEventListener("abort", cancel, { once: true });
  try {
    print(askedLines(asked).map(safe).join("\n"));
    if (asked.many) print(`a line with a single \`${lastLine}\` ends it`);
    let text: string | undefined;
    for await (const line of lines) {
      if (asked.many && line !== lastLine) {
        text = text === undefined ? line : `${text}\n${line}`;
        continue;
      }
      const settled = settle(asked, asked.many ? (text ?? "") : line);
      if ("answer" in settled) return settled.answer;
      print(settled.wrong);
    }
    throw new Cancelled("cancelled");
  } finally {
    process.off("SIGINT", cancel);
    asked.until?.removeEventListener("abort", cancel);
    lines.close();
  }
}
