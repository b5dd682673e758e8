// Fault 68: a known secret is in nothing that is stored, in whatever encoding and however it is cut into chunks.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redacted, redactor } from "../../src/host/program/redact.ts";
import { processorMs } from "../processor-time.ts";
import { folder, run, sh, spec, ways } from "./programs.ts";

const canary = 'sk-Canary/9+é"\\ü==~x yz';

const encodings: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  base64: (secret) => Buffer.from(secret).toString("base64"),
  "base64, one byte before": (secret) => Buffer.from(`:${secret}`).toString("base64"),
  "base64, two bytes before": (secret) => Buffer.from(`u:${secret}@host`).toString("base64"),
  base64url: (secret) => Buffer.from(secret).toString("base64url"),
  "base64url, in the middle": (secret) => Buffer.from(`user:${secret}:more`).toString("base64url"),
  "URL component": encodeURIComponent,
  "URL component in lower case": (secret) =>
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  "form field": (secret) => new URLSearchParams({ key: secret }).toString(),
  JSON: (secret) => JSON.stringify({ secret }),
  "JSON in JSON": (secret) => JSON.stringify(JSON.stringify({ secret })),
  "ASCII JSON": (secret) =>
    JSON.stringify(secret).replace(
      /[^\0-\x7f]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  hex: (secret) => Buffer.from(secret).toString("hex"),
  "hex in capitals": (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
};

const stream = (secrets: readonly string[], chunks: readonly Buffer[]) => {
  const clean = redactor(secrets).stream();
  return Buffer.concat([...chunks.map((chunk) => clean.push(chunk)), clean.end()]).toString("latin1");
};

/** Short enough that secrets overlap, repeat and contain each other. */
const secret = fc.oneof(
  fc.string({ minLength: 6, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("a", "b"), minLength: 6, maxLength: 9 }),
  fc.string({ unit: "grapheme", minLength: 6, maxLength: 20 }),
);

describe("redaction", () => {
  it.for(Object.keys(encodings))("takes a canary out: %s", (name) => {
    const text = `before ${encodings[name]?.(canary)} after`;
    const clean = redactor([canary]).text(text);
    expect(clean).toContain(redacted);
    expect(clean.replace(redacted, "").length).toBeLessThanOrEqual(text.length - canary.length + 4);
    expect(clean).toMatch(/^before .* after$/);
  });

  it("finds every secret in every encoding, wherever the chunks are cut", () => {
    const cases = fc.record({
      secret,
      encoding: fc.constantFrom(...Object.keys(encodings)),
      around: fc.tuple(fc.string(), fc.string()),
      cuts: fc.array(fc.nat(300), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(cases, ({ secret, encoding, around, cuts }) => {
        fc.pre(secret.trim().toWellFormed() === secret && secret.length >= 6);
        const bytes = Buffer.from(around.join(encodings[encoding]?.(secret)));
        const places = [
          0,
          ...cuts.map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const clean = stream([secret], chunks);
        expect(clean).toContain(redacted);
        expect(clean).toBe(stream([secret], [bytes]));
        expect(clean).not.toContain(Buffer.from(secret).toString("latin1"));
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves nothing of secrets that overlap, and the rest as it was", () => {
    const few = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 6, maxLength: 8 }), {
      maxLength: 3,
    });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 });
    fc.assert(
      fc.property(few, text, (secrets, whole) => {
        expect(redactor(secrets).text(whole)).toBe(naive(secrets, whole));
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps a text without secrets as it is, lone surrogates included", () => {
    const text = "nothing to hide \ud800 \0 é";
    expect(redactor([canary]).text(text)).toBe(text);
    expect(redactor([]).text(text)).toBe(text);
  });

  it("ignores what is too short to be a secret, and the white space around one", () => {
    expect(redactor(["", "12345"]).text("12345")).toBe("12345");
    expect(redactor(["  123456\n"]).text("<123456>")).toBe("<[redacted]>");
  });

  it("knows the lines of a key, but not its armour", () => {
    const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj";
    const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
    expect(redactor([key]).text(`  ${body}`)).toBe("  [redacted]");
    expect(redactor([key]).text("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----");
    expect(redactor([key]).text(key)).toBe("[redacted]\n");
  });

  it("holds back no more than the beginning of a secret", () => {
    const clean = redactor(["topsecret"]).stream();
    expect(clean.push(Buffer.from("abc top")).toString()).toBe("abc ");
    expect(clean.push(Buffer.from("ping ")).toString()).toBe("topping ");
    expect(clean.push(Buffer.from("topsecret!")).toString()).toBe("[redacted]!");
    expect(clean.push(Buffer.from("tops")).toString()).toBe("");
    expect(clean.end().toString()).toBe("tops");
  });

  it("takes time in proportion to the text, and memory in proportion to the secrets", () => {
    const clean = redactor(["a".repeat(5000), ...Array.from({ length: 20 }, (_, n) => `secret-number-${n}`)]);
    const hard = Buffer.alloc(8 * 1024 * 1024, "a");
    const start = processorMs();
    clean.stream().push(hard);
    expect(processorMs() - start).toBeLessThan(3000);
  });
});

/** All places where a secret is, joined where they overlap. */
function naive(secrets: readonly string[], text: string): string {
  const spans = secrets
    .flatMap((each) =>
      Array.from({ length: text.length }, (_, at) => at)
        .filter((at) => text.startsWith(each, at))
        .map((at) => [at, at + each.length] as [number, number]),
    )
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const joined: [number, number][] = [];
  for (const [start, end] of spans) {
    const last = joined.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  let out = "";
  let at = 0;
  for (const [start, end] of joined) {
    out += text.slice(at, start) + redacted;
    at = end;
  }
  return out + text.slice(at);
}

describe.for(ways)("the output of a program, %s", (way) => {
  it("fault 68: holds no canary in lines or kept files, also when it is printed in two halves", async () => {
    const at = folder("kept");
    const keep = { stdout: join(at, "out"), stderr: join(at, "err") };
    const script = `printf %s "$A"; sleep 0.1; printf '%s\\n' "$B"; printf %s "$A$B" | base64 >&2; printf %s "$A$B" >&2`;
    const [a, b] = [canary.slice(0, 9), canary.slice(9)];
    const environment = { PATH: "/usr/bin:/bin", A: a, B: b };
    const story = await run(spec(sh(script), way, { environment, keep, redact: redactor([canary]) }));
    expect(story.out).toBe(redacted);
    expect(story.err).toBe(`${redacted}\n${redacted}`);
    expect(readFileSync(keep.stdout, "utf8")).toBe(`${redacted}\n`);
    expect(readFileSync(keep.stderr, "utf8")).toBe(`${redacted}\n${redacted}`);
  });
});
