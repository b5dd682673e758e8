// What podman and docker are told, compared as lists: no engine is needed for it. Containers that really run are in
// `attack/boxes.attack.ts` and `attack/containers.attack.ts`.
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { findSandbox, wayInto } from "../../src/host/box/box.ts";
import { tryContainer } from "../../src/host/box/container-find.ts";
import { environmentScript, inside } from "../../src/host/box/container-inside.ts";
import { abandoned, newName } from "../../src/host/box/container-names.ts";
import { type Boxing, containerOptions } from "../../src/host/box/container-options.ts";
import { callProfile } from "../../src/host/box/seccomp-profile.ts";
import type { Mount } from "../../src/host/program/mounts.ts";
import type { Container } from "../../src/host/program/sandbox.ts";
import { folder } from "../host/programs.ts";

const podman: Container = {
  ...{ kind: "container", engine: "podman", path: "/usr/bin/podman", version: "4.3.1", image: "node:24" },
  ...{ imageId: "sha256:abc", imageVariables: ["NODE_VERSION"], lacksNode: true, user: "mapped" },
  ids: { user: 1000, group: 1000 },
  bounds: "kernel",
  withoutInner: "bind-nonrecursive=true",
  ulimits: { files: "1024:20000", processes: "32768:32768" },
};
const docker: Container = {
  ...podman,
  ...{ engine: "docker", path: "/usr/bin/docker", user: "same", withoutInner: "bind-recursive=disabled" },
};

const mount = (kind: Mount["kind"], path: string, isFolder = true): Mount => ({
  kind,
  path,
  real: path,
  isFolder,
});
const boxing: Boxing = {
  ...{ container: podman, name: "heddle-1", network: false, control: "/tmp/control", hasInput: true },
  ...{ tmpBytes: 1024, marks: "mark", limits: { memoryBytes: 100_000_000, processes: 64 } },
  plan: [
    mount("writable", "/p/work"),
    mount("read-only", "/home/ada/node/bin/node", false),
    mount("link", "/home/ada/node/bin/npm", false),
    mount("link", "/usr/local/bin/tool", false),
    mount("hidden", "/p/work/.heddle"),
    mount("masked", "/p/work/.husky", false),
  ],
};

describe("U16 a container as a box: what the engine is told", () => {
  it.for([
    ["podman", podman],
    ["docker", docker],
  ] as const)("U16 %s", async ([name, container]) => {
    const options = containerOptions({ ...boxing, container });
    const lines = options.map((each) => (each === inside ? "<what runs first>" : each));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`${name}.txt`);
  });

  it("U16 has the network only when it is given one, and input only when there is some", () => {
    const words = (more: Partial<Boxing>) => containerOptions({ ...boxing, ...more }).join(" ");
    expect(words({})).toContain("--network none");
    expect(words({ network: true })).toContain("--network host");
    expect(words({ hasInput: false })).not.toContain("--interactive");
  });

  it("U16 says who is in the box by the engine, so that files belong to the person", () => {
    const user = (more: Partial<Container>) =>
      containerOptions({ ...boxing, container: { ...podman, ...more } }).filter((each) =>
        /^(--userns|\d+:\d+$)/.test(each),
      );
    expect(user({})).toEqual(["--userns=keep-id", "1000:1000"]);
    expect(user({ user: "same" })).toEqual(["1000:1000"]);
    expect(user({ user: "root-is-person" })).toEqual(["0:0"]);
  });

  it("U16 leaves bounds to heddle's own look where the engine cannot set them", () => {
    const words = (bounds: Container["bounds"]) =>
      containerOptions({ ...boxing, container: { ...podman, bounds } }).join(" ");
    expect(words("kernel")).toMatch(/--pids-limit 512 --memory 125000000b/);
    expect(words("watched")).not.toMatch(/--memory|--pids-limit|--cgroups/);
    expect(words("none")).toContain("--cgroups=disabled");
  });

  it("U16 refuses a path that would be read as several options", () => {
    const at = folder("a,readonly=false");
    const box = { sandbox: podman, home: folder("home"), writable: [at], readOnly: [], network: false };
    expect(wayInto({ cwd: "/", environment: {} }, box)).toHaveProperty("problem.code", "unsafe-path");
    const named = wayInto({ cwd: "/", environment: { "a-b": "x" } }, { ...box, writable: [] });
    expect(named).toHaveProperty("problem.code", "bad-environment");
  });

  it("U16 sets any text as it is, and takes away what the image set", () => {
    const odd = "it's \"two\"\nlines $HOME `id` \\ '' ;";
    const script = `${environmentScript({ ODD: odd }, ["IMAGE", "ODD", "not-a-name"])}printf %s "$ODD$IMAGE"`;
    const said = execFileSync("/bin/sh", ["-c", script], {
      encoding: "utf8",
      env: { IMAGE: "set", ODD: "before" },
    });
    expect(said).toBe(odd);
  });

  it("U16 denies the same calls as bubblewrap", () => {
    const { defaultAction, syscalls } = JSON.parse(callProfile()) as {
      defaultAction: string;
      syscalls: readonly {
        names: readonly string[];
        errnoRet: number;
        args?: readonly { value: number }[];
      }[];
    };
    expect(defaultAction).toBe("SCMP_ACT_ALLOW");
    const always = syscalls.filter(({ args }) => args === undefined).flatMap(({ names }) => names);
    expect(always).toEqual(
      expect.arrayContaining(["keyctl", "mount", "setns", "bpf", "io_uring_setup", "clone3", "_sysctl"]),
    );
    const namespaces = syscalls
      .filter(({ names }) => names.includes("unshare"))
      .map(({ args }) => args?.[0]?.value ?? 0);
    expect(namespaces.reduce((sum, bit) => sum + bit, 0)).toBe(0x7e020080);
    const families = syscalls.filter(({ names }) => names.includes("socket"));
    expect(families.length).toBe(59);
  });
});

describe("U16 finding an engine", () => {
  it("U16 says what to install when there is none", async () => {
    const found = await tryContainer({ image: "node:24" }, folder("nothing"));
    expect(found).toMatchObject({ ok: false, problem: { hint: expect.stringContaining("podman") } });
  });

  it.skipIf(process.platform !== "linux")(
    "U16 fetches and builds nothing, and says the command",
    async () => {
      const at = folder("engine");
      const script =
        '#!/bin/sh\n[ "$1" = info ] && echo "4.3.1 true" && exit\n[ "$1" = ps ] && exit\nexit 125\n';
      writeFileSync(join(at, "podman"), script);
      chmodSync(join(at, "podman"), 0o755);
      const missing = await tryContainer({ image: "node:24" }, at);
      expect(missing).toMatchObject({ ok: false, problem: { hint: "podman pull node:24" } });
      const build = "build -t localhost/x:1 -f Dockerfile .";
      expect(await tryContainer({ image: "localhost/x:1", build }, at)).toMatchObject({
        ...{
          ok: false,
          problem: { message: expect.stringContaining("is not built"), hint: `podman ${build}` },
        },
      });
      expect(await tryContainer({ image: "--privileged" }, at)).toMatchObject({ ok: false });
    },
  );

  it.skipIf(process.platform !== "linux")(
    "U16 is offered with its command where bubblewrap makes no box and the image alone is missing",
    async () => {
      const at = folder("engine");
      const script =
        '#!/bin/sh\n[ "$1" = info ] && echo "4.3.1 true" && exit\n[ "$1" = ps ] && exit\nexit 125\n';
      writeFileSync(join(at, "podman"), script, { mode: 0o755 });
      const { PATH } = process.env;
      process.env.PATH = at;
      vi.resetModules();
      const anew = await import("../../src/host/box/box.ts");
      const found = await anew.findSandbox({ container: () => ({ image: "node:24" }) });
      const chosen = await anew.findSandbox({ kind: "container", container: () => ({ image: "node:24" }) });
      process.env.PATH = PATH;
      const hint = /bubblewrap.*; or, for a container: podman pull node:24$/;
      expect(found).toMatchObject({
        ok: false,
        problem: { code: "no-sandbox", hint: expect.stringMatching(hint) },
      });
      expect(chosen).toMatchObject({ ok: false, problem: { code: "no-image", hint: "podman pull node:24" } });
    },
  );

  it("U16 is not looked for where it is not wanted", async () => {
    let asked = 0;
    const container = () => {
      asked++;
      return { image: "node:24" };
    };
    const own = await findSandbox({ container });
    expect(asked).toBe(own.ok && own.kind !== "container" ? 0 : 1);
  });

  it("U16 knows its own leftovers by their names, and touches no others", () => {
    const own = newName();
    const dead = own.replace(/^heddle-\d+-/, "heddle-999999999-");
    const elsewhere = dead.replace(/-[0-9a-f]{12}-/, "-000000000000-");
    expect(abandoned([own, dead, elsewhere, "heddle-1", "database"])).toEqual([dead]);
  });
});
