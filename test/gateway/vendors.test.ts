// Which requests go to which vendor, with which key, and what a box is told instead.
import { describe, expect, it } from "vitest";
import { resetsInMs } from "../../src/gateway/reset.ts";
import { askedOf, isAllowed, routesAmong, variablesBehind } from "../../src/gateway/vendors.ts";

const kindOf = (method: string, url: string) => {
  const asked = askedOf(url);
  return asked && isAllowed(asked.vendor, method, asked.path);
};

describe("U10 the gateway's doors", () => {
  it.each([
    ["POST", "/anthropic/v1/messages?beta=true", "paid"],
    ["POST", "/anthropic/v1/messages/count_tokens", "free"],
    ["POST", "/openai/responses", "paid"],
    ["POST", "/openai/chat/completions", "paid"],
    ["GET", "/openai/models", "free"],
    ["POST", "/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", "paid"],
  ])("let through what asks a model: %s %s", (method, url, kind) => {
    expect(kindOf(method, url)).toBe(kind);
  });

  it.each([
    ["GET", "/anthropic/v1/files"],
    ["DELETE", "/openai/models/mine"],
    ["POST", "/anthropic/v1/messages/batches"],
    ["POST", "/anthropic/v1/organizations/api_keys"],
    ["POST", "/anthropic/../openai/files"],
    ["POST", "/anthropic/v1/messages/../files"],
    ["POST", "/anthropic/v1/messages%2f..%2ffiles"],
    ["POST", "/anthropic//evil.example.org/v1/messages"],
    ["POST", "/unknown/v1/messages"],
    ["POST", "http://169.254.169.254/latest"],
    ["GET", "/"],
  ])("let nothing else through that a key could do: %s %s", (method, url) => {
    expect(kindOf(method, url)).toBeUndefined();
  });

  it("knows the keys that are set, and tells a box tokens and its own address in their place", () => {
    const own = { ANTHROPIC_API_KEY: "real", OPENAI_API_KEY: "other", GEMINI_API_KEY: "" };
    const routes = routesAmong(["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "MY_VARIABLE"], own);
    expect(routes).toEqual([{ vendor: "anthropic", variable: "ANTHROPIC_API_KEY" }]);
    const tokens = new Map(routes.map((route) => ["token", route]));
    expect(variablesBehind("http://127.0.0.1:1", tokens)).toMatchObject({
      ANTHROPIC_API_KEY: "token",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1/anthropic",
      OPENAI_API_KEY: "",
    });
  });
});

describe("C7 a vendor that limits its use", () => {
  const now = Date.parse("2026-11-15T15:00:00Z");
  it.each([
    [{ "retry-after": "30" }, 30_000],
    [{ "retry-after-ms": "1500", "retry-after": "2" }, 1500],
    [{ "retry-after": "Sun, 15 Nov 2026 15:01:00 GMT" }, 60_000],
    [{ "anthropic-ratelimit-unified-reset": String(now / 1000 + 3600) }, 3_600_000],
    [
      {
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "2026-11-15T15:00:10Z",
      },
      10_000,
    ],
    [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
  ])("is asked again when its headers say so: %o", (headers, wait) => {
    expect(resetsInMs(headers, now)).toBe(wait);
  });

  it.each([{}, { "retry-after": "soon" }, { "anthropic-ratelimit-unified-reset": "1000000000" }])(
    "has an unknown end when they do not, or it is past: %o",
    (headers) => {
      expect(resetsInMs(headers, now)).toBeNull();
    },
  );
});
