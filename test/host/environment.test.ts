// Fault 68: what heddle's own environment holds does not reach a program unless a person named it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { environmentFor, isSensitive, secretValues } from "../../src/host/program/environment.ts";
import { run, spec, ways } from "./programs.ts";

const wishes = { home: "/home/of/attempt", tmp: "/tmp" };

const canaries = [
  ...[
    "GITHUB_TOKEN",
    "OPENAI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "DB_PASSWORD",
    "STRIPE_SECRET",
    "PGPASSWORD",
  ],
  ...["SSH_AUTH_SOCK", "GIT_DIR", "GIT_CONFIG_GLOBAL", "NODE_OPTIONS", "LD_PRELOAD", "LD_LIBRARY_PATH"],
  ...[
    "npm_config_registry",
    "npm_config__authToken",
    "ANTHROPIC_API_KEY",
    "HTTP_PROXY",
    "KUBECONFIG",
    "XDG_RUNTIME_DIR",
  ],
  ...["DBUS_SESSION_BUS_ADDRESS", "LC_SECRET", "EDITOR"],
];

describe("the environment of a program", () => {
  it("fault 68: has what every program needs, a HOME of its own, and no canary", () => {
    const own = Object.fromEntries(canaries.map((name) => [name, `canary-${name}`]));
    const given = environmentFor(
      { ...own, PATH: "/usr/bin", LANG: "C", LC_ALL: "C", TERM: "dumb", TZ: "UTC", HOME: "/root" },
      wishes,
    );
    expect(given).toEqual({
      ...{ PATH: "/usr/bin", LANG: "C", LC_ALL: "C", TERM: "dumb", TZ: "UTC" },
      ...{ HOME: "/home/of/attempt", TMPDIR: "/tmp" },
    });
  });

  it("passes on what is named, a secret as well; a pattern never passes on a secret", () => {
    const own = { ANTHROPIC_API_KEY: "k", MY_MODE: "fast", MY_TOKEN: "t", GIT_DIR: "/x" };
    expect(
      environmentFor(own, { ...wishes, names: ["ANTHROPIC_API_KEY", "MY_*", "GIT_*", "ABSENT"] }),
    ).toEqual({
      ANTHROPIC_API_KEY: "k",
      MY_MODE: "fast",
      HOME: "/home/of/attempt",
      TMPDIR: "/tmp",
    });
  });

  it("looks for programs in no relative folder", () => {
    const { PATH } = environmentFor({ PATH: ".:/usr/bin::node_modules/.bin:/bin:" }, wishes);
    expect(PATH).toBe("/usr/bin:/bin");
  });

  it("never lets a name or a value replace HOME", () => {
    expect(
      environmentFor({ HOME: "/root" }, { ...wishes, names: ["HOME"], set: { HOME: "/root" } }).HOME,
    ).toBe("/home/of/attempt");
  });

  it("knows which values must never be stored", () => {
    const own = { A_TOKEN: "one", B_KEY_FILE: "/path", C: "three", D_PASSWORD: "/four" };
    expect(secretValues(own)).toEqual(["one", "/four"]);
    expect(
      ["GITHUB_TOKEN", "npm_config_x", "LD_PRELOAD", "PATH", "MONKEY_BUSINESS"].map(isSensitive),
    ).toEqual([...[true, true, true, false, true]]);
  });

  it("gives nothing that was not asked for, whatever the names are", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (own) => {
        const allowed = /^(PATH|LANG|LC_.*|TERM|TZ|HOME|TMPDIR)$/s;
        expect(Object.keys(environmentFor(own, wishes)).filter((name) => !allowed.test(name))).toEqual([]);
      }),
    );
  });
});

describe.for(ways)("a running program, %s", (way) => {
  it("fault 68: sees no canary of heddle's environment", async () => {
    for (const name of canaries) if (!/^(NODE_|LD_)/.test(name)) process.env[name] = `canary-${name}`;
    const environment = environmentFor(process.env, wishes);
    const { out } = await run(spec(["env"], way, { environment }));
    for (const name of canaries) if (!/^(NODE_|LD_)/.test(name)) delete process.env[name];
    expect(out).toContain("PATH=");
    expect(out).not.toContain("canary-");
  });
});
