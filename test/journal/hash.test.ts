// The two sums: SHA-256 against Node's own, and the checksum against single changes.
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checksum, firstSum, isSumOf } from "../../src/journal/checksum.ts";
import { sha256 } from "../../src/journal/sha256.ts";

describe("sums", () => {
  it("G6 sha256 is SHA-256, for any text", () => {
    const texts = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: "binary", maxLength: 200 }));
    fc.assert(fc.property(texts, (text) => sha256(text) === createHash("sha256").update(text).digest("hex")));
    for (let n = 50; n < 70; n++)
      expect(sha256("a".repeat(n))).toBe(createHash("sha256").update("a".repeat(n)).digest("hex"));
  });

  it("G6 the checksum is CRC-32, for any text", () => {
    const texts = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: "binary", maxLength: 200 }));
    fc.assert(fc.property(texts, (text) => checksum(text) === crc32(text)));
  });

  it("G6 a sum of the first format still counts, and no other", () => {
    expect(isSumOf("a text", firstSum("a text"))).toBe(true);
    expect(isSumOf("a text", firstSum("a tent"))).toBe(false);
    expect(isSumOf("a text", checksum("a tent"))).toBe(false);
  });

  it("G6 the checksum notices every single changed character", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 200 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (text, at, by) => {
          const place = at % text.length;
          const changed =
            text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ by) + text.slice(place + 1);
          return checksum(text) !== checksum(changed);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
