// The little TOML that manifests need, read line by line.
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
  expect(textsIn(toml.get("a.b")?.get("list"))).toEqual(["one", "two", "nested", "]"]);
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
