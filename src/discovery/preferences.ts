// What people have written down for agents (D13): instructions of the target, and the user's own for every project.
// A file of the target is untrusted and may only lead to another file of the target; the user's own may be links, as
// dotfiles often are. The digest is of the whole file, the text may be cut.
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { textDigest } from "../host/digest.ts";
import { plainLines } from "./plain.ts";
import { type Head, type Refusal, readHead, textOf } from "./read-inside.ts";

export interface Preference {
  readonly scope: "project" | "user";
  /** Absolute. */
  readonly path: string;
  /** Further paths with the same content: `AGENTS.md` is often a link to `CLAUDE.md`. */
  readonly also: readonly string[];
  /** Nothing when the file is there but is not read; `unread` says why, and `text` is empty. */
  readonly sha256: string | null;
  readonly bytes: number;
  readonly text: string;
  readonly cut: boolean;
  readonly unread: Refusal | null;
}

export type Preferences = readonly Preference[];

const ofProject = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/CLAUDE.md"];
const ofUser = [".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md", ".config/opencode/AGENTS.md"];

const maxFileBytes = 1024 * 1024;
const maxTextBytes = 32 * 1024;

/** The target's own first. A file that is not there is not in the list. */
export function userPreferences({ target, home }: { target: string; home: string }): Preferences {
  const places = [
    ...ofProject.map((name) => ({
      scope: "project" as const,
      path: resolve(target, name),
      head: inside(target, name),
    })),
    ...ofUser.map((name) => ({
      scope: "user" as const,
      path: resolve(home, name),
      head: anywhere(join(home, name)),
    })),
  ];
  const files: Preference[] = [];
  for (const place of places.filter(({ head }) => head !== "missing")) {
    const found = preference(place);
    const same = files.findIndex(
      ({ scope, sha256 }) => scope === found.scope && sha256 !== null && sha256 === found.sha256,
    );
    const before = files[same];
    if (before === undefined) files.push(found);
    else files[same] = { ...before, also: [...before.also, found.path] };
  }
  return files;
}

function inside(target: string, name: string): Head | Refusal {
  try {
    return readHead(realpathSync(target), name, maxFileBytes);
  } catch {
    return "missing";
  }
}

function anywhere(path: string): Head | Refusal {
  try {
    const real = realpathSync(path);
    return readHead(dirname(real), basename(real), maxFileBytes);
  } catch {
    return "missing";
  }
}

function preference(place: { scope: Preference["scope"]; path: string; head: Head | Refusal }): Preference {
  const { scope, path, head } = place;
  const file = { scope, path, also: [], sha256: null, text: "", cut: false };
  if (typeof head === "string") return { ...file, bytes: 0, unread: head };
  const bytes = head.size;
  if (bytes > maxFileBytes) return { ...file, bytes, unread: "too large" };
  const whole = textOf(head.bytes);
  if (whole === undefined) return { ...file, bytes, unread: "binary" };
  const cut = head.bytes.length > maxTextBytes;
  const text = plainLines(cut ? `${whole.slice(0, maxTextBytes)}\n` : whole);
  return { ...file, bytes, sha256: textDigest(head.bytes), text, cut, unread: null };
}
