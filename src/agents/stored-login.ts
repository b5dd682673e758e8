// The login that a vendor's own program keeps on this machine: Claude Code's and Codex's. Only looked at here, never written,
// and the token that renews it is not even read: renewing is for the program that it belongs to (`logins.ts`).
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fieldsOf, recordIn } from "../core/json.ts";
import type { LoginName } from "../gateway/vendors.ts";
import { readRecord } from "../host/handed-in.ts";

export interface StoredLogin {
  readonly token: string;
  /** Null: it does not say. */
  readonly expiresAtMs: number | null;
  /** Which of a person's accounts is meant, where requests must say so. */
  readonly account: string | null;
  /** What pays for it. */
  readonly kind: "subscription" | "key";
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Where the program keeps it. On macOS Claude Code keeps its own in the keychain, which heddle does not open. */
export function loginFile(name: LoginName, own: Variables = process.env): string {
  const home = own.HOME || homedir();
  return name === "claude"
    ? join(own.CLAUDE_CONFIG_DIR || join(home, ".claude"), ".credentials.json")
    : join(own.CODEX_HOME || join(home, ".codex"), "auth.json");
}

/** Nothing where nobody has signed in, or what is there is not understood. */
export function storedLogin(name: LoginName, own: Variables = process.env): StoredLogin | undefined {
  const stored = recordIn(textOf(loginFile(name, own)) ?? "");
  if (!stored) return undefined;
  return name === "claude" ? claudeLogin(stored) : codexLogin(stored);
}

/** A person may keep it elsewhere, behind a link. */
function textOf(file: string): string | undefined {
  try {
    return readRecord(realpathSync(file));
  } catch {
    return undefined;
  }
}

function claudeLogin(stored: object): StoredLogin | undefined {
  const { accessToken, expiresAt } = fieldsOf(fieldsOf(stored).claudeAiOauth);
  if (!isToken(accessToken)) return undefined;
  const expiresAtMs = typeof expiresAt === "number" ? expiresAt : null;
  return { token: accessToken, expiresAtMs, account: null, kind: "subscription" };
}

function codexLogin(stored: object): StoredLogin | undefined {
  const { tokens, OPENAI_API_KEY: key } = fieldsOf(stored);
  const { access_token: token, account_id: account } = fieldsOf(tokens);
  if (isToken(token))
    return {
      token,
      expiresAtMs: expiryOf(token),
      account: typeof account === "string" ? account : null,
      kind: "subscription",
    };
  return isToken(key) ? { token: key, expiresAtMs: null, account: null, kind: "key" } : undefined;
}

/** What can stand in a header. */
const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^[\x21-\x7e]{1,8192}$/.test(value);

/** A JSON web token says when it ends; nobody here has to believe more of it. */
function expiryOf(token: string): number | null {
  const [, claims = ""] = token.split(".");
  const { exp } = fieldsOf(recordIn(Buffer.from(claims, "base64url").toString("utf8")));
  return typeof exp === "number" ? exp * 1000 : null;
}
