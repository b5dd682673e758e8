// G9: a program in the box changes nothing outside its workspace and reads nothing that it was not given.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { wayInto } from "../../src/host/box/box.ts";
import { tryBubblewrap } from "../../src/host/box/bubblewrap.ts";
import { findMarked } from "../../src/host/program/processes.ts";
import { runProgram } from "../../src/host/program/run.ts";
import { ownRuntime } from "../../src/host/program/runtime.ts";
import type { Box } from "../../src/host/program/sandbox.ts";
import { escapes } from "./escapes.ts";
import { attemptIn, canary, damage, type Host, makeHost, shownOf } from "./hostile.ts";
import { box, folder, noBox, node, path, run, sandbox, scratch, sh, spec } from "./programs.ts";

const boxOf = (host: Host, more: Partial<Box> = {}): Box => box({ ...shownOf(host), ...more });
const attempt = (host: Host, script: string, more: Partial<Box> = {}) =>
  attemptIn(boxOf(host, more), host, script);

describe.skipIf(noBox)(
  "G9 and fault 63: no program gets out of the box (left out without bubblewrap)",
  () => {
    it("has at least eighty ways to try", () => {
      expect(escapes.length).toBeGreaterThanOrEqual(80);
    });

    it.for(escapes)("$name", async ({ script }) => {
      process.env.HEDDLE_CANARY_SECRET = canary;
      const host = makeHost();
      const printed = await attempt(host, script);
      delete process.env.HEDDLE_CANARY_SECRET;
      expect(damage(host, printed)).toEqual([]);
    });

    it("would be noticed, were the box open: each check finds what a hole lets through", async () => {
      const holes: [string, Partial<Box>, string][] = [
        ["write: an absolute path", { writable: [] }, "files outside"],
        ["read: the canary", { readOnly: [] }, "ESCAPED"],
        ["link: through one that was there before", { writable: [] }, "files outside"],
        ["protect: moving its folder away", { protect: [] }, "kept/deep/policy has changed"],
        ["protect: a protected path that is not there", { protect: [] }, "ESCAPED"],
        ["read: what is hidden", { hidden: [] }, "ESCAPED"],
      ];
      for (const [name, hole, found] of holes) {
        const host = makeHost();
        const open = {
          ...hole,
          ...(hole.writable ? { writable: [host.workspace, host.outside] } : {}),
          ...(hole.readOnly ? { readOnly: [...ownRuntime(), host.outside] } : {}),
        };
        const script = escapes.find((each) => each.name === name)?.script ?? "";
        expect([name, damage(host, await attempt(host, script, open))]).toEqual([
          name,
          expect.arrayContaining([expect.stringContaining(found)]),
        ]);
      }
    });
  },
);

describe.skipIf(noBox)("G9 what the box gives (left out without bubblewrap)", () => {
  it("lets a program work: files, git, Node, names, certificates, a home of its own", async () => {
    const host = makeHost();
    const script = [
      "set -e; mkdir repo; cd repo; git init -q .; echo text > file; git add file",
      "git -c user.name=a -c user.email=a@b commit -qm first; git log --oneline | wc -l",
      'node -e \'const fs = require("fs"); fs.writeFileSync(process.env.HOME + "/note", "kept"); console.log(os.userInfo().uid)\'',
      "id -un; echo tmp > $TMPDIR/x; cat $TMPDIR/x; cat /etc/ssl/certs/ca-certificates.crt 2>/dev/null | head -c 1 | wc -c; pwd",
    ].join("\n");
    const environment = { PATH: path.join(":"), TMPDIR: "/tmp" };
    const { ended, err } = await run(
      spec(sh(script), "boxed", { environment, cwd: host.workspace, box: boxOf(host) }),
    );
    expect({ how: ended.how, err }).toEqual({ how: { kind: "exited", code: 0 }, err: "" });
    expect(existsSync(join(host.workspace, "repo", ".git", "HEAD"))).toBe(true);
  });

  const connect = (options: unknown) =>
    node(
      `require("net").connect(${JSON.stringify(options)}).on("connect", () => { console.log("reached"); process.exit() }).on("error", (e) => console.log(e.code))`,
    );

  it("has no network unless it is given one: neither the host's loopback, nor its abstract sockets, nor others", async () => {
    const abstract = `\0heddle-${crypto.randomUUID()}`;
    const [tcp, hidden] = await Promise.all([listening(0), listening(abstract)]);
    const { port } = tcp.address() as { port: number };
    const answers = async (network: boolean) =>
      Promise.all(
        [{ port, host: "127.0.0.1" }, { path: abstract }].map(
          async (to) => (await run(spec(connect(to), "boxed", { box: box({ network }) }))).out,
        ),
      );
    expect(await answers(false)).toEqual(["ECONNREFUSED", "ECONNREFUSED"]);
    expect(await answers(true)).toEqual(["reached", "reached"]);
    const far = await run(spec(connect({ port: 80, host: "192.0.2.1" }), "boxed"));
    expect(far.out).toBe("ENETUNREACH");
    for (const server of [tcp, hidden]) server.close();
  });

  it("has a loopback of its own, so that a test may start a server", async () => {
    const script = `const net = require("net"); const s = net.createServer((c) => c.end("hi")).listen(0, "127.0.0.1", () => net.connect(s.address().port).on("data", (d) => { console.log(String(d)); process.exit() }))`;
    expect((await run(spec(node(script), "boxed"))).out).toBe("hi");
  });

  it("X8 reaches the attempt's own socket without a network, and no other", async () => {
    const [own, other] = [folder("outbox"), folder("elsewhere")];
    const servers = await Promise.all([own, other].map((at) => listening(join(at, "s"))));
    const given = { box: box({ readOnly: [...ownRuntime(), own] }) };
    expect((await run(spec(connect({ path: join(own, "s") }), "boxed", given))).out).toBe("reached");
    expect((await run(spec(connect({ path: join(other, "s") }), "boxed", given))).out).toBe("ENOENT");
    for (const server of servers) server.close();
  });

  it("may have its workspace anywhere, also where the system has a folder for temporary files", async () => {
    const at = mkdtempSync("/var/tmp/heddle-host-");
    const { ended } = await run(
      spec(sh("echo x > file"), "boxed", { cwd: at, box: box({ writable: [at], home: at }) }),
    );
    expect({ how: ended.how, text: readFileSync(join(at, "file"), "utf8") }).toEqual({
      how: { kind: "exited", code: 0 },
      text: "x\n",
    });
    rmSync(at, { recursive: true });
  });

  it("fault 68: its environment is on no command line, where everybody on the machine could read it", async () => {
    const mark = crypto.randomUUID();
    const environment = { PATH: "/usr/bin:/bin", API_KEY: canary };
    const seen: string[] = [];
    const program = spec(sh('echo "$API_KEY"; sleep 60'), "boxed", { environment, mark, graceMs: 100 });
    for await (const event of runProgram(program, new AbortController().signal)) {
      if (event.kind !== "line") continue;
      expect(event.text).toBe(canary);
      for (const pid of findMarked(mark)) seen.push(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
      break;
    }
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(seen.filter((line) => line.includes(canary))).toEqual([]);
  });

  it("gives no descriptor that heddle inherited from whoever started it", async () => {
    const open = openSync(scratch, "r");
    const stdio = Array.from({ length: 41 }, (_, fd) =>
      fd === 1 ? "pipe" : fd === 2 ? "inherit" : fd === 40 ? open : "ignore",
    );
    const child = spawn(
      process.execPath,
      [
        join(import.meta.dirname, "orphan.ts"),
        "boxed",
        crypto.randomUUID(),
        folder("workspace"),
        folder("home"),
        "ls -l /proc/self/fd",
      ],
      { stdio },
    );
    let text = "";
    for await (const chunk of child.stdout ?? []) text += chunk;
    expect(text).toMatch(/ 40 -> \/dev\/null/);
    expect(text).not.toContain(`-> ${scratch}\n`);
  });
});

describe.skipIf(noBox)("the way into a box (left out without bubblewrap)", () => {
  const way = { cwd: "/", environment: {} };
  const code = (more: Partial<Box>) => {
    const made = wayInto(way, box(more));
    return "problem" in made ? made.problem.code : "made";
  };

  it.for([
    ["a relative path", "work", "unsafe-path"],
    ["the whole machine", "/", "unsafe-path"],
    ["/proc", "/proc/1", "unsafe-path"],
    ["/dev", "/dev", "unsafe-path"],
    ["a NUL byte", "/tmp\0/etc", "unsafe-path"],
    ["what is not there", "/no/such/path", "no-file"],
  ] as const)("is refused for %s", ([, name, expected]) => {
    expect([code({ writable: [name] }), code({ readOnly: [name] })]).toEqual([expected, expected]);
  });

  it("is refused where an agent may have planted a link below its workspace", () => {
    const host = makeHost();
    const planted = join(host.workspace, "planted");
    expect(code({ writable: [host.workspace], readOnly: [planted] })).toBe("unsafe-path");
    expect(code({ writable: [host.workspace], readOnly: [join(planted, "canary")] })).toBe("unsafe-path");
    expect(code({ writable: [host.workspace, planted] })).toBe("unsafe-path");
    expect(code({ writable: [host.workspace], protect: [join(planted, "x")] })).toBe("unsafe-path");
  });

  it("is refused for a NUL byte in the environment, which would be read as an option", () => {
    for (const environment of [{ A: "x\0--bind\0/\0/" }, { "A\0--bind": "x" }, { "": "x" }, { "A=B": "x" }])
      expect(wayInto({ cwd: "/", environment }, box())).toHaveProperty("problem.code", "bad-environment");
    expect(wayInto({ cwd: "/\0--bind", environment: {} }, box())).toHaveProperty(
      "problem.code",
      "bad-environment",
    );
  });

  it("leaves nothing of the box behind in the workspace, and keeps what it found there", async () => {
    const host = makeHost();
    const empty = join(host.workspace, "empty");
    writeFileSync(empty, "");
    await attempt(host, "true", { protect: [empty, join(host.workspace, "missing")] });
    expect(existsSync(empty)).toBe(true);
    expect(existsSync(join(host.workspace, "missing"))).toBe(false);
  });
});

describe("finding the sandbox", () => {
  it("says what to install when there is none", async () => {
    expect(await tryBubblewrap(folder("nothing"))).toMatchObject({
      ok: false,
      problem: { code: "no-sandbox", hint: expect.stringContaining("bubblewrap") },
    });
  });

  it("tries it for real: one that is installed but cannot make a box is none", async () => {
    const at = folder("fake");
    writeFileSync(
      join(at, "bwrap"),
      '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 9 && exit\necho "bwrap: no permission" >&2; exit 1\n',
    );
    chmodSync(join(at, "bwrap"), 0o755);
    expect(await tryBubblewrap(at)).toMatchObject({
      ok: false,
      problem: { code: "no-sandbox", message: expect.stringContaining("no permission") },
    });
    rmSync(at, { recursive: true });
  });

  it("or one that would run programs without a box", async () => {
    const at = folder("fake");
    writeFileSync(join(at, "bwrap"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expect((await tryBubblewrap(at)).ok).toBe(false);
  });

  it.skipIf(noBox)("knows its path and version (left out without bubblewrap)", () => {
    expect(sandbox).toMatchObject({
      ok: true,
      path: expect.stringMatching(/^\/.*bwrap$/),
      version: expect.stringMatching(/^\d+\./),
    });
  });
});

function listening(at: number | string): Promise<Server> {
  return new Promise((settle) => {
    const server = createServer((socket) => socket.end());
    server.listen(typeof at === "number" ? { port: at, host: "127.0.0.1" } : { path: at }, () =>
      settle(server),
    );
  });
}
