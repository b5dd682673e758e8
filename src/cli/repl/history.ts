// What was typed before, kept per project in `.heddle/repl-history`: one JSON string per entry, readable by its owner
// alone. Known secrets are taken out, lines that look like one and answers that were asked for are not kept at all.
import { appendFileSync, chmodSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { jsonIn } from "../../core/json.ts";
import { isThere, replaceFile } from "../../host/files.ts";
import { secretValues } from "../../host/program/environment.ts";
import { redactor } from "../../host/program/redact.ts";

const most = 1000;
/** What is longer was pasted, and is of no use a second time. */
const longest = 4000;

/** Tokens of the usual services, keys in armour, and values given to names that mean a secret. */
const secret =
  /\b(?:sk|pk|rk)-[\w-]{16,}|\bgh[pousr]_\w{16,}|\bgithub_pat_\w+|\bAKIA[A-Z0-9]{12,}|\bxox[abprs]-\S{10,}|\beyJ[\w-]{10,}\.[\w-]+|-----BEGIN [A-Z ]*PRIVATE KEY|(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|credential)s?["']?\s*[:=]\s*\S+/i;

const looksSecret = (text: string) => secret.test(text);

export class History {
  readonly #path: string;
  readonly #redact = redactor(secretValues(process.env)).text;
  #entries: string[];
  /** How far back the person has gone, and what was typed before that. */
  #back = 0;
  #draft = "";

  constructor(path: string) {
    this.#path = path;
    this.#entries = read(path);
  }

  /** A space in front keeps a line out of it, as in a shell. */
  add(text: string): void {
    this.#back = 0;
    if (text.trim() === "" || text.length > longest || /^\s/.test(text) || looksSecret(text)) return;
    const clean = this.#redact(text);
    if (clean === this.#entries.at(-1)) return;
    this.#entries = [...this.#entries, clean].slice(-most);
    if (!isThere(dirname(this.#path))) return;
    try {
      appendFileSync(this.#path, `${JSON.stringify(clean)}\n`, { mode: 0o600 });
    } catch {
      // A full or read-only disk costs nothing but the memory of this line.
    }
  }

  /** Undefined: there is nothing further. */
  go(by: -1 | 1, present: string): string | undefined {
    const back = this.#back - by;
    if (back < 0 || back > this.#entries.length) return undefined;
    if (this.#back === 0) this.#draft = present;
    this.#back = back;
    return back === 0 ? this.#draft : this.#entries.at(-back);
  }

  /** Something was typed: the next step back begins at the newest again. */
  stay(): void {
    this.#back = 0;
  }
}

function read(path: string): string[] {
  let lines: string[];
  try {
    lines = readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
  const entries = lines.flatMap(entryOf);
  if (entries.length <= 2 * most) return entries.slice(-most);
  const kept = entries.slice(-most);
  try {
    replaceFile(path, kept.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    chmodSync(path, 0o600);
  } catch {
    // It stays long, then.
  }
  return kept;
}

/** A line that was torn by a crash says nothing. */
function entryOf(line: string): string[] {
  const entry = jsonIn(line);
  return typeof entry === "string" ? [entry] : [];
}
