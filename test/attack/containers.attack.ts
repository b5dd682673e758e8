// A container keeps the same contract as bubblewrap: streams, exit codes and signals, limits, the way to the gateway, and
// above all that nothing is left of it, however the program or heddle ends.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { monitored } from "../../src/host/box/container.ts";
import { tryContainer } from "../../src/host/box/container-find.ts";
import { newName } from "../../src/host/box/container-names.ts";
import type { ProgramSpec } from "../../src/host/program/program.ts";
import { runToEnd } from "../../src/host/program/run.ts";
import { ownRuntime } from "../../src/host/program/runtime.ts";
import type { Box } from "../../src/host/program/sandbox.ts";
import { makeStand, type Stand } from "../host/image.ts";
import { eventually, folder, livingWith, node, run, sh, spec } from "../host/programs.ts";

const stands: { name: string; stand: Stand | undefined }[] = [];
for (const engine of ["podman", "docker"] as const) {
  const made = await makeStand(engine);
  if (typeof made !== "string") stands.push({ name: engine, stand: made });
  else stands.push({ name: `${engine} (left out without ${made})`, stand: undefined });
}
/** The one that is looked at. */
let there: Stand | undefined;
afterAll(() => {
  for (const { stand } of stands) stand?.close();
});

const workspace = folder("workspace");
const home = folder("home");
/** Where a heddle that is killed together with its keeper leaves what was passing. */
const passing = folder("passing");
const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;

function boxed(more: Partial<Box> = {}): Box {
  if (!there) throw new Error("there is no container");
  const shown = { home, writable: [workspace], readOnly: ownRuntime(), network: false };
  return { sandbox: there.container, ...shown, ...more };
}

const inside = (argv: readonly [string, ...string[]], more: Partial<ProgramSpec> = {}): ProgramSpec =>
  spec(argv, "unconfined", { cwd: workspace, environment: { PATH }, box: boxed(), ...more });

const records = () => there?.engine("ps", "--all", "--quiet").trim();
let naps = 400_000_000 + (process.pid % 100_000) * 1000;
const litter = (nap: string) =>
  [
    `sleep ${nap} &`,
    `setsid sleep ${nap} &`,
    `env -i /bin/sleep ${nap} &`,
    `setsid sh -c 'trap "" TERM HUP; sleep ${nap}' &`,
  ].join("\n");

describe.for(stands)("a container as a box: $name", ({ stand }) => {
  beforeAll(() => {
    there = stand;
  });
  it.skipIf(!stand)("X8 says what the program says, and ends as it ends", async () => {
    const told = await run(
      inside(sh("cat; echo err >&2; echo again > /dev/stderr; exit 3"), { stdin: { text: "in\n" } }),
    );
    expect([told.out, told.err, told.ended.how]).toEqual(["in", "err\nagain", { kind: "exited", code: 3 }]);
    const how = async (...of: Parameters<typeof inside>) => (await run(inside(...of))).ended.how;
    expect(await how(sh("kill -9 $$"))).toEqual({ kind: "signalled", signal: "SIGKILL" });
    expect(await how(["nothing"])).toMatchObject({ kind: "failed-to-start", reason: "not-found" });
    expect(await how(["/etc/passwd"])).toMatchObject({ kind: "failed-to-start", reason: "not-executable" });
    expect(await how(["true"], { cwd: "/nowhere" })).toMatchObject({
      kind: "failed-to-start",
      reason: "no-folder",
    });
  });

  it.skipIf(!stand)(
    "G9 gives exactly the environment, and nothing of the image's or the engine's",
    async () => {
      const environment = { PATH, QUOTED: 'it\'s "two"\nlines $HOME `id`' };
      const { out } = await run(inside(sh("env -0 | tr '\\n\\0' '|\\n' | sort"), { environment }));
      const lines = out.split("\n").filter((line) => !/^(HEDDLE_RUN_MARK|_)=/.test(line));
      const quoted = 'QUOTED=it\'s "two"|lines $HOME `id`';
      expect(lines).toEqual([`HOME=${home}`, `PATH=${PATH}`, `PWD=${workspace}`, quoted].sort());
    },
  );

  it.skipIf(!stand)("G9 has its environment on no command line", async () => {
    const secret = `secret-${crypto.randomUUID()}`;
    const seen: string[] = [];
    const program = inside(sh("echo ready; sleep 60"), { environment: { PATH, SECRET: secret } });
    const abort = new AbortController();
    await runToEnd(program, abort.signal, (event) => {
      if (event.kind !== "line") return;
      seen.push(...livingWith(secret));
      abort.abort();
    });
    expect(seen).toEqual([]);
  });

  it.skipIf(!stand)("X8 what it writes belongs to the person", async () => {
    await run(inside(sh("echo work > mine; mkdir -p sub")));
    expect([statSync(join(workspace, "mine")).uid, statSync(join(workspace, "sub")).uid]).toEqual([
      process.getuid?.(),
      process.getuid?.(),
    ]);
  });

  it.skipIf(!stand)("U10 has no network but its own loopback, or all that the host has", async () => {
    const server = await listening();
    const { port } = server.address() as { port: number };
    const connect = node(
      `require("net").connect(${port}, "127.0.0.1").on("connect", () => { console.log("reached"); process.exit() }).on("error", (e) => console.log(e.code))`,
    );
    expect((await run(inside(connect))).out).toBe("ECONNREFUSED");
    expect((await run(inside(connect, { box: boxed({ network: true }) }))).out).toBe("reached");
    server.close();
  });

  it.skipIf(!stand)(
    "U10 reaches the gateway on its loopback, many times at once, and no longer than it lives",
    async () => {
      let calls = 0;
      const serve = (server: Server) =>
        server.on("connection", (socket) => {
          calls++;
          socket.on("data", (chunk) => socket.end(chunk)).on("error", () => {});
        });
      const script = `const net = require("net"); let open = 20;
      for (let i = 0; i < 20; i++) net.connect(4567, "127.0.0.1").on("data", (d) => { if (String(d) === "ping") open--; if (open === 0) console.log("all"); }).write("ping");`;
      const { out, err } = await run(inside(node(script), { gate: { port: 4567, serve } }));
      expect({ out, err, calls }).toEqual({ out: "all", err: "", calls: 20 });
    },
  );

  it.skipIf(!stand)("X9 is held to its limits, and asked before it is ended", async () => {
    const limits = { wallMs: 1500, silenceMs: 9000, outputBytes: 1e6, lineBytes: 1e4 };
    const asked = await run(
      inside(sh("trap 'echo asked; exit 7' TERM; sleep 100 & wait"), { limits, graceMs: 20_000 }),
    );
    expect([asked.out, asked.ended.how]).toEqual(["asked", { kind: "limit", limit: "wall" }]);
    const longer = { ...limits, wallMs: 30_000, silenceMs: 30_000 };
    const many = inside(sh("for i in $(seq 60); do sleep 30 & done; wait"), {
      limits: { ...longer, processes: 20 },
    });
    expect((await run(many)).ended.how).toEqual({ kind: "limit", limit: "processes" });
    const large = node("const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 5)");
    const swollen = await run(inside(large, { limits: { ...longer, memoryBytes: 300e6 } }));
    expect(swollen.ended.how).toEqual({ kind: "limit", limit: "memory" });
  });

  it.skipIf(!stand)("G5 nothing survives: not when it exits, not when it is aborted", async () => {
    const nap = `${++naps}`;
    expect((await run(inside(sh(`${litter(nap)}\necho done`)))).ended.survivors).toEqual([]);
    expect([livingWith(nap), records()]).toEqual([[], ""]);
    for (const afterMs of [0, 50, 120, 200, 300, 450]) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), afterMs);
      const ended = await runToEnd(inside(sh(`${litter(nap)}\nsleep ${nap}`), { graceMs: 50 }), abort.signal);
      expect({ how: ended.how, left: livingWith(nap), records: records() }).toEqual({
        ...{ how: { kind: "aborted" }, left: [], records: "" },
      });
      // podman's own monitor ends by itself, a moment after its container.
      const monitors = () => monitored().filter(([, name]) => name.startsWith(`heddle-${process.pid}-`));
      expect(await eventually(() => monitors().length === 0, 30_000)).toBe(true);
    }
  });

  it.skipIf(!stand)(
    "G5 fault 24: nothing survives a kill -9 of heddle, and the next heddle finds no container",
    async () => {
      const nap = `${++naps}`;
      const heddle = startHeddle(`${litter(nap)}\necho ready; sleep ${nap}`);
      await heddle.said("ready");
      expect(livingWith(nap).length).toBeGreaterThan(3);
      process.kill(heddle.pid, "SIGKILL");
      expect(await eventually(() => livingWith(nap).length === 0, 30_000)).toBe(true);
      expect(await eventually(() => records() === "", 30_000)).toBe(true);
    },
  );

  it.skipIf(!stand)(
    "G5 fault 24: it ends with heddle also when the keeper was killed before, and the next command clears away",
    async () => {
      const nap = `${++naps}`;
      const heddle = startHeddle(`${litter(nap)}\necho ready; sleep ${nap}`);
      await heddle.said("ready");
      const keepers = livingWith("heddle-keeper").filter((pid) => parentOf(pid) === heddle.pid);
      expect(keepers.length).toBe(1);
      for (const pid of [...keepers.map(Number), heddle.pid]) process.kill(pid, "SIGKILL");
      expect(await eventually(() => livingWith(nap).length === 0, 30_000)).toBe(true);
      if (!there) return;
      // One that was made and never started has no process by which it could be found.
      const name = newName().replace(/^heddle-\d+-\d+-/, `heddle-${heddle.pid}-1-`);
      there.engine("create", "--name", name, "--label", "heddle.box", there.image, "/bin/sh");
      const other = newName();
      there.engine("create", "--name", other, "--label", "heddle.box", there.image, "/bin/sh");
      await tryContainer({ image: there.image, engine: there.container.engine }, there.path);
      expect(there.engine("ps", "--all", "--format", "{{.Names}}").trim()).toBe(other);
      there.engine("rm", "--force", other);
    },
  );
});

const parentOf = (pid: string) =>
  Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

function listening(): Promise<Server> {
  return new Promise((settle) => {
    const server = createServer((socket) => socket.end());
    server.listen(0, "127.0.0.1", () => settle(server));
  });
}

function startHeddle(script: string) {
  const file = join(import.meta.dirname, "../host/orphan.ts");
  const child = spawn(process.execPath, [file, "boxed", crypto.randomUUID(), workspace, home, script], {
    env: { ...process.env, HEDDLE_TEST_SANDBOX: JSON.stringify(there?.container), TMPDIR: passing },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const said = async (word: string) => {
    if (!(await eventually(() => text.includes(`${word}\n`), 45_000)))
      throw new Error(`never said ${word}: ${text}; ${existsSync(workspace)}`);
  };
  return { pid: child.pid ?? 0, said };
}
