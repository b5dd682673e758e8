import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { staysInside } from "../../src/host/files.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-files-")));
const target = join(folder, "target");
mkdirSync(join(target, "src"), { recursive: true });
mkdirSync(join(folder, "outside"));
writeFileSync(join(target, "src/a.ts"), "");
symlinkSync(join(folder, "outside"), join(target, "out"));
symlinkSync(join(target, "src"), join(target, "in"));
symlinkSync(join(folder, "nowhere"), join(target, "dangling"));
symlinkSync(target, join(folder, "alias"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("staysInside", () => {
  it.each([
    ["src/a.ts", true],
    ["src/new/b.ts", true],
    ["in/a.ts", true],
    ["in/new.ts", true],
    ["out", false],
    ["out/a.ts", false],
    ["out/new/deep.ts", false],
    ["dangling", false],
    ["dangling/a.ts", false],
  ])("D8 %s: %s", (path, inside) => {
    expect(staysInside(target, path)).toBe(inside);
    expect(staysInside(join(folder, "alias"), path)).toBe(inside);
  });

  it("D8 says nothing of a target that is not there yet", () => {
    expect(staysInside(join(folder, "none"), "src/a.ts")).toBe(true);
  });
});
