// The Model Context Protocol as far as heddle speaks it: JSON-RPC 2.0, one message per line. What comes in is untrusted
// and is looked at here, once; nothing of heddle is known in this folder.

export type Fields = Readonly<Record<string, unknown>>;
export type Id = string | number;

export type Message =
  | { readonly kind: "request"; readonly id: Id; readonly method: string; readonly params: Fields }
  | { readonly kind: "notice"; readonly method: string; readonly params: Fields }
  /** An answer to something that was never asked: heddle asks a client nothing. */
  | { readonly kind: "answer" }
  | { readonly kind: "wrong"; readonly id: Id | null; readonly code: number; readonly what: string };

export const codes = {
  unreadable: -32700,
  notARequest: -32600,
  unknownMethod: -32601,
  wrongParams: -32602,
  bug: -32603,
  tooMany: -32000,
} as const;

/** Newest first. What is spoken here did not change between them. */
export const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The client's version when it is known here; ours otherwise, and then the client decides whether to stay. */
export function versionFor(wanted: unknown): string {
  return versions.find((version) => version === wanted) ?? versions[0];
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isId = (value: unknown): value is Id => typeof value === "string" || Number.isSafeInteger(value);

export function understood(value: unknown): Message {
  if (!isFields(value)) return wrong(null, "a message is a JSON object");
  const { jsonrpc, id, method, params = {} } = value;
  const known = isId(id) ? id : null;
  if (jsonrpc !== "2.0") return wrong(known, '`jsonrpc` must be "2.0"');
  if (method === undefined && ("result" in value || "error" in value)) return { kind: "answer" };
  if (typeof method !== "string") return wrong(known, "`method` must be a string");
  if (!("id" in value)) return { kind: "notice", method, params: isFields(params) ? params : {} };
  if (known === null) return wrong(null, "`id` must be a string or a whole number");
  if (!isFields(params))
    return { kind: "wrong", id: known, code: codes.wrongParams, what: "`params` must be an object" };
  return { kind: "request", id: known, method, params };
}

function wrong(id: Id | null, what: string): Message {
  return { kind: "wrong", id, code: codes.notARequest, what };
}

export const result = (id: Id, value: Fields): Fields => ({ jsonrpc: "2.0", id, result: value });

export const failure = (id: Id | null, code: number, message: string): Fields => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

export const notice = (method: string, params: Fields): Fields => ({ jsonrpc: "2.0", method, params });
