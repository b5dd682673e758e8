// A machine that gives little: few descriptors, no place for temporary files, no home; and requests that are deep, long, slow or
// never finished, over an attempt's socket and through `heddle mcp`.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canMount, Namespace } from "../e2e/namespace.ts";
import { cli, ended, folder, type Ran } from "../e2e/rig.ts";
import { Execution, hasBox } from "../execute/rig.ts";

const stackTrace = /\n {4}at |throw er;|Unhandled/;

function withDescriptors(project: Execution, most: number, words: readonly string[]): Promise<Ran> {
  const script = `ulimit -n ${most}; exec "$@"`;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const args = ["-c", script, "bash", process.execPath, cli, ...words];
  return ended(spawn("bash", args, { cwd: project.root, env }));
}

describe("C14 few descriptors", () => {
  it.for([24, 32, 48, 63])(
    "C14 with %d every command says so in one sentence, and changes nothing",
    async (most) => {
      const project = await Execution.ready({ tasks: 2 });
      const before = (await project.history()).length;
      for (const words of [
        ["status"],
        ["doctor"],
        ["mcp"],
        ["verify"],
        [...project.words, "--batch"],
        ["halt"],
      ]) {
        const { code, out, err } = await withDescriptors(project, most, words);
        expect([words[0], code, out]).toEqual([words[0], 1, ""]);
        expect(err).toMatch(
          /^error: only \d+ files may be open at once here, and \d+ are needed\nhint: ulimit -n 1024\n$/,
        );
      }
      expect(await project.history()).toHaveLength(before);
    },
  );

  it.runIf(hasBox)("C14 with as many as it asks for, a run comes to its end", async () => {
    const project = await Execution.ready({ tasks: 3 });
    const few = await withDescriptors(project, 64, [...project.words, "--batch"]);
    const needed = Number(/and (\d+) are needed/.exec(few.err)?.[1]);
    expect(needed).toBeGreaterThan(64);
    const { code, err } = await withDescriptors(project, needed, [...project.words, "--batch"]);
    expect(err).not.toMatch(stackTrace);
    expect(code, err).toBe(0);
  });
});

describe.runIf(hasBox)("C14 no place for temporary files, and no home", () => {
  const places: [string, (at: string) => string][] = [
    ["missing", (at) => join(at, "gone")],
    ["a file", (at) => join(at, "file")],
    ["relative", () => "tmp"],
    ["empty", () => ""],
  ];

  it.for(places)("C14 TMPDIR that is %s: a run comes to its end all the same", async ([, named]) => {
    const at = folder();
    writeFileSync(join(at, "file"), "");
    const project = await Execution.ready({ tasks: 1 });
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: named(at) };
    const words = [cli, ...project.words, "--batch"];
    const { code, err } = await ended(spawn(process.execPath, words, { cwd: project.root, env }));
    expect(err).not.toMatch(stackTrace);
    expect(code, err).toBe(0);
  });

  it.runIf(canMount).for(["ro", "size=4k"])("C14 TMPDIR on a disk mounted with %s", async (option) => {
    const at = folder();
    mkdirSync(join(at, "t"));
    const project = await Execution.ready({ tasks: 1 });
    const namespace = await Namespace.open(
      `mount -t tmpfs -o ${option === "ro" ? "size=1m" : option} none ${at}/t; ${option === "ro" ? `mount -o remount,ro ${at}/t` : `dd if=/dev/zero of=${at}/t/x bs=4k count=1 2>/dev/null`}`,
    );
    const env = ["env", `TMPDIR=${at}/t`, process.execPath, cli, ...project.words, "--batch"];
    const { code, err } = await namespace.run(env, { cwd: project.root });
    namespace.close();
    expect(err).not.toMatch(stackTrace);
    expect(code, err).toBe(0);
  });

  it.for([undefined, "", "/nonexistent/home", "relative"])("C14 HOME that is %s", async (home) => {
    const project = await Execution.ready({ tasks: 1 });
    const env = { PATH: process.env.PATH, ...(home !== undefined && { HOME: home }) };
    for (const words of [["status"], ["doctor"], [...project.words, "--batch"]]) {
      const ran = await ended(spawn(process.execPath, [cli, ...words], { cwd: project.root, env }));
      expect(ran.err).not.toMatch(stackTrace);
      // A doctor with warnings ends with 2.
      expect([0, 1, 2]).toContain(ran.code);
    }
    expect(project.merged()).toEqual(["T001"]);
  });
});

const says = `const net = require("node:net");
const token = fs.readFileSync(process.env.HEDDLE_TOKEN_FILE, "utf8");
const send = (text, end = true) => new Promise((settle) => {
  const socket = net.connect(process.env.HEDDLE_SOCKET); let heard = "";
  socket.on("data", (chunk) => { heard += chunk; }).on("error", () => {}).on("close", () => settle(heard));
  socket.write(text); if (end) socket.write("\\n");
});`;

describe.runIf(hasBox)("C14 what an agent says over its socket", () => {
  it.for([
    ["deep brackets", `send("[".repeat(100_000))`],
    [
      "a deep request",
      `send('{"token":' + JSON.stringify(token) + ',"what":' + "[".repeat(100_000) + "]".repeat(100_000) + "}")`,
    ],
    [
      "a deep task",
      `send('{"token":' + JSON.stringify(token) + ',"what":"complete-task","task":' + '{"a":'.repeat(40_000) + "1" + "}".repeat(40_000) + "}")`,
    ],
    ["a long line", `send("x".repeat(8_000_000))`],
    ["a long line that never ends", `send("x".repeat(8_000_000), false)`],
    ["many requests in one line's place", `send(("{}\\n").repeat(50_000))`],
    [
      "a request that has no end",
      `Promise.race([send("{", false), new Promise((settle) => setTimeout(settle, 300))])`,
    ],
    [
      "five hundred connections",
      `Promise.race([Promise.all(Array.from({ length: 500 }, () => send("{", false))), new Promise((settle) => setTimeout(settle, 500))])`,
    ],
  ] as const)("C14 %s: the orchestrator goes on, and the attempt too", async ([, said]) => {
    const project = await Execution.ready(
      { tasks: 2, after: (n) => (n === 2 ? [1] : []) },
      { T001: [`${says} (async () => { await ${said}; good(); process.exit(0); })()`] },
    );
    const began = performance.now();
    const { code, err } = await project.execute();
    expect(err).not.toMatch(stackTrace);
    expect(code, err).toBe(0);
    expect(project.merged()).toEqual(["T001", "T002"]);
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  it("C14 one that trickles in is let go after ten seconds, and leaves room for others", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      {
        T001: [
          `${says} (async () => {
             const slow = Array.from({ length: 64 }, () => { const s = net.connect(process.env.HEDDLE_SOCKET); s.on("error", () => {}); const t = setInterval(() => s.write(" "), 500); s.on("close", () => clearInterval(t)); return new Promise((settle) => s.on("close", settle)); });
             await Promise.all(slow);
             const heard = await send(JSON.stringify({ token, what: "progress", message: "still here" }));
             say("HEARD " + heard); good(); process.exit(0);
           })()`,
        ],
      },
    );
    const { code, err } = await project.execute();
    expect(code, err).toBe(0);
    expect(readFileSync(project.attempt("T001-1", "stdout.log"), "utf8")).toContain('HEARD {"ok":true}');
  });
});

describe("C14 what a client says to `heddle mcp`", () => {
  it.for([
    ["deep brackets", "[".repeat(100_000)],
    [
      "deep arguments",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","arguments":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
    ],
    ["a deep id", `{"jsonrpc":"2.0","id":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)},"method":"ping"}`],
    ["a line of 8 MB", "x".repeat(8_000_000)],
  ] as const)("C14 %s is refused in one line, and the next request is answered", async ([, line]) => {
    const project = await Execution.ready({ tasks: 1 });
    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const child = spawn(process.execPath, [cli, "mcp"], { cwd: project.root, env });
    const { code, out, err } = await ended(child, `${line}\n{"jsonrpc":"2.0","id":7,"method":"ping"}\n`);
    const answers = out
      .trim()
      .split("\n")
      .map((each) => JSON.parse(each));
    expect(answers.find(({ error }) => error)?.error.message).toEqual(expect.any(String));
    expect(answers).toContainEqual({ jsonrpc: "2.0", id: 7, result: {} });
    expect(err).not.toMatch(stackTrace);
    expect(code).toBe(0);
  });
});
