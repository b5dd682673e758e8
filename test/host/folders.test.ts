// Folders that heddle makes by the way. Those that a run lives in may be away for a while, and are never made in their place.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder, makePrivateFolder, makeWithin } from "../../src/host/files.ts";
import { folder } from "./programs.ts";

describe("a folder that heddle makes", () => {
  it("G7 never makes a project's own folder, nor its folder of attempts, in the place of one that is away", () => {
    const root = folder("folders");
    expect(() => makeFolder(join(root, ".heddle/logs"))).toThrow("ENOENT");
    expect(() => makePrivateFolder(join(root, ".heddle/attempts"))).toThrow("ENOENT");
    mkdirSync(join(root, ".heddle"));
    expect(() => makeFolder(join(root, ".heddle/attempts/plan-1/T001-1"))).toThrow("ENOENT");
    expect(existsSync(join(root, ".heddle/attempts"))).toBe(false);
  });

  it("G7 is made with all that is missing above it where those are there", () => {
    const root = folder("folders");
    makeFolder(join(root, "a/b/.heddle"));
    makePrivateFolder(join(root, "a/b/.heddle/attempts"));
    makeFolder(join(root, "a/b/.heddle/attempts/plan-1/T001-1/work/.heddle/attempts/x"));
    makeFolder(join(root, "a/b/.heddle/attempts/plan-1/T001-1/work"));
    expect(existsSync(join(root, "a/b/.heddle/attempts/plan-1/T001-1/work/.heddle/attempts/x"))).toBe(true);
  });

  it("G7 says which one was the first that had to be made, and is no file", () => {
    const root = folder("folders");
    mkdirSync(join(root, "refs"));
    expect(makeWithin(root, join(root, "refs/heddle/plan-1"))).toBe(join(root, "refs/heddle"));
    expect(makeWithin(root, join(root, "refs/heddle/plan-1"))).toBe(undefined);
    writeFileSync(join(root, "refs/file"), "");
    expect(() => makeWithin(root, join(root, "refs/file"))).toThrow("EEXIST");
  });
});
