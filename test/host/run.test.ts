// A program's life: how it starts, what is heard of it, which limits end it, and how. Everything here holds in the box
// and outside of it.
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Limits } from "../../src/host/program/limits.ts";
import { findMarked } from "../../src/host/program/processes.ts";
import { type ProgramSpec, type StartFailure, sayEnding } from "../../src/host/program/program.ts";
import { runProgram, runToEnd } from "../../src/host/program/run.ts";
import { folder, node, roomy, run, sh, spec, ways, workspace } from "./programs.ts";

describe.for(ways)("a program, %s", (way) => {
  it("tells its exit code and its lines", async () => {
    const { ended, out, err } = await run(spec(sh("echo one; echo two; echo three >&2; exit 3"), way));
    expect({ how: ended.how, out, err }).toEqual({
      how: { kind: "exited", code: 3 },
      out: "one\ntwo",
      err: "three",
    });
    expect(ended.bytes).toEqual({ stdout: 8, stderr: 6 });
  });

  it("tells the signal that ended it", async () => {
    const { ended } = await run(spec(sh("kill -SEGV $$"), way));
    expect(ended.how).toEqual({ kind: "signalled", signal: "SIGSEGV" });
  });

  it("can open its streams again, as on any other pipe", async () => {
    const script = "cat /dev/stdin; echo loud > /dev/stderr; echo plain > /dev/stdout";
    const { out, err } = await run(spec(sh(script), way, { stdin: { text: "given\n" } }));
    expect({ out, err }).toEqual({ out: "given\nplain", err: "loud" });
  });

  it("reads its input from a file, and nothing when there is none", async () => {
    const file = join(folder("input"), "text");
    writeFileSync(file, "from a file");
    expect((await run(spec(["cat"], way, { stdin: { file } }))).out).toBe("from a file");
    expect((await run(spec(["cat"], way))).out).toBe("");
  });

  it("G9 and fault 68: gets exactly the environment that was given", async () => {
    process.env.HEDDLE_CANARY_TOKEN = "canary-in-the-environment";
    const { out } = await run(spec(["env"], way, { environment: { PATH: "/usr/bin:/bin", ONLY: "this" } }));
    delete process.env.HEDDLE_CANARY_TOKEN;
    const names = out.split("\n").map((line) => line.split("=")[0]);
    const own = way === "boxed" ? ["HOME", "PWD"] : [];
    expect(names.sort()).toEqual(["HEDDLE_RUN_MARK", "ONLY", "PATH", ...own].sort());
  });

  const small: [string, string, Partial<Limits>][] = [
    ["wall", "fault 28, a program that talks forever", { wallMs: 300 }],
    ["silence", "fault 27, a program that falls silent", { silenceMs: 200 }],
    ["first-output", "a program that never says a word", { firstOutputMs: 200 }],
    ["output", "fault 34, a program that prints too much", { outputBytes: 100_000 }],
    ["memory", "fault 41, a program that takes too much memory", { memoryBytes: 150 * 1024 * 1024 }],
    ["processes", "fault 42, a program that forks too much", { processes: 20 }],
  ];
  const guilty: Record<string, readonly [string, ...string[]]> = {
    wall: sh("while :; do echo x; sleep 0.02; done"),
    silence: sh("echo once; sleep 60"),
    "first-output": sh("sleep 60"),
    output: ["yes"],
    memory: node("const all = []; setInterval(() => all.push(Buffer.alloc(2e7, 1)), 20)"),
    processes: sh("for i in $(seq 40); do sleep 60 & done; wait"),
  };
  it.for(small)("C7 the limit `%s` ends %s, and is named", async ([limit, , limits]) => {
    const all = { ...roomy, ...limits };
    const { ended } = await run(spec(guilty[limit] ?? ["false"], way, { limits: all, graceMs: 300 }));
    expect(ended.how).toEqual({ kind: "limit", limit });
    // By itself it would take a minute, or never end.
    expect(ended.durationMs).toBeLessThan(30_000);
    expect(sayEnding(ended.how, all)).toMatch(/ran longer|silent|said nothing|printed more|memory|processes/);
  });

  it("C7 cuts and marks a line that is too long, and goes on", async () => {
    const limits = { ...roomy, lineBytes: 10 };
    const { events, ended } = await run(
      spec(sh("echo 0123456789; echo 0123456789a; echo end"), way, { limits }),
    );
    const lines = events.flatMap((event) => (event.kind === "line" ? [[event.text, event.cut]] : []));
    expect(lines).toEqual([
      ["0123456789", false],
      ["0123456789", true],
      ["end", false],
    ]);
    expect(ended.how).toEqual({ kind: "exited", code: 0 });
  });

  it("gives a program that listens the time to say goodbye", async () => {
    const abort = new AbortController();
    const script = "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done";
    const seen: string[] = [];
    const ended = await runToEnd(spec(sh(script), way, { graceMs: 50_000 }), abort.signal, (event) => {
      if (event.kind === "line") seen.push(event.text);
      if (event.kind === "line" && event.text === "up") abort.abort();
    });
    // The shell says on the other stream that its sleep was ended; which of the two is read first is open.
    expect(seen).toContain("bye");
    expect(ended.how).toEqual({ kind: "aborted" });
    // The rest of the grace is not waited for.
    expect(ended.durationMs).toBeLessThan(30_000);
  });

  it.for([
    ["ignores SIGTERM", "trap '' TERM; echo up; while :; do sleep 0.05; done"],
    ["stops itself", "trap '' TERM; echo up; kill -STOP $$; while :; do sleep 0.05; done"],
  ] as const)("G5 and fault 29: a program that %s is ended after the grace", async ([, script]) => {
    const abort = new AbortController();
    const ended = await runToEnd(spec(sh(script), way, { graceMs: 300 }), abort.signal, (event) => {
      if (event.kind === "line") abort.abort();
    });
    expect(ended.how).toEqual({ kind: "aborted" });
    expect(ended.durationMs).toBeGreaterThan(290);
    // It would never end.
    expect(ended.durationMs).toBeLessThan(30_000);
  });

  it("starts nothing when it was aborted before", async () => {
    const file = join(workspace, `never-${way}`);
    const { events } = await run(spec(["touch", file], way), AbortSignal.abort());
    expect(events.map(({ kind }) => kind)).toEqual(["ended"]);
    expect(existsSync(file)).toBe(false);
  });

  it("is over before a loop that was left early is left", async () => {
    const mark = crypto.randomUUID();
    for await (const event of runProgram(
      spec(sh("echo up; sleep 60"), way, { mark, graceMs: 100 }),
      new AbortController().signal,
    ))
      if (event.kind === "line") break;
    expect(findMarked(mark)).toEqual([]);
  });

  it("keeps its raw output byte for byte, up to the limit, and follows no link there", async () => {
    const keep = { stdout: join(folder("kept"), "out"), stderr: join(folder("kept"), "err") };
    const script = String.raw`printf 'a\377\000b\n\303'; printf 'e\355\240\200' >&2`;
    const { ended, out, err } = await run(spec(sh(script), way, { keep }));
    expect(readFileSync(keep.stdout)).toEqual(Buffer.from("61ff00620ac3", "hex"));
    expect(readFileSync(keep.stderr)).toEqual(Buffer.from("65eda080", "hex"));
    expect({ how: ended.how, out, err, problems: ended.problems }).toEqual({
      how: { kind: "exited", code: 0 },
      out: "a\ufffd\0b\n\ufffd",
      err: "e\ufffd\ufffd\ufffd",
      problems: [],
    });
    const link = join(folder("kept"), "link");
    const target = join(folder("kept"), "target");
    writeFileSync(target, "untouched");
    symlinkSync(target, link);
    const linked = await run(spec(["echo", "evil"], way, { keep: { ...keep, stdout: link } }));
    expect(readFileSync(target, "utf8")).toBe("untouched");
    expect(linked.ended.problems.map(({ code }) => code)).toEqual(["not-kept"]);
  });

  it("goes on when the disk is full, and says that the output was not kept", async () => {
    const keep = { stdout: "/dev/full", stderr: join(folder("kept"), "err") };
    const { ended, out } = await run(spec(["echo", "said"], way, { keep }));
    expect({ out, codes: ended.problems.map(({ code }) => code) }).toEqual({
      out: "said",
      codes: ["not-kept"],
    });
  });

  const plain = join(workspace, "plain");
  const broken = join(workspace, "broken");
  writeFileSync(plain, "text");
  chmodSync(plain, 0o644);
  writeFileSync(broken, "#!/no/such/interpreter\n", { mode: 0o755 });
  mkdirSync(join(workspace, "a-folder"), { recursive: true });
  const wrong: [string, StartFailure, Partial<ProgramSpec>][] = [
    ["is missing", "not-found", { argv: ["no-such-program"] }],
    ["is missing at its path", "not-found", { argv: ["/no/such/program"] }],
    ["has no interpreter", "not-found", { argv: [broken] }],
    ["is not executable", "not-executable", { argv: [plain] }],
    ["is a folder", "not-executable", { argv: [join(workspace, "a-folder")] }],
    ["has no folder to start in", "no-folder", { cwd: join(workspace, "nowhere") }],
    ["has no input", "no-input", { stdin: { file: join(workspace, "nothing") } }],
    ["would read a device", "no-input", { stdin: { file: "/dev/zero" } }],
    ["has a NUL in its arguments", "refused", { argv: ["echo", "a\0b"] }],
  ];
  it.for(wrong)("fault 39: a program that %s fails to start: %s", async ([, reason, more]) => {
    const { ended } = await run(spec(["true"], way, more));
    expect(ended.how).toMatchObject({ kind: "failed-to-start", reason });
  });

  it("pauses with a slow listener, which is not the program's silence", async () => {
    const limits = { ...roomy, silenceMs: 400, outputBytes: 1e9 };
    const done = join(workspace, `done-${way}`);
    const script = `head -c 300000 /dev/zero | tr '\\0' '\\n'; touch ${done}; echo end`;
    let lines = 0;
    let finishedEarly = false;
    let how: unknown;
    for await (const event of runProgram(spec(sh(script), way, { limits }), new AbortController().signal)) {
      if (event.kind === "line" && lines++ === 100) {
        await new Promise((resolve) => setTimeout(resolve, 900));
        finishedEarly = existsSync(done);
      }
      if (event.kind === "ended") how = event.how;
    }
    const whole = { lines: 300_001, finishedEarly: false, how: { kind: "exited", code: 0 } };
    expect({ lines, finishedEarly, how }).toEqual(whole);
  });

  it("fault 34: a gigabyte without a newline leaves the memory flat", async () => {
    const keep = { stdout: join(folder("kept"), "out"), stderr: join(folder("kept"), "err") };
    const peak = await peakMemory(async () => {
      const limits = { ...roomy, outputBytes: 32 * 1024 * 1024, lineBytes: 1024 * 1024 };
      const { ended, events } = await run(spec(["head", "-c", "1G", "/dev/zero"], way, { limits, keep }));
      expect(ended.how).toEqual({ kind: "limit", limit: "output" });
      expect(events.filter(({ kind }) => kind === "line")).toMatchObject([{ cut: true }]);
      expect(readFileSync(keep.stdout).length).toBe(32 * 1024 * 1024);
      const all = { ...roomy, wallMs: 170_000, outputBytes: 2 ** 31 };
      const whole = await run(spec(["head", "-c", "1G", "/dev/zero"], way, { limits: all }));
      expect(whole.ended).toMatchObject({ how: { kind: "exited", code: 0 }, bytes: { stdout: 2 ** 30 } });
    });
    expect(peak / 1024 / 1024).toBeLessThan(160);
  });
});

/** By how much the memory of this process grew at most while `work` ran. */
async function peakMemory(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  await work();
  clearInterval(timer);
  return peak - before;
}
