// Questions in words: asked in a line, answered in a line. The REPL and plain mode ask this way; what an answer means is
// the same in both.
import { freeAnswer } from "../../view/question.ts";
import type { Prompts } from "./prompts.ts";

export interface Asked {
  readonly question: string;
  readonly options: readonly string[];
  /** What an empty answer means. */
  readonly initial: string;
  /** Why an answer will not do. */
  readonly check?: (answer: string) => string | undefined;
  /** Many lines, up to Ctrl-D. */
  readonly many?: boolean;
  /** The options are only what the asker thought of: anything else is an answer too. */
  readonly free?: boolean;
  /** Aborted when nobody needs the answer any more. */
  readonly until?: AbortSignal;
}

export type Settled = { readonly answer: string } | { readonly wrong: string };

/** An option's number or its beginning is enough. */
export function settle({ options, initial, check, many, free }: Asked, said: string): Settled {
  if (many) return { answer: said };
  if (free) {
    const answer = freeAnswer(options, said);
    return answer === "" ? { wrong: "type an answer" } : { answer };
  }
  const words = said.trim() === "" ? initial : said.trim();
  const answer = options.length > 0 ? chosen(options, words) : words;
  if (answer === undefined)
    return {
      wrong: `\`${words}\` is not one of the answers: ${options.map((each, at) => `${at + 1} ${each}`).join(", ")}`,
    };
  const wrong = check?.(answer);
  return wrong === undefined ? { answer } : { wrong };
}

export function chosen(options: readonly string[], words: string): string | undefined {
  const same = options.find((option) => option === words);
  if (same !== undefined) return same;
  const byNumber = /^\d+$/.test(words) ? options[Number(words) - 1] : undefined;
  if (byNumber !== undefined) return byNumber;
  const begun = options.filter((option) => option.toLowerCase().startsWith(words.toLowerCase()));
  return words !== "" && begun.length === 1 ? begun[0] : undefined;
}

/** `ask` settles with an answer that will do, or throws `Cancelled`: at Ctrl-C, and once `until` is aborted. */
export function promptsThrough(ask: (asked: Asked) => Promise<string>): Prompts {
  return {
    text: (question, { initial, check, until }) =>
      ask({ question, options: [], initial, ...(check && { check }), ...(until && { until }) }),
    choose: (question, options, until) => ask({ question, options, initial: "", ...(until && { until }) }),
    answer: (question, options, until) =>
      ask({ question, options, initial: "", free: true, until }).catch((error: unknown) => {
        if (until.aborted) return undefined;
        throw error;
      }),
    confirm: async (question) => (await ask({ question, options: ["yes", "no"], initial: "yes" })) === "yes",
    paste: (hint) => ask({ question: hint, options: [], initial: "", many: true }),
  };
}

/** The question as lines, its options numbered. */
export function askedLines({ question, options, initial, free }: Asked): string[] {
  const brief = options.length === 2 && options.every((option) => option.length < 8);
  const usual = initial === "" ? "" : ` (Enter: ${initial})`;
  if (brief && !free) return [`? ${question} [${options.join(" | ")}]${usual}`];
  const own = free && options.length > 0 ? ["  or type your own answer"] : [];
  return [`? ${question}${usual}`, ...options.map((option, at) => `  ${at + 1}  ${option}`), ...own];
}
