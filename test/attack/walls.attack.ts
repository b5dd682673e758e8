// What a box shows of a person's home and of the machine, and what it leaves for other users of it. Real boxes, and canaries all
// over a home.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { locateProgram } from "../../src/agents/find-native.ts";
import { boxed } from "../../src/host/box/bubblewrap-options.ts";
import { ownRuntime } from "../../src/host/program/runtime.ts";
import { cli, folder as e2eFolder, ended } from "../e2e/rig.ts";
import { Execution } from "../execute/rig.ts";
import { box, folder, noBox, run, spec } from "../host/programs.ts";

const canary = "canary-of-a-person";
const hasPython = existsSync("/usr/bin/python3");
const python = (script: string): readonly [string, ...string[]] => ["/usr/bin/python3", "-c", script];

/** Where people keep what no agent may read; whatever of it a box shows is found by its content. */
const keptAtHome = [
  ".ssh/id_ed25519",
  ".bash_history",
  ".npmrc",
  ".netrc",
  ".gnupg/private-keys-v1.d/key",
  ".config/gh/hosts.yml",
  ".aws/credentials",
  ".local/share/keyrings/login.keyring",
  ".local/share/opencode/auth.json",
  ".local/share/claude/history.jsonl",
  ".local/state/less/history",
  ".local/lib/python3/site-packages/private.py",
  ".local/lib/private.txt",
  ".local/bin/backup-with-password",
  ".local/etc/token",
  ".local/include/private.h",
  ".nvm/.npm-token",
  "bin/other-script",
  "notes.txt",
];

/** A home with Node in it, as a tarball or a version manager puts it there. */
function homeWithNode(installation: string): { home: string; node: string } {
  const home = e2eFolder("heddle-home-");
  for (const file of keptAtHome) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), `${canary} ${file}\n`, { mode: 0o755 });
  }
  const at = join(home, installation);
  mkdirSync(join(at, "bin"), { recursive: true });
  mkdirSync(join(at, "lib/node_modules/npm/bin"), { recursive: true });
  writeFileSync(join(at, "lib/node_modules/npm/lib.js"), 'module.exports = "npm works";');
  writeFileSync(
    join(at, "lib/node_modules/npm/bin/npm-cli.js"),
    '#!/usr/bin/env node\nconsole.log(require("../lib.js"));\n',
    { mode: 0o755 },
  );
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(at, "bin/npm"));
  const node = join(at, "bin/node");
  cpSync(process.execPath, node);
  chmodSync(node, 0o755);
  return { home, node };
}

/** Everything but the system, in one go. */
const searches = `const hunt = (at) => {
  let found = [];
  for (const entry of (() => { try { return fs.readdirSync(at, { withFileTypes: true }); } catch { return []; } })()) {
    const file = path.join(at, entry.name);
    if (["/proc", "/dev", "/usr", "/sys"].includes(file)) continue;
    if (entry.isDirectory()) found.push(...hunt(file));
    else if (entry.isFile() && fs.statSync(file).size < 1e6 && fs.readFileSync(file, "latin1").includes("canary-of-a-" + "person")) found.push(file);
  }
  return found;
};`;

describe.skipIf(noBox)("G9 what a box shows of a home", () => {
  it.for([".local", ".nvm/versions/node/v24.0.0", ".volta/tools/image/node/24.0.0", "opt/x"])(
    "G9 Node in ~/%s brings Node and npm into the box, and nothing beside them",
    async (installation) => {
      const { home, node } = homeWithNode(installation);
      const project = await Execution.ready({ tasks: 1 });
      project.agent({
        T001: [
          `${searches}
           const seen = { canaries: hunt("/"), npm: execSync("npm").toString().trim(), node: execSync("node -p 1+1").toString().trim() };
           say("SEEN " + JSON.stringify(seen)); good()`,
        ],
      });
      writeFileSync(
        project.path("agent.cjs"),
        readFileSync(project.path("agent.cjs"), "utf8").replace(process.execPath, "/usr/bin/env node"),
      );
      const env = { PATH: `${dirname(node)}:/usr/local/bin:/usr/bin:/bin`, HOME: home };
      const words = [cli, ...project.words, "--batch"];
      const ran = await ended(spawn(node, words, { cwd: project.root, env }));
      const said = readFileSync(project.attempt("T001-1", "stdout.log"), "utf8");
      expect(ran.code, ran.err + said).toBe(0);
      const seen = JSON.parse(/SEEN (.*)/.exec(said)?.[1] ?? "{}");
      expect(seen).toEqual({ canaries: [], npm: "npm works", node: "2" });
    },
  );

  it("G9 a Node that lies among other programs is shown alone", () => {
    const home = e2eFolder("heddle-home-");
    mkdirSync(join(home, "bin"));
    for (const name of ["node", "other"]) writeFileSync(join(home, "bin", name), "", { mode: 0o755 });
    expect(ownRuntime(join(home, "bin/node"), "")).toEqual([join(home, "bin/node")]);
    writeFileSync(join(home, "node"), "", { mode: 0o755 });
    expect(ownRuntime(join(home, "node"), home)).toEqual([join(home, "node")]);
  });

  it("G9 an agent's program in ~/.local/bin, ~/bin, ~ or the project brings no folder of the person's along", () => {
    const home = e2eFolder("heddle-home-");
    const native = readFileSync("/bin/sh").subarray(0, 64);
    for (const place of [".local/bin", "bin", ".", "project"]) {
      mkdirSync(join(home, place), { recursive: true });
      writeFileSync(join(home, place, "native"), native, { mode: 0o755 });
      writeFileSync(join(home, place, "script"), "#!/bin/sh\n", { mode: 0o755 });
      for (const name of ["native", "script"])
        expect(locateProgram(join(home, place, name))?.readable).toEqual([]);
    }
    const installed = join(home, ".local/share/agent/versions/1");
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, "agent"), "#!/bin/sh\n", { mode: 0o755 });
    symlinkSync(join(installed, "agent"), join(home, ".local/bin/agent"));
    expect(locateProgram(join(home, ".local/bin/agent"))?.readable).toEqual([installed]);
    symlinkSync(join(home, "script"), join(home, ".local/bin/mine"));
    process.env.HOME = home;
    expect(locateProgram(join(home, ".local/bin/mine"))?.readable).toEqual([]);
  });

  it("G9 a planning role that may read the target sees nothing of heddle's own folder in it", async () => {
    const { Planning } = await import("../plan/rig.ts");
    const project = new Planning({
      "logic-architect": [
        `const own = path.join(bundle.target_dir, ".heddle");
         const list = (at) => { try { return fs.readdirSync(at); } catch (error) { return [error.code]; } };
         say("SEEN " + JSON.stringify([list(own), list(path.join(own, "attempts/plan-1"))])); good()`,
      ],
    });
    await project.heddle("plan", "spec.md", "--target", ".", "--new", "--agent", "command:./agent.cjs");
    const said = readFileSync(project.attempt("logic-architect-1", "stdout.log"), "utf8");
    expect(JSON.parse(/SEEN (.*)/.exec(said)?.[1] ?? "")).toEqual([["attempts"], ["logic-architect-1"]]);
  });

  it("G9 of a clone of heddle itself, no more than the package is shown", async () => {
    const { packageParts } = await import("../../src/work/package.ts");
    const names = packageParts().map((path) => path.split("/").at(-1));
    expect(names).toEqual(["dist", "schemas", "roles", "examples", "package.json"]);
  });

  it("G9 projects and homes that lie in /usr are no part of the system", async () => {
    const at = (home: string) => {
      const wish = box({ home, writable: [], readOnly: [] });
      if (wish.sandbox.kind !== "bubblewrap") throw new Error("the tests' box is bubblewrap");
      const way = boxed({ cwd: "/", environment: {} }, { ...wish, sandbox: wish.sandbox });
      return "options" in way ? way.options.join(" ") : way.problem.message;
    };
    const home = folder("home");
    expect(at(home)).toContain(existsSync("/usr/src") ? "--tmpfs /usr/src" : "--ro-bind /usr /usr");
    const { systemMounts } = await import("../../src/host/box/bubblewrap-mounts.ts");
    const words = (path: string) => systemMounts({ home: path }).join(" ");
    expect(words("/usr/share/ada/p/.heddle/attempts/1/home")).toContain("--tmpfs /usr/share/ada");
    expect(words("/usr/local/work/p/home")).toContain("--tmpfs /usr/local/work");
  });
});

describe.skipIf(noBox)("G9 set-user-id files, for other users of the machine", () => {
  it.runIf(hasPython)("G9 no call in the box makes one", async () => {
    const script = `
import os, stat, json, ctypes
libc = ctypes.CDLL(None, use_errno=True)
os.chdir(os.environ["HOME"]); open("f", "w").close()
tried = {
  "chmod": lambda: os.chmod("f", 0o4755), "both": lambda: os.chmod("f", 0o6755),
  "fchmod": lambda: os.fchmod(os.open("f", os.O_RDWR), 0o4755),
  "fchmodat": lambda: os.chmod("f", 0o4755, dir_fd=os.open(".", os.O_RDONLY)),
  "fchmodat2": lambda: libc.syscall(452, -100, b"f", 0o4755, 0),
  "open": lambda: os.open("g", os.O_CREAT | os.O_WRONLY, 0o4755),
  "mknod": lambda: os.mknod("h", stat.S_IFREG | 0o4755),
  "openat2": lambda: libc.syscall(437, -100, b"i", ctypes.byref((ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)), 24),
}
for each in tried.values():
    try: each()
    except OSError: pass
os.mkdir("d"); os.chmod("d", 0o2775); os.chmod("f", 0o755)
print(json.dumps([[name for name in os.listdir(".") if os.path.isfile(name) and os.stat(name).st_mode & 0o6000], oct(os.stat("d").st_mode), oct(os.stat("f").st_mode)]))`;
    const { out, err } = await run(spec(python(script), "boxed"));
    expect(JSON.parse(out || "0"), err).toEqual([[], "0o42775", "0o100755"]);
  });

  it("G9 none is left in a workspace, an outbox or a home, boxed or not, and nobody else comes there", async () => {
    for (const way of [[], ["--unconfined"]]) {
      const project = await Execution.ready(
        { tasks: 1 },
        {
          T001: [
            `for (const at of [process.cwd(), path.dirname(out), process.env.HOME]) for (const mode of [0o4755, 0o2755, 0o6755]) {
               const file = path.join(at, "s" + mode.toString(8));
               fs.copyFileSync("/bin/sh", file); try { fs.chmodSync(file, mode); } catch {}
             } process.exit(1)`,
          ],
        },
      );
      project.config({ attempts: 1 });
      chmodSync(project.root, 0o755);
      await project.execute(...way);
      const find = (...words: string[]) =>
        spawnSync("find", [project.path(".heddle"), ...words], { encoding: "utf8" }).stdout;
      expect(find("-name", "s4755")).not.toBe("");
      expect(find("-type", "f", "-perm", "/6000")).toBe("");
      expect(statSync(project.path(".heddle/attempts")).mode & 0o777).toBe(0o700);
    }
  });

  it("G9 a project that was made before is closed to others with the next run", async () => {
    const project = await Execution.ready({ tasks: 1 });
    mkdirSync(project.path(".heddle/attempts"), { recursive: true });
    chmodSync(project.path(".heddle/attempts"), 0o755);
    expect((await project.execute()).code).toBe(0);
    expect(statSync(project.path(".heddle/attempts")).mode & 0o777).toBe(0o700);
  });
});
