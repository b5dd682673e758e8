// Asking a person, on a terminal only. The library is loaded when there is something to ask.
import { isatty } from "node:tty";
import { freeAnswer } from "../../view/question.ts";
import { type Call, isJson } from "../command.ts";
import { Cancelled } from "./cancelled.ts";
import { isPlain } from "./terminal.ts";

export interface Prompts {
  text(question: string, about: TextQuestion): Promise<string>;
  /** Throws `Cancelled` at Ctrl-C, as all of them do, and once `until` is aborted. */
  choose(question: string, options: readonly string[], until?: AbortSignal): Promise<string>;
  /** One of the options, by its number or its name, or whatever else is typed; nothing once `until` is aborted. */
  answer(question: string, options: readonly string[], until: AbortSignal): Promise<string | undefined>;
  confirm(question: string): Promise<boolean>;
  /** Many lines, up to Ctrl-D. */
  paste(hint: string): Promise<string>;
}

export interface TextQuestion {
  readonly initial: string;
  /** Why an answer will not do; the question then stays. */
  readonly check?: (answer: string) => string | undefined;
  /** Aborted when nobody needs the answer any more. */
  readonly until?: AbortSignal;
}

type Asking = Pick<Call, "flags" | "ask">;

/** With `--json` a program is listening, whatever it is connected to. */
export function canAsk(call: Asking): boolean {
  if (isJson(call)) return false;
  if (call.ask) return true;
  return isatty(0) && isatty(1) && !process.env.CI && (process.env.TERM !== "dumb" || isPlain());
}

export async function prompts({ ask }: Asking): Promise<Prompts> {
  if (ask) return ask;
  if (isPlain()) return (await import("./ask-in-lines.ts")).askInLines();
  const { confirm, isCancel, select, text } = await import("@clack/prompts");
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (isCancel(answer)) throw new Cancelled("cancelled");
    return answer as Exclude<T, symbol>;
  };
  return {
    text: async (message, { initial, check, until }) => {
      const validate = (answer: string | undefined) => check?.(answer ?? "");
      const given = await text({ message, initialValue: initial, validate, ...(until && { signal: until }) });
      return answered(given) || initial;
    },
    choose: async (message, names, until) => {
      const options = names.map((value) => ({ value, label: value }));
      return answered(await select({ message, options, ...(until && { signal: until }) }));
    },
    answer: async (question, options, until) => {
      const message = [question, ...options.map((option, at) => `  ${at + 1}  ${option}`)].join("\n");
      const placeholder = options.length > 0 ? "a number, or your own answer" : "";
      const validate = (typed: string | undefined) => (typed?.trim() ? undefined : "type an answer");
      const typed = await text({ message, placeholder, validate, signal: until });
      return until.aborted ? undefined : freeAnswer(options, answered(typed));
    },
    confirm: async (message) => answered(await confirm({ message })),
    paste,
  };
}

const keys = { interrupt: "\u0003", end: "\u0004", erase: "\u007f" };

/** Raw, because a terminal that edits lines cuts those of more than 4,096 characters. Raw before anything is shown: until
 *  then Ctrl-C is a signal, and it throws away what was typed. */
function paste(hint: string): Promise<string> {
  const { stdin, stdout } = process;
  return new Promise((resolve, reject) => {
    let text = "";
    const end = (finish: () => void) => {
      process.off("SIGINT", cancel);
      stdin.off("data", take).setRawMode(false).pause();
      stdout.write("\n");
      finish();
    };
    const cancel = () => end(() => reject(new Cancelled("cancelled")));
    const take = (chunk: string) => {
      const stop = chunk.search(/[\u0003\u0004]/);
      const typed = (stop < 0 ? chunk : chunk.slice(0, stop)).replace(/\r\n?/g, "\n");
      text = typed === keys.erase ? text.slice(0, -1) : text + typed;
      stdout.write(typed === keys.erase ? "\b \b" : typed);
      if (stop < 0) return;
      if (chunk[stop] === keys.interrupt) cancel();
      else end(() => resolve(text));
    };
    process.once("SIGINT", cancel);
    stdin.setEncoding("utf8").setRawMode(true).on("data", take).resume();
    stdout.write(`${hint}\n`);
  });
}
