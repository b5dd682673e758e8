// How much of the machine a program can take: memory in all its forms, processes, threads.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Execution } from "../execute/rig.ts";
import { noBox, roomy, run, sh, spec } from "../host/programs.ts";

const hasPython = existsSync("/usr/bin/python3");
const python = (script: string): readonly [string, ...string[]] => ["/usr/bin/python3", "-c", script];

const libc = `
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(*[ctypes.c_long(a) for a in args]) == -1 else 0
`;

describe.skipIf(noBox)("C7 how much of the machine a program can take", () => {
  const memory = { ...roomy, memoryBytes: 200 * 1024 * 1024 };
  const chunk = "dd if=/dev/zero bs=1M count=90 status=none";

  it.for([
    [
      "files of /tmp, /var/tmp and /dev/shm",
      `for d in /tmp /var/tmp /dev/shm; do ${chunk} of=$d/x; done; sleep 9`,
    ],
    [
      "a file that is deleted and held open",
      `exec 9>/tmp/x; rm /tmp/x; ${chunk} count=190 >&9; ${chunk} of=/dev/shm/y; sleep 9`,
    ],
  ] as const)("C7 %s counts as memory", async ([, script]) => {
    const { ended: end } = await run(spec(sh(script), "boxed", { limits: memory }));
    expect(end.how).toEqual({ kind: "limit", limit: "memory" });
    expect(end.durationMs).toBeLessThan(8000);
  });

  it.runIf(hasPython).for([
    ["memory that processes share", "import mmap; m = mmap.mmap(-1, 300 << 20); m.write(b'x' * (300 << 20))"],
    [
      "a file without a name",
      "import os; f = os.memfd_create('x'); os.truncate(f, 0); [os.write(f, b'x' * (1 << 20)) for _ in range(600)]",
    ],
  ] as const)("C7 %s counts as memory", async ([, script]) => {
    const { ended: end } = await run(
      spec(python(`${script}\nimport time; time.sleep(9)`), "boxed", { limits: memory }),
    );
    expect(end.how).toEqual({ kind: "limit", limit: "memory" });
  });

  it.runIf(hasPython)("C7 segments of System V that nobody holds are small", async () => {
    const nr = process.arch === "x64" ? 29 : 194;
    const { out } = await run(
      spec(
        python(`${libc}\nprint([call(${nr}, 0, size, 0o1600) for size in (4096, 2 << 20, 1 << 33)])`),
        "boxed",
      ),
    );
    expect(out.trim()).toBe("[0, 22, 22]");
  });

  it("C7 each of these folders is bounded where no limit is set", async () => {
    const { out } = await run(spec(sh("df -m --output=size /tmp /var/tmp /dev/shm | tail -n 3"), "boxed"));
    for (const size of out.trim().split(/\s+/)) expect(Number(size)).toBeLessThanOrEqual(2048);
  });

  it("C7 too many processes end the program by that name, in the box and outside", async () => {
    for (const way of ["boxed", "unconfined"] as const) {
      const limits = { ...roomy, processes: 60 };
      const { ended: end } = await run(
        spec(sh("for i in $(seq 200); do sleep 30 & done; wait"), way, { limits }),
      );
      expect(end).toMatchObject({ how: { kind: "limit", limit: "processes" }, survivors: [] });
      expect(end.durationMs).toBeLessThan(5000);
    }
  });

  it.runIf(hasPython)("C7 too many threads do, too", async () => {
    const script =
      "import threading, time; [threading.Thread(target=time.sleep, args=(20,)).start() for _ in range(600)]";
    const { ended: end } = await run(spec(python(script), "boxed", { limits: { ...roomy, processes: 60 } }));
    expect(end.how).toEqual({ kind: "limit", limit: "processes" });
  });

  it("C7 a fork bomb is over within seconds, by the limit that holds where none is set", async () => {
    // It stops by itself after 8,000, so that a missing limit fails the test and not the machine.
    const shell = `bomb() { [ "$1" -gt 12 ] && exec sleep 60; bomb $(($1 + 1)) & bomb $(($1 + 1)) & wait; }; bomb 0`;
    const { ended: end } = await run(
      spec(sh(shell), "boxed", { limits: { ...roomy, wallMs: 60_000, silenceMs: 60_000 } }),
    );
    expect(end).toMatchObject({ how: { kind: "limit", limit: "processes" }, survivors: [] });
    expect(end.durationMs).toBeLessThan(20_000);
  });

  it("C7 the setting is `limits.processes`, and the ending names it", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      { T001: ['for (let i = 0; i < 80; i++) spawn("sleep", ["30"]); hang()'] },
    );
    project.config({ attempts: 1, limits: { processes: 40 } });
    const { code, out } = await project.execute();
    expect(code).toBe(1);
    expect(out).toContain("the agent had more than 40 processes");
    const checked = await Execution.ready({
      tasks: 1,
      more: () => ({
        acceptance_criteria: [
          { criterion: "few", verification: "for i in $(seq 80); do sleep 30 & done; wait" },
        ],
      }),
    });
    checked.config({ attempts: 1, limits: { processes: 40 } });
    expect((await checked.execute()).out).toContain("had more than 40 processes");
  });
});
