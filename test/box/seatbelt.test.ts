// The profile of macOS's sandbox, on any machine: compared as text, and proved to hold no text from outside. Whether a Mac keeps
// it is tried where there is one (`attack/boxes.attack.ts`).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wayInto } from "../../src/host/box/box.ts";
import { trySeatbelt } from "../../src/host/box/seatbelt.ts";
import { type Seat, seatbeltProfile } from "../../src/host/box/seatbelt-profile.ts";
import type { Mount } from "../../src/host/program/mounts.ts";

const mount = (kind: Mount["kind"], path: string, isFolder = true): Mount => ({
  ...{ kind, path, real: path.replace(/^\/tmp/, "/private/tmp"), isFolder },
});

const seat: Seat = {
  plan: [
    mount("writable", "/tmp/work"),
    mount("read-only", "/Users/ada/tools/node", false),
    mount("link", "/Users/ada/bin/npm", false),
    mount("hidden", "/tmp/work/.heddle"),
    mount("masked", "/tmp/work/.git/hooks", false),
  ],
  tmp: "/private/var/tmp/heddle-1",
  network: false,
  gatePort: 49_152,
};

describe("U16 the profile for macOS's sandbox", () => {
  it("U16 denies everything but what was named", async () => {
    const { text, parameters } = seatbeltProfile(seat);
    const given = Object.entries(parameters).map(([name, value]) => `; ${name}=${value}`);
    await expect(`${text}${given.join("\n")}\n`).toMatchFileSnapshot("profile.sb");
    expect(text.split("\n").slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  });

  it("U16 opens the network only as it was told to", () => {
    const networkOf = (more: Partial<Seat>) =>
      seatbeltProfile({ ...seat, ...more })
        .text.split("\n")
        .filter((line) => line.includes("network"));
    expect(networkOf({ gatePort: undefined })).toEqual(["(deny network*)"]);
    expect(networkOf({})).toEqual([
      "(deny network*)",
      '(allow network-outbound (remote ip "localhost:49152"))',
    ]);
    expect(networkOf({ network: true })).toEqual(["(allow network*)"]);
  });

  it("U16 has no word from outside in its text, whatever paths are called", () => {
    const named = (at: number) => `/x/${at}`;
    const plain = seatbeltProfile({
      ...seat,
      plan: seat.plan.map((each, at) => ({ ...each, path: named(at), real: named(at) })),
    });
    const nasty = fc
      .string({ unit: "binary", minLength: 1, maxLength: 30 })
      .map((text) => text.replaceAll(/[/\0]/g, ")"));
    fc.assert(
      fc.property(fc.uniqueArray(nasty, { minLength: 5, maxLength: 5 }), fc.boolean(), (names, hasQuote) => {
        const all = names.map((name) => (hasQuote ? `${name}"))(allow default)("` : name));
        const plan = seat.plan.map((each, at) => ({ ...each, path: `/x/${all[at]}`, real: `/x/${all[at]}` }));
        const { text, parameters } = seatbeltProfile({ ...seat, plan });
        expect(text).toBe(plain.text);
        expect(Object.values(parameters)).toEqual(expect.arrayContaining(plan.map(({ path }) => path)));
      }),
    );
  });

  it.skipIf(process.platform === "darwin")("U16 is for macOS alone, and says so elsewhere", async () => {
    expect(await trySeatbelt()).toMatchObject({
      ok: false,
      problem: { code: "no-sandbox", hint: expect.stringContaining("bubblewrap") },
    });
  });

  it("U16 refuses what bubblewrap refuses, before anything is started", () => {
    const sandbox = { kind: "seatbelt", path: "/usr/bin/sandbox-exec", version: "25" } as const;
    const box = { sandbox, home: "/", writable: [], readOnly: [], network: false };
    expect(wayInto({ cwd: "/", environment: {} }, box)).toHaveProperty("problem.code", "unsafe-path");
    expect(wayInto({ cwd: "/", environment: { A: "\0" } }, box)).toHaveProperty(
      "problem.code",
      "bad-environment",
    );
  });

  it("U16 is said to be untested where it is described", () => {
    expect(readFileSync(join(import.meta.dirname, "../../docs/security.md"), "utf8")).toMatch(
      /seatbelt[^|]*untested/i,
    );
  });
});
