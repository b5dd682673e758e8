// What an agent does, line by line, for `heddle attach`. Everything in it comes from outside and is made safe.
import { costSentence, tokens } from "./amount.ts";
import { oneLine, safe, withoutEscapes } from "./safe.ts";
import { paint } from "./status.ts";

/** What an agent streams, as far as people see it. */
export type ShownEvent =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "used-tool"; readonly name: string; readonly detail: string }
  | {
      readonly kind: "spent";
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly costUsd: number | null;
    }
  | { readonly kind: "asked"; readonly text: string; readonly options: readonly string[] }
  | { readonly kind: "stopped"; readonly how: { readonly kind: string; readonly message?: string } };

type Look = { readonly color: boolean };

export const shown = (text: string) => safe(withoutEscapes(text).replace(/\r/g, ""));

export function eventText(event: ShownEvent, look: Look): string {
  switch (event.kind) {
    case "said":
      return shown(event.text);
    case "used-tool":
      return paint(`▸ ${oneLine(event.name)} ${oneLine(withoutEscapes(event.detail))}`.trimEnd(), 36, look);
    case "spent":
      return paint(spentText(event), 2, look);
    case "asked":
      return paint(
        `? ${oneLine(event.text)}${event.options.map((option) => ` [${oneLine(option)}]`).join("")}`,
        33,
        look,
      );
    case "stopped":
      return paint(
        `■ the agent ${event.how.kind === "finished" ? "finished" : oneLine(event.how.message ?? event.how.kind)}`,
        2,
        look,
      );
    default:
      return "";
  }
}

function spentText({ inputTokens, outputTokens, costUsd }: Extract<ShownEvent, { kind: "spent" }>): string {
  const cost = costSentence({ costUsd: costUsd ?? 0, unknownCosts: costUsd === null ? 1 : 0 });
  return `  ${tokens(inputTokens)} tokens in, ${tokens(outputTokens)} out, ${costUsd === null ? "cost unknown" : cost}`;
}
