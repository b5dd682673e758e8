// The line that is typed, and how it is laid out: every key by itself.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edited, empty, inserted, type Key, type Line, lineOf, moved } from "../../src/cli/repl/editor.ts";
import { folded, laid } from "../../src/cli/repl/layout.ts";
import { cells } from "../../src/view/width.ts";

/** `|` is where the cursor is. */
const at = (text: string): Line => ({ text: text.replace("|", ""), at: text.indexOf("|") });
const shown = (line: Line | undefined) =>
  line && `${line.text.slice(0, line.at)}|${line.text.slice(line.at)}`;
const press = (text: string, key: Key) => shown(edited(at(text), key));

describe("L13 the line editor", () => {
  it.each([
    ["ab|c", { name: "left" }, "a|bc"],
    ["ab|c", { name: "right" }, "abc|"],
    ["one two|", { name: "w", ctrl: true }, "one |"],
    ["one t|wo", { name: "u", ctrl: true }, "|wo"],
    ["one t|wo", { name: "k", ctrl: true }, "one t|"],
    ["one\ntw|o", { name: "a", ctrl: true }, "one\n|two"],
    ["one\n|two", { name: "left" }, "one|\ntwo"],
    ["on|e\ntwo", { name: "end" }, "one|\ntwo"],
    ["one two|", { name: "b", meta: true }, "one |two"],
    ["|one two", { name: "right", ctrl: true }, "one| two"],
    ["a|b", { name: "delete" }, "a|"],
    ["a|b", { name: "return", meta: true }, "a\n|b"],
    ["a|", { name: "x", sequence: "x" }, "ax|"],
  ])("%j and a key", (before, key, after) => {
    expect(press(before, key)).toBe(after);
  });

  it("takes a character as people see it for one", () => {
    expect(press("a👩‍👩‍👧|", { name: "backspace" })).toBe("a|");
    expect(press("e\u0301|x", { name: "left" })).toBe("|e\u0301x");
    expect(press("|漢字", { name: "right" })).toBe("漢|字");
  });

  it("does nothing for keys that mean nothing, and never lets a control character in", () => {
    expect(edited(lineOf("a"), { name: "f5", sequence: "\u001b[15~" })).toBeUndefined();
    expect(edited(lineOf("a"), { name: "g", ctrl: true, sequence: "\u0007" })).toBeUndefined();
    expect(edited(lineOf("a"), { name: "constructor", sequence: "" })).toBeUndefined();
    expect(inserted(empty, "a\u001b[31mb\r\nc\rd\te\u0000").text).toBe("a[31mb\nc\nd\te");
  });

  it("goes up and down inside many lines, and says when there are none", () => {
    expect(shown(moved(at("one\ntwo|"), -1))).toBe("one|\ntwo");
    expect(shown(moved(at("o|ne\n"), 1))).toBe("one\n|");
    expect(moved(at("o|ne"), -1)).toBeUndefined();
    expect(moved(at("one\nt|wo"), 1)).toBeUndefined();
  });

  it("keeps the cursor inside the text, whatever is typed", () => {
    const names = ["left", "right", "home", "end", "backspace", "delete"];
    const key = fc.oneof(
      fc.constantFrom(...names).map((name): Key => ({ name })),
      fc.constantFrom("w", "u", "k", "a", "e", "d").map((name): Key => ({ name, ctrl: true })),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }).map((sequence): Key => ({ sequence })),
      fc.constant<Key>({ name: "return", meta: true }),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
        const line = keys.reduce((now, each) => edited(now, each) ?? now, empty);
        return line.at >= 0 && line.at <= line.text.length && line.text.isWellFormed();
      }),
    );
  });
});

describe("L13 its layout", () => {
  it("wraps by cells, with the cursor where the next character will be", () => {
    const sheet = { prompt: "> ", width: 8, height: 5 };
    expect(laid(lineOf("漢字漢字"), sheet)).toEqual({ rows: ["> 漢字漢", "  字"], row: 1, column: 4 });
    expect(laid(lineOf("abcdef"), sheet)).toEqual({ rows: ["> abcdef", "  "], row: 1, column: 2 });
    expect(laid(at("ab|cdefgh"), sheet)).toMatchObject({ row: 0, column: 4 });
  });

  it("shows the rows around the cursor and how many there are besides", () => {
    const text = Array.from({ length: 200 }, (_, n) => `line ${n}`).join("\n");
    const end = laid(lineOf(text), { prompt: "heddle > ", width: 60, height: 4 });
    expect(end.rows).toEqual(["↑196     line 196", ...[197, 198, 199].map((n) => `         line ${n}`)]);
    const start = laid({ text, at: 0 }, { prompt: "heddle > ", width: 60, height: 4 });
    expect(start.rows.at(0)).toBe("heddle > line 0");
    expect(start.rows.at(-1)).toBe("↓196     line 3");
  });

  it("never makes a row wider than the window, nor loses the cursor", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", " ", "漢", "😀", "e\u0301", "\n", "\t"),
      maxLength: 120,
    });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 12, max: 60 }),
        fc.integer({ min: 0, max: 120 }),
        (typed, width, n) => {
          const sheet = { prompt: "heddle ", width, height: 6 };
          const { rows, row, column } = laid({ text: typed, at: Math.min(n, typed.length) }, sheet);
          expect(Math.max(...rows.map(cells))).toBeLessThanOrEqual(width);
          expect(rows.length).toBeLessThanOrEqual(6);
          expect(rows[row]).toBeDefined();
          expect(column).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it("folds between words", () => {
    expect(folded("one two three", 8)).toEqual(["one two", "three"]);
    expect(folded("  1  one two", 9)).toEqual(["  1  one", "  two"]);
    expect(folded("abcdefghij kl", 4)).toEqual(["abcd", "efgh", "ij", "kl"]);
  });
});
