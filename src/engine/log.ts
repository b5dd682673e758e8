// An agent's or a person's own line in the activity logs (C11).
import { join } from "node:path";
import { wallClock } from "../host/clock.ts";
import { isThere } from "../host/files.ts";
import { appendLines, type LogLine } from "../published/write-log.ts";
import { Refused } from "./app.ts";
import { noProject } from "./lost.ts";
import { pathsIn } from "./paths.ts";

export function logLine(root: string, line: Pick<LogLine, "level" | "agent" | "event" | "message">): LogLine {
  const paths = pathsIn(root);
  if (!isThere(join(paths.heddle, "logs"))) throw new Refused([noProject(root)]);
  const dated = { at: wallClock(), ...line };
  appendLines(paths.logs, [dated]);
  return dated;
}
