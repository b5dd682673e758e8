// heddle for the lines of a shell script without the start of a process for each: a call puts its words into a pipe, the
// test has `heddle()` of the rig carry it out, one in ten in a process of its own, and the call prints what came of it.
import { spawn, spawnSync } from "node:child_process";
import { constants, openSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { ended, folder, heddle, type Options, type Ran } from "../e2e/rig.ts";

/**
 * A shell function: where the answer is to be, the directory and the words, each behind its length in bytes, in one write
 * that no other call's can come between. It is silent about nothing: its exit code is the command's.
 */
export const asked = `heddle() {
  local at="$ASKED.$BASHPID.$RANDOM$RANDOM" LC_ALL=C text="" word code
  for word in "$at" "$PWD" "$@"; do text+="\${#word}:$word"; done
  mkfifo "$at"
  printf '%s' "\${#text}:$text" > "$ASKED"
  read -r code < "$at"
  cat "$at.out"; cat "$at.err" >&2
  return "$code"
}`;

/** Runs the script with bash, and serves what it asks of heddle. */
export async function served(script: string, { cwd, env, input = "" }: Options): Promise<Ran> {
  const pipe = join(folder("heddle-asked-"), "asked");
  spawnSync("mkfifo", [pipe]);
  // Opened to be written as well: it has no end before the script has.
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const requests = new Socket({ fd, readable: true, writable: false });
  let rest = Buffer.alloc(0);
  requests.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (let one = first(rest); one !== undefined; one = first(rest)) {
      rest = rest.subarray(one.end);
      void answer(words(one.bytes), env);
    }
  });
  const child = spawn("bash", ["-c", script], { ...(cwd && { cwd }), env: { ...env, ASKED: pipe } });
  const ran = await ended(child, input);
  requests.destroy();
  return ran;
}

async function answer([at = "", cwd = "", ...args]: readonly string[], env: Options["env"]): Promise<void> {
  const { code, out, err } = await heddle(args, { cwd, ...(env && { env }) });
  writeFileSync(`${at}.out`, out);
  writeFileSync(`${at}.err`, err);
  writeFileSync(at, `${code ?? 137}\n`);
}

/** `5:words`, if all of it is there. */
function first(bytes: Buffer): { bytes: Buffer; end: number } | undefined {
  const colon = bytes.indexOf(":");
  if (colon < 0) return undefined;
  const end = colon + 1 + Number(bytes.subarray(0, colon).toString());
  return end > bytes.length ? undefined : { bytes: bytes.subarray(colon + 1, end), end };
}

function words(bytes: Buffer): string[] {
  const all: string[] = [];
  for (let one = first(bytes); one !== undefined; one = first(bytes)) {
    all.push(one.bytes.toString());
    bytes = bytes.subarray(one.end);
  }
  return all;
}
