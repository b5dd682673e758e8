// What every request must show before anything is looked at: that it was sent to this server by name, by this server's own page, and
// by somebody who had a link. A name that leads here by DNS, another site's form and a page of another port are refused.
import type { IncomingMessage } from "node:http";

export interface Refusal {
  readonly status: 400 | 401 | 403 | 405 | 413 | 415 | 421;
  readonly problem: string;
}

/** Where the server listens: on a port of the loopback, or on a socket file that a tunnel leads to. */
export type ListensAt = { readonly port: number } | { readonly socket: string };

const loopback = ["127.0.0.1", "localhost", "[::1]"];

function isOurs(host: string, place: ListensAt): boolean {
  if ("port" in place) return loopback.some((name) => host === `${name}:${place.port}`);
  // Whoever reaches the socket comes through a tunnel of the person's own, by whatever port that has.
  return loopback.some((name) => host === name || new RegExp(`^${escaped(name)}:\\d{1,5}$`).test(host));
}

const escaped = (text: string) => text.replace(/[.[\]]/g, "\\$&");

export function hostRefusal({ headers }: IncomingMessage, place: ListensAt): Refusal | undefined {
  const { host = "" } = headers;
  return isOurs(host, place) ? undefined : { status: 421, problem: "this server is not known by that name" };
}

/** A write must come from this very page: a missing header is a refusal, too. */
export function writeRefusal({ headers, method }: IncomingMessage): Refusal | undefined {
  if (method !== "POST") return { status: 405, problem: "only POST changes anything" };
  if (headers.origin !== `http://${headers.host}`)
    return { status: 403, problem: "the request comes from another page" };
  if (headers["sec-fetch-site"] !== "same-origin")
    return { status: 403, problem: "the request comes from another site" };
  if (!/^application\/json(?:;\s*charset=utf-8)?$/i.test(headers["content-type"] ?? ""))
    return { status: 415, problem: "the request is not application/json" };
  return undefined;
}

/** One that another site began is refused, although its browser would not show it the answer. */
export function readRefusal({ headers, method }: IncomingMessage): Refusal | undefined {
  if (method !== "GET") return { status: 405, problem: "only GET reads" };
  const site = headers["sec-fetch-site"] ?? "none";
  return site === "same-origin" || site === "none"
    ? undefined
    : { status: 403, problem: "the request comes from another site" };
}

export function cookieIn({ headers }: IncomingMessage, name: string): string {
  const found = (headers.cookie ?? "")
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? "";
}

const mostBodyBytes = 256 * 1024;

/** The whole body, or a refusal once it is too long; what comes after is not read. */
export async function bodyOf(request: IncomingMessage): Promise<string | Refusal> {
  const tooLarge: Refusal = { status: 413, problem: `the request is larger than ${mostBodyBytes} bytes` };
  if (Number(request.headers["content-length"] ?? 0) > mostBodyBytes) return tooLarge;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > mostBodyBytes) return tooLarge;
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}
