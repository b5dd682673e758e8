// A set-up that failed, as one sentence with its hint: the program that is missing, the host that was closed, or the line of
// its output that says most. The whole output is kept beside the cache, because the folder that it was made in goes.
import { type Problem, problem } from "../../core/problem.ts";
import { type Reach, unreached } from "../../gateway/reach.ts";
import { replaceFile } from "../../host/files.ts";
import { readEnd, readEnds } from "../../host/handed-in.ts";
import { sayEnding } from "../../host/program/program.ts";
import { hintText } from "../../view/hint.ts";
import { withoutEscapes } from "../../view/safe.ts";
import { cannotRun } from "../evidence/cannot-run.ts";
import type { CommandSettings, EndedCommand } from "../run-command.ts";

export interface FailedSetUp {
  readonly command: string;
  readonly ended: EndedCommand;
  /** Where its output is, without `.out` and `.err`. */
  readonly log: string;
  /** Where its output is kept. */
  readonly keep: string;
  /** What it could reach, and what the person wrote. */
  readonly network: Reach;
  readonly policy: Reach;
  readonly bench: CommandSettings;
}

const ownCommands = '"setup": ["…"] in .heddle/config.json says what to run instead; [] for nothing';
const wholeNetwork = '"network": { "setup": true } in .heddle/config.json gives set-up the whole network';

/** Whether a closed network may be the reason, and what to write then, is in the hint: it is what people meet first. */
export function setUpFailure({ command, ended, log, keep, network, policy, bench }: FailedSetUp): Problem {
  const [err, out] = [readEnd(`${log}.err`, 4000).trim(), readEnd(`${log}.out`, 4000).trim()];
  const said = err || out;
  const exit = ended.how.kind === "exited" ? ended.how.code : null;
  const missing = cannotRun({ command, exit, output: said, mayInstall: true });
  if (missing)
    return problem("setup", `set-up \`${command}\` cannot run: ${missing.why}`, {
      hint: `${missing.hint}; or ${ownCommands}`,
    });
  const line = tellingLine(said) ?? tellingLine(out);
  const whole = keepLog(log, keep) ? ` (whole log: ${keep})` : "";
  const message = `set-up \`${command}\` ${sayEnding(ended.how, bench.limits)}${line ? `: ${line}` : ""}${whole}`;
  const hosts = ended.closed.flatMap(({ why, host }) => (why === "not-allowed" ? [host] : []));
  if (hosts.length > 0)
    return problem("setup", message, {
      hint: `"network": { "setup": ${JSON.stringify([...wordsOf(policy), ...hosts])} } in .heddle/config.json opens what it wanted; ${wholeNetwork}`,
    });
  if (ended.closed.some(({ why }) => why !== "not-allowed"))
    return problem("setup", message, { hint: wholeNetwork });
  if (bench.sandbox && gatewayFailed.test(said))
    return problem("setup", message, {
      hint: `this machine did not reach the host: check its network, and start again; or ${ownCommands}`,
    });
  if (typeof network === "object" && bench.sandbox && unreached.test(said))
    return problem("setup", message, {
      hint: `a program that does not follow HTTPS_PROXY reaches no host: ${wholeNetwork}`,
    });
  return problem("setup", message, { hint: ownCommands });
}

/** What pip, cargo, git, Composer and Go print when heddle's gateway opened the host and got no answer from it. */
const gatewayFailed =
  /Tunnel connection failed: 502|tunnel failed, response 502|HTTPS server through proxy|\bBad Gateway\b/i;

/** Where nothing can stand beside it: what happened, and what to do, in one line. */
export const withHint = ({ message, hint }: Problem) =>
  hint === undefined ? message : `${message}; ${hintText(hint)}`;

/** What a person wrote, or would have: one host more is added to it. */
export const wordsOf = (network: Reach) => (typeof network === "object" ? network : []);

const longestLine = 300;

const namesError = /^(?:\[?error\b|fatal:|E: |npm err)|\w(?:Error|Exception): /i;

/** Of everything that a tool prints, the first two lines that name an error, or else the last line. */
export function tellingLine(text: string): string | undefined {
  const lines = withoutEscapes(text)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const errors = [...new Set(lines.filter((line) => namesError.test(line)))].slice(0, 2);
  return (errors.length > 0 ? errors.join("; ") : lines.at(-1))?.slice(0, longestLine);
}

function keepLog(log: string, keep: string): boolean {
  try {
    const parts = ["out", "err"].map((end) =>
      readEnds(`${log}.${end}`, { head: 64 * 1024, tail: 192 * 1024 }),
    );
    replaceFile(keep, parts.filter((part) => part !== "").join("\n"));
    return true;
  } catch {
    return false;
  }
}
