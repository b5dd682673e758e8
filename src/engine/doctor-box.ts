// Whether a box really is one: a program in it tries to reach the network, to write and read outside, and to leave a
// process behind. What it says is not believed; what is seen from outside counts.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { environmentFor } from "../host/environment.ts";
import { isThere, makeFolder, readIfThere } from "../host/files.ts";
import type { Ended } from "../host/program.ts";
import { runToEnd } from "../host/run.ts";
import { findSandbox, ownRuntime, type Sandbox } from "../host/sandbox.ts";
import { readConfig } from "./config.ts";
import { type Bench, type Finding, fail, ok, warn } from "./finding.ts";

export async function tryBox(bench: Bench): Promise<Finding[]> {
  const found = await findSandbox();
  if (!found.ok) {
    const { message, hint = "apt-get install bubblewrap" } = found.problem;
    const chosen = readConfig(bench.heddle).unconfined === true;
    return [
      chosen
        ? warn(
            "sandbox",
            `${message}; the configuration says unconfined: agents can do all that you can`,
            hint,
          )
        : fail("sandbox", message, `${hint}; or --unconfined, if you trust the agent`),
    ];
  }
  const places = placesIn(bench);
  const escapes = await escapesFrom(found, places);
  const what = `bubblewrap ${found.version}`;
  if (escapes.length > 0)
    return [fail("sandbox", `${what} does not hold: ${escapes.join(", ")}`, "bwrap --version; uname -r")];
  return [ok("sandbox", `${what}: no network, no write or look outside, no process survives`)];
}

interface Places {
  readonly inside: string;
  readonly home: string;
  readonly outside: string;
}

function placesIn({ folder }: Bench): Places {
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
    const ended = await runToEnd(programFor(sandbox, places, { port, sleep }), new AbortController().signal);
    return seen(ended, places, { calls, sleep });
  } finally {
    server.close();
  }
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
  { calls, sleep }: { calls: number; sleep: string },
): string[] {
  if (readIfThere(join(inside, "ran")) !== "yes") return ["a program in it cannot work"];
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
