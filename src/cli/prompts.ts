// Asking a person, on a terminal only. The library is loaded when there is something to ask.
import { isatty } from "node:tty";
import { Cancelled } from "./cancelled.ts";

export interface Prompts {
  text(question: string, initial: string): Promise<string>;
  choose(question: string, options: readonly string[]): Promise<string>;
  confirm(question: string): Promise<boolean>;
}

export function canAsk(): boolean {
  return isatty(0) && isatty(1) && !process.env.CI && process.env.TERM !== "dumb";
}

export async function prompts(): Promise<Prompts> {
  const { confirm, isCancel, select, text } = await import("@clack/prompts");
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (isCancel(answer)) throw new Cancelled("cancelled");
    return answer as Exclude<T, symbol>;
  };
  return {
    text: async (message, initialValue) => answered(await text({ message, initialValue })) || initialValue,
    choose: async (message, options) =>
      answered(await select({ message, options: options.map((value) => ({ value, label: value })) })),
    confirm: async (message) => answered(await confirm({ message })),
  };
}
