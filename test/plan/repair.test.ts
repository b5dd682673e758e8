// Finding the document in what an agent wrote (C6).
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repairDocument } from "../../src/protocols/repair.ts";
import { processorMs } from "../processor-time.ts";

const found = (text: string): unknown => {
  const repaired = repairDocument(text);
  return repaired === undefined ? undefined : JSON.parse(repaired.text);
};

describe("C6 the document is found", () => {
  it.each([
    ["as it is", '{"a":1}', { a: 1 }],
    ["in a fence", '```json\n{"a":1}\n```', { a: 1 }],
    ["in a fence of tildes", '~~~\n{"a":1}\n~~~', { a: 1 }],
    ["in a fence that is not closed", 'Here:\n```json\n{"a":1}\n', { a: 1 }],
    ["with prose before and after", 'Sure! Here it is: {"a":1}. Enjoy!', { a: 1 }],
    ["with braces in the prose", 'I used {braces}. The map: {"a":1,"b":[2]}', { a: 1, b: [2] }],
    ["with trailing commas", '{"a":1,"b":[1,2,],}', { a: 1, b: [1, 2] }],
    ["with single quotes", "{'a':'x'}", { a: "x" }],
    ["with comments", '{\n// one\n"a":1 /* two */}', { a: 1 }],
    ["with names without quotes", "{a: 1}", { a: 1 }],
    ["with Python's words", '{"a": True, "b": None}', { a: true, b: null }],
    ["cut off", '{"a":1,"b":[1,2', { a: 1, b: [1, 2] }],
    ["after a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["with brackets inside texts", '{"a":"}{][","b":"\\""}', { a: "}{][", b: '"' }],
    ["as a list", "[1,2]", [1, 2]],
  ])("%s", (_name, text, document) => {
    expect(found(text)).toEqual(document);
  });

  it("of two documents, the larger one", () => {
    expect(found('An example: {"a":1}\nThe map: {"a":1,"b":2,"c":3}')).toEqual({ a: 1, b: 2, c: 3 });
  });

  it("of two in fences, the larger one", () => {
    expect(found('```json\n{"a":1}\n```\nand\n```json\n{"a":1,"b":"longer"}\n```')).toEqual({
      a: 1,
      b: "longer",
    });
  });

  it("a whole document goes before a larger one that must be fixed", () => {
    expect(found('{"a":1}\n{"unfinished": "and much longer than the other one", "b": [')).toEqual({ a: 1 });
  });

  it("with a quotation mark in the prose before it", () => {
    expect(found('He said "so: and then {"a":1} came')).toEqual({ a: 1 });
  });

  it("a document with fences inside its texts", () => {
    const document = { code: "```js\nlet x = {};\n```" };
    expect(found(`Here:\n${JSON.stringify(document, null, 2)}\nDone.`)).toEqual(document);
  });
});

describe("C6 there is no document", () => {
  it.each(["", "   ", "I could not do it.", "42", '"text"', "null", "true", "]]"])("in %j", (text) => {
    expect(repairDocument(text)).toBeUndefined();
  });
});

const json = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue(), { minLength: 1 }));
const prose = fc.string().map((text) => text.replaceAll(/[{}[\]"'`~\\]/g, " "));

describe("C6 whatever an agent writes", () => {
  it("nothing is thrown, and what comes out is a document", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.string({ unit: fc.constantFrom(..."{}[]\"',:\\`~\n a1") })),
        (text) => {
          const repaired = repairDocument(text);
          if (repaired) expect(JSON.parse(repaired.text)).toBeTypeOf("object");
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("a document is left as it is, byte for byte", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value, null, 2);
        expect(repairDocument(text)).toEqual({ text, how: "nothing", isFixed: false });
      }),
    );
  });

  it("a document in prose is found", () => {
    fc.assert(
      fc.property(json, prose, prose, (value, before, after) => {
        expect(found(`${before} ${JSON.stringify(value)} ${after}`)).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it("a document in a fence is found", () => {
    fc.assert(
      fc.property(json, prose, prose, (value, before, after) => {
        const text = `${before}\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n${after}`;
        expect(found(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("a document with trailing commas keeps all that it says", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom("a", "b c"))), (list) => {
        const inner = list.map((each) => JSON.stringify(each)).join(", ");
        expect(found(`{"list": [${inner}${list.length > 0 ? "," : ""}],}`)).toEqual({ list });
      }),
    );
  });

  it("repair is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."{}[]\"',:ab1 ") }), (text) => {
        const once = repairDocument(text);
        if (once) expect(repairDocument(once.text)?.text).toBe(once.text);
      }),
      { numRuns: 1000 },
    );
  });

  it("megabytes of brackets take less than two seconds", () => {
    const startedAt = processorMs();
    for (const text of [
      "[".repeat(1_000_000),
      "{".repeat(1_000_000),
      "{}".repeat(300_000),
      '{"a":'.repeat(200_000),
    ])
      repairDocument(text);
    expect(processorMs() - startedAt).toBeLessThan(2000);
  });

  it("a mebibyte of a truncated document is fixed in less than two seconds", () => {
    const whole = JSON.stringify({
      list: Array.from({ length: 20_000 }, (_, at) => ({ id: `B${at}`, name: "a name" })),
    });
    const startedAt = processorMs();
    expect(found(whole.slice(0, -10))).toBeTypeOf("object");
    expect(processorMs() - startedAt).toBeLessThan(2000);
  });
});
