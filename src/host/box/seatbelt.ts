// macOS's own sandbox (`sandbox-exec`) as a box: the files are the host's, and the profile says which of them are seen and
// written. There is no namespace of processes: what leaves its group is found by nobody. Untested: it has never run on a Mac.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { release } from "node:os";
import { type Problem, problem } from "../../core/problem.ts";
import type { Gate } from "../program/gate.ts";
import { markName } from "../program/marks.ts";
import { planMounts } from "../program/mounts.ts";
import { passingFolders } from "../program/pipes.ts";
import type { Box, Entered, Entering, FoundSandbox, Inhabitant, Seatbelt, Way } from "../program/sandbox.ts";
import { type Profile, seatbeltProfile } from "./seatbelt-profile.ts";

/** Every Mac has it there; another along PATH would not be Apple's. */
const path = "/usr/bin/sandbox-exec";

export async function trySeatbelt(platform: string = process.platform): Promise<FoundSandbox> {
  if (platform !== "darwin")
    return {
      ok: false,
      problem: problem("no-sandbox", `seatbelt is macOS's sandbox, and this is ${platform}`, {
        hint: '"box": "bubblewrap" in .heddle/config.json',
      }),
    };
  const profile = seatbeltProfile({
    plan: [],
    tmp: "/private/var/empty",
    network: false,
    gatePort: undefined,
  });
  const code = await new Promise<number | null>((settle) => {
    const args = [...optionsFor(profile), "/bin/sh", "-c", "exit 42"];
    const child = execFile("/usr/bin/sandbox-exec", args, { env: {}, cwd: "/", timeout: 10_000 }, () =>
      settle(child.exitCode),
    );
  });
  if (code === 42) return { ok: true, kind: "seatbelt", path, version: release() };
  const message = `\`${path}\` cannot make a box here`;
  return {
    ok: false,
    problem: problem("no-sandbox", message, { hint: `${path} -p "(version 1)(allow default)" true` }),
  };
}

function optionsFor({ text, parameters }: Profile): string[] {
  const given = Object.entries(parameters).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
  return [...given, "-p", text, "--"];
}

type SeatbeltBox = Box & { readonly sandbox: Seatbelt };

export function wayIntoSeatbelt(
  inhabitant: Inhabitant,
  box: SeatbeltBox,
): Way | { readonly problem: Problem } {
  const mounts = planMounts(box);
  if ("problem" in mounts) return mounts;
  return {
    enter: (entering) => enter(inhabitant, { box, plan: mounts.plan }, entering),
    // A path that is not there is denied by its name; no file must hold its place.
    phantoms: [],
    refusal: (message) => ({ reason: "no-box", message }),
  };
}

async function enter(
  { cwd, environment }: Inhabitant,
  { box, plan }: { readonly box: SeatbeltBox; readonly plan: Parameters<typeof seatbeltProfile>[0]["plan"] },
  { argv, gate, marks, spawn }: Entering,
): Promise<Entered> {
  const tmp = mkdtempSync(passingFolders());
  const server = gate && (await serve(gate));
  const gatePort = server && (server.address() as AddressInfo).port;
  const profile = seatbeltProfile({ plan, tmp, network: box.network, gatePort });
  const told = tellingPort(gate, gatePort);
  const own = Object.entries({ ...environment, HOME: box.home, [markName]: marks }).map(
    ([name, value]) => [name, value === "/tmp" ? tmp : told(value)] as const,
  );
  // It starts where it is told by a shell of its own: the runner starts everything in /.
  const inside = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', cwd, ...argv.map(told)];
  const child = spawn(box.sandbox.path, [...optionsFor(profile), ...inside], {
    env: Object.fromEntries(own),
    streams: [],
  });
  const over = new Promise<void>((settle) =>
    child.once("exit", () => settle()).once("error", () => settle()),
  );
  const clear = () => {
    server?.close();
    rmSync(tmp, { recursive: true, force: true });
  };
  return { child, status: undefined, told: over.then(clear) };
}

/** On a loopback that all boxes share each gate has a port of its own; whoever is told the usual one is told this. */
function tellingPort(gate: Gate | undefined, port: number | undefined): (text: string) => string {
  if (!gate || port === undefined) return (text) => text;
  const usual = new RegExp(`\\b(127\\.0\\.0\\.1|localhost):${gate.port}\\b`, "g");
  return (text) => text.replaceAll(usual, (_, host) => `${host}:${port}`);
}

async function serve({ serve }: Gate): Promise<Server> {
  const server = createServer();
  await new Promise<void>((settle, fail) => server.once("error", fail).listen(0, "127.0.0.1", settle));
  serve(server);
  return server;
}
