// G5 and fault 24: nothing that a program started is alive when the program has ended, however it or heddle ended.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { markName } from "../../src/host/program/marks.ts";
import { endMarked, findMarked } from "../../src/host/program/processes.ts";
import { runToEnd } from "../../src/host/program/run.ts";
import {
  type Confinement,
  eventually,
  folder,
  livingWith,
  noBox,
  run,
  sh,
  spec,
  ways,
  workspace,
} from "./programs.ts";

/** Every way to leave a child behind that a shell knows. */
const litter: [string, string][] = [
  ["a child in the background", "sleep 300 &"],
  ["a child in a session of its own", "setsid sleep 300 &"],
  ["a grandchild by a double fork", "(setsid sh -c 'sleep 300 & sleep 300' &)"],
  [
    "a child that ignores every signal it can",
    "setsid sh -c 'trap \"\" TERM HUP INT QUIT; sleep 300; sleep 300' &",
  ],
  ["a child that is stopped", "setsid sh -c 'kill -STOP $$' &"],
  ["a child without an environment", "env -i /bin/sleep 300 &"],
  ["a child that closed its streams", "setsid sh -c 'exec 0<&- 1>&- 2>&-; sleep 300' &"],
  ["a child that multiplies", "setsid sh -c 'for i in 1 2 3 4 5; do (sleep 300; sleep 300) & done; wait' &"],
];
const all = litter.map(([, script]) => script).join("\n");
const home = folder("home");
const passing = folder("passing");

/** The same script with a time to sleep that no other process sleeps, so that it is found without its mark. */
let naps = 300_000_000 + (process.pid % 100_000) * 1000;
function unique(script: string): { readonly script: string; readonly nap: string } {
  const nap = `${++naps}`;
  return { script: script.replaceAll("300", nap), nap };
}

describe.for(ways)("G5 nothing survives a program, %s", (way) => {
  it.for(litter)("fault 24: not %s, when it exits", async ([, litter]) => {
    const { script, nap } = unique(litter);
    const { ended } = await run(spec(sh(`${script}\nsleep 0.05; echo done`), way));
    expect(livingWith(nap)).toEqual([]);
    expect(ended).toMatchObject({ how: { kind: "exited", code: 0 }, survivors: [] });
    // What it leaves behind sleeps for years.
    expect(ended.durationMs).toBeLessThan(30_000);
  });

  it("fault 24: not one of all of them together, when it is aborted or crosses a limit", async () => {
    const limits = { wallMs: 400, silenceMs: 9000, outputBytes: 1e6, lineBytes: 1e4 };
    const { script, nap } = unique(`${all}\nwait`);
    const { ended } = await run(spec(sh(script), way, { limits, graceMs: 200 }));
    expect(livingWith(nap)).toEqual([]);
    expect(ended).toMatchObject({ how: { kind: "limit", limit: "wall" }, survivors: [] });
  });

  it("does not wait for a pipe that a survivor holds", async () => {
    const { ended } = await run(spec(sh("setsid sleep 300 & echo said"), way));
    expect(ended.durationMs).toBeLessThan(30_000);
  });

  it("whenever it is aborted, also while it is being started", async () => {
    for (let afterMs = 0; afterMs < 40; afterMs += 2) {
      const { script, nap } = unique(`${all}\nsleep 300`);
      const abort = new AbortController();
      setTimeout(() => abort.abort(), afterMs);
      const ended = await runToEnd(spec(sh(script), way, { graceMs: 50 }), abort.signal);
      expect({ how: ended.how, left: livingWith(nap) }).toEqual({ how: { kind: "aborted" }, left: [] });
    }
  });

  it("fault 24: when heddle is killed with -9, within seconds", async () => {
    const { script, nap } = unique(`${all}\nsleep 0.2; echo ready; sleep 300`);
    const heddle = startHeddle(way, script);
    await heddle.said("ready");
    expect(livingWith(nap).length).toBeGreaterThan(8);
    process.kill(heddle.pid, "SIGKILL");
    expect(await eventually(() => livingWith(nap).length === 0, 4000)).toBe(true);
  });

  it("fault 24: whenever heddle is killed with -9, also while a program is being started", async () => {
    const killed = Array.from({ length: 10 }, async (_, at) => {
      const { script, nap } = unique(`${all}\nsleep 300`);
      const heddle = startHeddle(way, script);
      await heddle.said("go");
      await new Promise((resolve) => setTimeout(resolve, at * 4));
      process.kill(heddle.pid, "SIGKILL");
      return nap;
    });
    const naps = await Promise.all(killed);
    // What is between fork and exec cannot be seen yet, so a first empty look proves nothing.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await eventually(() => naps.every((nap) => livingWith(nap).length === 0), 15_000);
    expect(naps.flatMap(livingWith)).toEqual([]);
    await eventually(() => readdirSync(passing).length === 0, 15_000);
    expect(readdirSync(passing)).toEqual([]);
  });
});

describe.skipIf(noBox)("G5 the box alone (left out without bubblewrap)", () => {
  it("fault 24: dies with heddle, also when the keeper was killed before", async () => {
    const { script, nap } = unique(`${all}\nsleep 0.2; echo ready; sleep 300`);
    const heddle = startHeddle("boxed", script);
    await heddle.said("ready");
    const keepers = livingWith("heddle-keeper").filter((pid) => parentOf(pid) === heddle.pid);
    expect(keepers.length).toBe(1);
    for (const pid of [...keepers.map(Number), heddle.pid]) process.kill(pid, "SIGKILL");
    expect(await eventually(() => livingWith(nap).length === 0, 4000)).toBe(true);
  });
});

const parentOf = (pid: string) =>
  Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

describe("marks", () => {
  it("X14 end what an earlier heddle left, from another process, and nothing else", async () => {
    const [mark, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const start = (value: string) =>
      spawn("/bin/sh", ["-c", "setsid sleep 300 & exec sleep 300"], {
        env: { PATH: "/usr/bin:/bin", [markName]: value },
        stdio: "ignore",
      });
    const mine = start(`outer:${mark}:inner`);
    const theirs = start(`outer:${other}`);
    try {
      expect(
        await eventually(() => findMarked(mark).length === 2 && findMarked(other).length === 2, 30_000),
      ).toBe(true);
      expect(await endMarked(mark)).toEqual([]);
      expect([mark, other].map((each) => findMarked(each).length)).toEqual([0, 2]);
    } finally {
      mine.kill("SIGKILL");
      theirs.kill("SIGKILL");
      await endMarked(other);
    }
  });

  it("reach a program that a program of ours started in its turn", async () => {
    const outer = crypto.randomUUID();
    const script = `${process.execPath} ${join(import.meta.dirname, "orphan.ts")} unconfined inner-${outer} ${workspace} ${home} 'echo ready; sleep 300'`;
    const abort = new AbortController();
    await runToEnd(spec(sh(script), "unconfined", { mark: outer, graceMs: 50 }), abort.signal, (event) => {
      if (event.kind !== "line" || event.text !== "ready") return;
      expect(findMarked(`inner-${outer}`).length).toBeGreaterThan(0);
      abort.abort();
    });
    expect(findMarked(`inner-${outer}`)).toEqual([]);
  });
});

function startHeddle(way: Confinement, script: string) {
  const file = join(import.meta.dirname, "orphan.ts");
  const child = spawn(process.execPath, [file, way, crypto.randomUUID(), workspace, home, script], {
    env: { ...process.env, TMPDIR: passing },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const said = async (word: string) => {
    if (!(await eventually(() => text.includes(`${word}\n`), 45_000)))
      throw new Error(`never said ${word}: ${text}`);
  };
  return { pid: child.pid ?? 0, said };
}
