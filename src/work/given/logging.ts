// How an agent logs what it does (C11): the command, and the level that each event has.
import { heddleCommand } from "../package.ts";

const levels = {
  start: "INFO",
  decision: "INFO",
  tool: "INFO",
  complete: "INFO",
  warning: "WARN",
  error: "ERROR",
} as const;

export function loggingFor(agent: string) {
  return {
    command: `${heddleCommand()} log <LEVEL> ${agent} <event> <message>`,
    events: Object.keys(levels),
    levels,
  };
}
