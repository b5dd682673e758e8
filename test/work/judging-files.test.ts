import { describe, expect, it } from "vitest";
import { pythonModules, readerOf } from "../../src/work/evidence/judging-files.ts";

describe("a file that decides how a tree is judged", () => {
  it.each([
    ["GNUmakefile", "make"],
    ["sub/rules.mk", "make"],
    ["Justfile", "just"],
    ["packages/a/.npmrc", "a package manager"],
    ["node_modules/.bin/tsc", "whatever looks for programs or modules in the tree"],
    ["a/node_modules", "whatever looks for programs or modules in the tree"],
    ["vitest.config.mts", "a JavaScript test runner"],
    [".mocharc.yml", "a JavaScript test runner"],
    [".env.test", "what loads the environment"],
    ["tests/fixtures/conftest.py", "pytest"],
    ["lib/evil.pth", "python"],
    [".cargo/config.toml", "cargo"],
    [".config/nextest.toml", "cargo"],
    ["vendor/modules.txt", "whatever looks for programs or modules in the tree"],
    ["spec/spec_helper.rb", "ruby"],
    ["gradle/wrapper/gradle-wrapper.properties", "maven or gradle"],
    ["src/test/resources/junit-platform.properties", "maven or gradle"],
    ["cmake/x.cmake", "cmake or meson"],
    [".gitattributes", "git"],
  ])("G4 %s is read by %s", (path, reader) => {
    expect(readerOf(path)).toBe(reader);
  });

  it.each([
    ...["CHANGES.md", ".gitignore", ".env.example", "src/index.ts", "src/config.ts", "docs/makefile.md"],
    ...["test/fixtures/a/package.json", "src/environment.ts", "app/tasks.py", "test/a.test.ts"],
  ])("G4 %s is work like any other", (path) => {
    expect(readerOf(path)).toBeUndefined();
  });

  it("G4 knows the modules that a test imports first", () => {
    for (const name of ["unittest", "json", "re", "pytest", "site"])
      expect(pythonModules.has(name)).toBe(true);
    for (const name of ["test", "tests", "app"]) expect(pythonModules.has(name)).toBe(false);
  });
});
