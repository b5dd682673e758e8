// Notes to heddle's own later self, in folders that a repository may have come with. Each carries a seal made with a key
// in the person's own folder: nothing that somebody else wrote is ever carried out.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { jsonIn, recordIn } from "../core/json.ts";

/** The text to write; without a seal, where there is no place for a key, nobody will act on it. */
export function sealed(content: unknown): string {
  const body = JSON.stringify(content);
  const key = ownKey();
  return JSON.stringify({ seal: key ? sealOf(key, body) : "", body });
}

/** What was sealed here, by this person; nothing otherwise. */
function unsealed(text: string): unknown {
  const key = ownKey();
  if (!key) return undefined;
  const { seal, body } = recordIn(text) ?? {};
  if (typeof seal !== "string" || typeof body !== "string") return undefined;
  const [said, right] = [Buffer.from(seal, "hex"), Buffer.from(sealOf(key, body), "hex")];
  return said.length === right.length && timingSafeEqual(said, right) ? jsonIn(body) : undefined;
}

export function readSealed(file: string): unknown {
  try {
    return unsealed(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

const sealOf = (key: Buffer, body: string) => createHmac("sha256", key).update(body).digest("hex");

const keyBytes = 32;

function ownKey(): Buffer | undefined {
  const folder = join(process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config"), "heddle");
  const file = join(folder, "seal.key");
  try {
    return readKey(file) ?? makeKey(folder, file);
  } catch {
    return undefined;
  }
}

function readKey(file: string): Buffer | undefined {
  try {
    const key = readFileSync(file);
    return key.length === keyBytes ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Two who make it at once end with the same one. */
function makeKey(folder: string, file: string): Buffer | undefined {
  mkdirSync(folder, { recursive: true });
  const fresh = `${file}.${process.pid}.new`;
  try {
    writeFileSync(fresh, randomBytes(keyBytes), { mode: 0o600 });
    linkSync(fresh, file);
  } catch {
    // Somebody was faster.
  } finally {
    rmSync(fresh, { force: true });
  }
  return readKey(file);
}
