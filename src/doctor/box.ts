// Whether a box really is one: a program in it tries to reach the network, to write and read outside, and to leave a
// process behind. What it says is not believed; what is seen from outside counts.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { joined } from "../core/hint.ts";
import { findSandbox } from "../host/box/box.ts";
import { isThere, makeFolder, readIfThere } from "../host/files.ts";
import { environmentFor } from "../host/program/environment.ts";
import type { Ended, ProgramSpec } from "../host/program/program.ts";
import { runToEnd } from "../host/program/run.ts";
import { ownRuntime } from "../host/program/runtime.ts";
import type { Sandbox } from "../host/program/sandbox.ts";
import { boxWish } from "../orders/box.ts";
import { readConfig } from "../orders/config.ts";
import { type Finding, fail, ok, type TestBed, warn } from "./finding.ts";

export async function tryBox(bench: Pick<TestBed, "folder" | "heddle" | "root">): Promise<Finding[]> {
  const config = readConfig(bench.heddle);
  const found = await findSandbox(boxWish(config, bench.root));
  if (!found.ok) {
    const { message, hint = "apt-get install bubblewrap" } = found.problem;
    const chosen = config.unconfined === true;
    return [
      chosen
        ? warn(
            "sandbox",
            `${message}; the configuration says unconfined: agents can do all that you can`,
            hint,
          )
        : fail("sandbox", message, joined(hint, "; or --unconfined, if you trust the agent")),
    ];
  }
  const places = placesIn(bench);
  const escapes = await escapesFrom(found, places);
  const what = `${sayBox(found)} (${await whyIt(found, config)})`;
  if (escapes.length > 0)
    return [fail("sandbox", `${what} does not hold: ${escapes.join(", ")}`, versionsOf(found))];
  return [ok("sandbox", `${what}: no network, no write or look outside, no process survives`)];
}

/** Which box it is, in the words of its maker. */
function sayBox(found: Sandbox): string {
  if (found.kind !== "container") return `${found.kind} ${found.version}`;
  const how = found.user === "same" ? "" : ", rootless";
  const bounds = found.bounds === "kernel" ? "" : ", memory and processes watched by heddle alone";
  return `${found.engine} ${found.version}${how}, image ${found.image}${bounds}`;
}

/** Why this one: the configuration decides; without a word of it, what the system has goes before a container. */
async function whyIt({ kind }: Sandbox, { box }: Config): Promise<string> {
  if (box !== undefined) return "the configuration says so";
  if (kind !== "container") return "found here, the configuration names no other";
  const own = await findSandbox();
  return own.ok
    ? "devcontainer.json names its image"
    : `${own.problem.message}; devcontainer.json names its image`;
}

/** What to type to see more. */
export function versionsOf(found: Sandbox): string {
  if (found.kind === "container") return `${found.engine} info`;
  return found.kind === "bubblewrap" ? "bwrap --version; uname -r" : "sw_vers";
}

interface Places {
  readonly inside: string;
  readonly home: string;
  readonly outside: string;
}

function placesIn({ folder }: Pick<TestBed, "folder">): Places {
  const places = {
    inside: join(folder, "inside"),
    home: join(folder, "home"),
    outside: join(folder, "outside"),
  };
  for (const path of Object.values(places)) makeFolder(path);
  writeFileSync(join(places.outside, "secret"), "secret");
  return places;
}

async function escapesFrom(sandbox: Sandbox, places: Places): Promise<string[]> {
  let calls = 0;
  const server = createServer((socket) => {
    calls++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  // No other process sleeps as long as this.
  const sleep = String(1_000_000 + (process.pid % 100_000)) + String(port);
  try {
    const { ended, said } = await tried(programFor(sandbox, places, { port, sleep }));
    return seen(ended, places, { calls, sleep, said });
  } finally {
    server.close();
  }
}

/** How it ended, and the last thing that it said about what was wrong, in brackets. */
export async function tried(program: ProgramSpec): Promise<{ ended: Ended; said: string }> {
  let last = "";
  const ended = await runToEnd(program, new AbortController().signal, (event) => {
    if (event.kind === "line" && event.from === "stderr") last = event.text;
  });
  const why = ended.how.kind === "failed-to-start" ? ended.how.message : last;
  return { ended, said: why === "" ? "" : ` (${why})` };
}

function programFor(
  sandbox: Sandbox,
  { inside, home, outside }: Places,
  { port, sleep }: { port: number; sleep: string },
) {
  const script = `
    const fs = require("node:fs");
    const attempt = (what) => { try { what(); } catch {} };
    attempt(() => fs.writeFileSync(${JSON.stringify(join(outside, "written"))}, "x"));
    attempt(() => fs.writeFileSync(${JSON.stringify(join(inside, "read"))}, fs.readFileSync(${JSON.stringify(join(outside, "secret"))})));
    attempt(() => require("node:child_process").spawn("sleep", ["${sleep}"], { detached: true, stdio: "ignore" }).unref());
    fs.writeFileSync(${JSON.stringify(join(inside, "ran"))}, "yes");
    const socket = require("node:net").connect(${port}, "127.0.0.1");
    socket.on("connect", () => process.exit(0)).on("error", () => process.exit(0));
    setTimeout(() => process.exit(0), 1000);`;
  return {
    argv: [process.execPath, "-e", script] as const,
    cwd: inside,
    environment: environmentFor(process.env, { home, tmp: "/tmp" }),
    limits: { wallMs: 20_000, silenceMs: 20_000, outputBytes: 1024 * 1024, lineBytes: 65_536 },
    box: { sandbox, network: false, home, writable: [inside], readOnly: ownRuntime() },
  };
}

function seen(
  { survivors }: Ended,
  { inside, outside }: Places,
  { calls, sleep, said }: { calls: number; sleep: string; said: string },
): string[] {
  if (readIfThere(join(inside, "ran")) !== "yes") return [`a program in it cannot work${said}`];
  return [
    ...(calls > 0 ? ["the network was reached"] : []),
    ...(isThere(join(outside, "written")) ? ["a file outside was written"] : []),
    ...(readIfThere(join(inside, "read")) === "secret" ? ["a file outside was read"] : []),
    ...(survivors.length > 0 || isSleeping(sleep) ? ["a process survived"] : []),
  ];
}

function isSleeping(sleep: string): boolean {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(sleep);
      } catch {
        return false;
      }
    });
}
