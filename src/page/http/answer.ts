// Answers over HTTP, each with the headers that keep a browser from doing more with it than show it.
import type { ServerResponse } from "node:http";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
};

export interface Sent {
  readonly status?: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export function send(response: ServerResponse, { status = 200, type, body, headers = {} }: Sent): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(status, {
    ...safeHeaders,
    ...{ "content-type": type, "content-length": String(bytes.length) },
    ...headers,
  });
  response.end(bytes);
}

/** Text that agents wrote is JSON, and never anything that a browser would run. */
export function sendJson(response: ServerResponse, value: unknown, more: Partial<Sent> = {}): void {
  send(response, { type: "application/json; charset=utf-8", body: JSON.stringify(value), ...more });
}

export function refuse(
  response: ServerResponse,
  {
    status,
    problem,
    hint = null,
  }: { readonly status: number; readonly problem: string; readonly hint?: string | null },
): void {
  sendJson(response, { ok: false, problem, hint }, { status, headers: { connection: "close" } });
}
