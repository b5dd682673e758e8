// Lines out of bytes, whatever the bytes are and wherever the chunks are cut.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, Lines } from "../../src/host/program/output.ts";
import { EventQueue } from "../../src/host/program/queue.ts";

function linesOf(chunks: readonly Buffer[], lineBytes: number): Line[] {
  const seen: Line[] = [];
  const lines = new Lines(lineBytes, (line) => seen.push(line));
  for (const chunk of chunks) lines.push(chunk);
  lines.end(false);
  return seen;
}

/** Bytes in which newlines, carriage returns, NULs and halves of characters are frequent. */
const bytes = fc
  .array(
    fc.oneof(fc.constantFrom(0, 10, 13, 0xc3, 0xa9, 0xe2, 0x82, 0xff), fc.integer({ min: 0, max: 255 })),
    {
      maxLength: 200,
    },
  )
  .map((values) => Buffer.from(values));

const cuts = fc.array(fc.nat(200), { maxLength: 8 });

function cutAt(whole: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => Math.min(place, whole.length)).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((end, index) => whole.subarray(places[index], end));
}

describe("lines", () => {
  it("fault 35: any bytes give the same lines however they are cut into chunks, and none is lost", () => {
    fc.assert(
      fc.property(bytes, cuts, (whole, at) => {
        const pieces = whole.toString("latin1").split("\n");
        if (pieces.at(-1) === "") pieces.pop();
        const expected = pieces.map((piece) => ({
          text: Buffer.from(piece, "latin1").toString("utf8").replace(/\r$/, ""),
          cut: false,
        }));
        expect(linesOf(cutAt(whole, at), 1000)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("fault 34: no line is longer than its limit, and those that were are marked", () => {
    fc.assert(
      fc.property(bytes, cuts, fc.integer({ min: 1, max: 20 }), (whole, at, limit) => {
        const pieces = whole.toString("latin1").split("\n");
        if (pieces.at(-1) === "") pieces.pop();
        const lines = linesOf(cutAt(whole, at), limit);
        expect(lines.map(({ cut }) => cut)).toEqual(pieces.map((piece) => piece.length > limit));
        for (const { text } of lines) expect(text.length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 500 },
    );
  });

  it("cuts between characters, not within one", () => {
    expect(linesOf([Buffer.from("aé€€\n")], 5)).toEqual([{ text: "aé", cut: true }]);
  });
});

describe("the queue of events", () => {
  it("asks for a pause when much waits, and for more when half of it is gone", async () => {
    const asked: boolean[] = [];
    const queue = new EventQueue<string>(
      (item) => item.length,
      (full) => asked.push(full),
    );
    for (let n = 0; n < 30; n++) queue.push("x".repeat(64 * 1024));
    expect(asked).toEqual([true]);
    queue.close();
    let count = 0;
    for await (const _ of queue.drain()) count++;
    expect({ count, asked }).toEqual({ count: 30, asked: [true, false] });
  });
});
