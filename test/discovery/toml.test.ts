// Manifests in TOML: as tables, and what can be read of those that are not quite valid.
import { expect, it } from "vitest";
import { dependenciesIn, readToml, textIn, textsIn } from "../../src/discovery/stacks/toml.ts";

it("D5 reads tables, dotted keys, arrays over lines, comments and quotes", () => {
  const toml = readToml(`top = 1
[a . "b"] # comment
name = 'x # not a comment'
list = [ # one
  "one", # two
  'two',
  ["nested", "]"],
]
after = "yes"
c.d = "dotted"
long = """
[not.a.table]
key = "no"
"""
last = "z"
[[bin]]
path = "1"
[[bin]]
path = "2"
`);
  expect(textIn(toml.get("a.b")?.get("name"))).toBe("x # not a comment");
  expect(textsIn(toml.get("a.b")?.get("list"))).toEqual(["one", "two"]);
  expect(textIn(toml.get("a.b")?.get("after"))).toBe("yes");
  expect(textIn(toml.get("a.b.c")?.get("d"))).toBe("dotted");
  expect(toml.has("not.a.table")).toBe(false);
  expect(textIn(toml.get("a.b")?.get("last"))).toBe("z");
  expect([toml.get("bin[0]"), toml.get("bin[1]")].map((table) => textIn(table?.get("path")))).toEqual([
    "1",
    "2",
  ]);
});

it("D5 takes what it can from a file that is not TOML", () => {
  expect(
    dependenciesIn(readToml("{ }\n[dependencies]\nok = '1'\n= 3\n[broken\nlist = [ 'a'"), "dependencies"),
  ).toEqual(expect.arrayContaining([["ok", "1"]]));
  expect(readToml("\0\0[[[[").size).toBe(0);
});

it("D5 G8 reads any size and depth in a bounded time", () => {
  const began = performance.now();
  for (const part of ["a = [", "[", "{a=", "a.b.", "x = 1\n", 'a = "\\', "[a.b]\n[[a]]\n", "]\n"])
    for (const times of [1_000, 100_000]) readToml(part.repeat(times));
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(
    dependenciesIn(readToml("[d]\na = [{ version = '1' }]\nb = { path = '.' }\n[d.c]\nversion = '3'"), "d"),
  ).toEqual([
    ["a", "1"],
    ["b", null],
    ["c", "3"],
  ]);
});
