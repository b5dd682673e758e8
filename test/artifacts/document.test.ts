import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonDocument, parseDocument, placeOf } from "../../src/protocols/document.ts";

function documentOf(text: string): JsonDocument {
  const parsed = parseDocument("a.json", text);
  if ("problems" in parsed) throw new Error(parsed.problems[0]?.message);
  return parsed;
}

function firstProblem(text: string, limits = {}) {
  const parsed = parseDocument("a.json", text, limits);
  return "problems" in parsed ? parsed.problems[0] : undefined;
}

describe("parseDocument", () => {
  it("C14 tells line and column of a missing comma", () => {
    expect(firstProblem('{\n  "a": 1\n  "b": 2\n}')).toMatchObject({
      code: "not-json",
      message: "a comma is missing before this",
      place: { file: "a.json", line: 3, column: 3, source: '  "b": 2', length: 3 },
    });
  });

  it.each([
    ['{"a": 1,}', "a key in double quotes is expected here", 9],
    ["{'a': 1}", "this word is not JSON", 2],
    ['{"a" 1}', "a colon is missing after the key", 6],
    ['{"a": "b\nc"}', "this text has no closing quote on its line", 7],
    ['{"a": "\\q"}', "this text has an unknown escape", 7],
    ["[1, // one\n2]", "comments are not allowed here", 5],
    ["{} done", "the JSON has ended before this", 4],
    ["Here it is:\n{}", "the file does not begin with JSON", 1],
    ["```json\n{}\n```", "the file does not begin with JSON", 1],
    ['{"a": [1, 2', "the JSON ends before it is complete", 12],
    ['{"a": "cut of', "the JSON ends before it is complete", 7],
  ])("C14 says in a sentence what is wrong with %j", (text, message, column) => {
    expect(firstProblem(text)).toMatchObject({ message, place: { column }, hint: expect.any(String) });
  });

  it("C14 tolerates a byte order mark", () => {
    expect(documentOf('\uFEFF{"a": 1}').value).toEqual({ a: 1 });
  });

  it.each([
    ["  \n", "empty-file"],
    ['{"a\0": 1}', "not-text"],
    ["[".repeat(100_000), "too-deep"],
    [`${"[".repeat(201)}${"]".repeat(201)}`, "too-deep"],
    [`["x\n${"[".repeat(100_000)}`, "not-json"],
    ['{"a": {"b": 1, "c": 2, "b": 3}}', "duplicate-key"],
  ])("C14 refuses what a plan never holds (%#)", (text, code) => {
    expect(firstProblem(text)?.code).toBe(code);
  });

  it("C14 refuses a text beyond the limit", () => {
    expect(firstProblem("[1, 2, 3]", { maxLength: 8 })?.code).toBe("too-large");
  });

  it("C14 lets depth up to the limit pass", () => {
    expect(firstProblem(`${"[".repeat(200)}${"]".repeat(200)}`)).toBeUndefined();
  });

  it("C14 is not led astray by a `__proto__` key", () => {
    const { value } = documentOf('{"__proto__": {"admin": true}}');
    expect(Reflect.get(Object(value), "admin")).toBeUndefined();
    expect(Reflect.get({}, "admin")).toBeUndefined();
  });

  it("C14 never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        parseDocument("a.json", text);
      }),
    );
  });

  it("C14 never throws on truncated or disturbed JSON, and names a place in it", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 3 }), (json, where, noise) => {
        const at = where % (json.length + 1);
        for (const text of [json.slice(0, at), json.slice(0, at) + noise + json.slice(at)]) {
          const line = firstProblem(text)?.place?.line ?? 1;
          expect(line).toBeLessThanOrEqual(text.split("\n").length);
        }
      }),
    );
  });

  it("C14 accepts exactly what JSON.parse accepts, but for empty, doubled and too deep", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(documentOf(JSON.stringify(value, null, 1)).value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("placeOf", () => {
  const text = '{\r\n  "a": [1, { "b/c~": "hello" }],\r\n  "long": "x"\r\n}';

  it("C14 points at a value, or at its key", () => {
    const document = documentOf(text);
    expect(placeOf(document, "/a/1/b~1c~0")).toMatchObject({
      line: 2,
      column: 22,
      length: 7,
      source: '  "a": [1, { "b/c~": "hello" }],',
      pointer: "/a/1/b~1c~0",
    });
    expect(placeOf(document, "/a/1/b~1c~0", { key: true })).toMatchObject({ line: 2, column: 14, length: 6 });
  });

  it("C14 tells the keys `~1` and `/` apart", () => {
    expect(placeOf(documentOf('{"/": 5, "~1": 6}'), "/~01")).toMatchObject({ column: 16 });
  });

  it("C14 points at what is around something missing", () => {
    expect(placeOf(documentOf(text), "/a/1/zz/y")).toMatchObject({ line: 2, column: 12, length: 1 });
  });

  it("C14 cuts a long line around the value and tells where it begins in the cut", () => {
    const place = placeOf(documentOf(`["${"x".repeat(5000)}", 7, "${"y".repeat(5000)}"]`), "/1");
    expect(place.column).toBe(5006);
    expect(place.source?.length).toBe(160);
    expect(place.source?.[(place.sourceColumn ?? 0) - 1]).toBe("7");
  });

  it("C14 shows no control characters of the file", () => {
    const place = placeOf(documentOf('["a\u202eb\u009b31m"]'), "/0");
    expect(place.source).toBe('["a\uFFFDb\uFFFD31m"]');
  });

  it("C14 points at the value for every pointer of any document", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, 2), (value, indent) => {
        const document = documentOf(JSON.stringify(value, null, indent));
        for (const { pointer, inner } of walk("", JSON.parse(document.text))) {
          const { line = 0, column = 0 } = placeOf(document, pointer);
          const from = document.text
            .split("\n")
            .slice(line - 1)
            .join("\n")
            .slice(column - 1);
          expect(from.startsWith(opening(inner))).toBe(true);
        }
      }),
    );
  });
});

function* walk(pointer: string, inner: unknown): Generator<{ pointer: string; inner: unknown }> {
  yield { pointer, inner };
  if (typeof inner !== "object" || inner === null) return;
  for (const [key, value] of Object.entries(inner)) {
    yield* walk(`${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, value);
  }
}

function opening(value: unknown): string {
  if (Array.isArray(value)) return "[";
  return typeof value === "object" && value !== null ? "{" : JSON.stringify(value);
}
