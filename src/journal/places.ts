// Places inside the project, as the journal keeps them: never by the project's own place, so that a project that was moved or
// copied is still whole. A run's folders are kept relative to the root; in every other text the root is written
// `%project%`. In memory and in every view places are absolute.
import { realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { Entry } from "../core/fact.ts";

interface Placed {
  readonly targetDir: string;
  readonly planningDir: string;
}

/** Undefined for journals that belong to no directory: then paths are kept as they are. */
export type Root = string | undefined;

export function kept<T extends Placed>(placed: T, root: Root): T {
  return moved(placed, (path) => (root === undefined ? path : inside(root, path)));
}

export function found<T extends Placed>(placed: T, root: Root): T {
  return moved(placed, (path) =>
    root === undefined || path === "" || isAbsolute(path) ? path : join(root, path),
  );
}

export function foundEntry(entry: Entry, root: Root): Entry {
  return entry.fact.kind === "run-created" ? { ...entry, fact: found(entry.fact, root) } : entry;
}

function moved<T extends Placed>(placed: T, move: (path: string) => string): T {
  return { ...placed, targetDir: move(placed.targetDir), planningDir: move(placed.planningDir) };
}

function inside(root: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const from = relative(root, path);
  if (from === "") return ".";
  return from === ".." || from.startsWith("../") ? path : from;
}

/** The first format whose texts name the project by its mark; what was written before has full paths. */
const markedSince = 5;

/** Between what is meant and the JSON that is stored. What was kept and found again names what it named. */
export interface Keeping {
  /** With the value as it will be found again: a place may have been named by another way to it. */
  readonly kept: <T extends object>(value: T) => { readonly json: string; readonly value: T };
  /** `value`: what was parsed from `json`; `format`: that of the fact or the record. */
  readonly found: <T extends object>(json: string, value: T, format?: number) => T;
}

const mark = "%project%";
const marked = "%project";
/** A text may hold the mark itself: one colon more tells it apart. */
const marks = /%project(:*)%/g;

export function keeping(root: Root): Keeping {
  const names = root === undefined || root === "/" ? [] : namesOf(root);
  const needles = [...names.map((name) => JSON.stringify(name).slice(1, -1)), marked];
  const places = names.map((name) => `(?<![\\w.~-])${literally(name)}(?![\\w-]|\\.\\w)`);
  const pattern = new RegExp([...places, marks.source].join("|"), "g");
  const keep = (text: string) =>
    text.replace(pattern, (all, colons?: string) => (colons === undefined ? mark : `${all.slice(0, -1)}:%`));
  const find = (text: string) =>
    text.replace(marks, (all, colons: string) => (colons === "" ? (root ?? all) : `${all.slice(0, -2)}%`));
  const rebase = (text: string) => (root === undefined ? text : rebased(text, root));
  return {
    kept: (value) => {
      const json = JSON.stringify(value);
      if (!needles.some((needle) => json.includes(needle))) return { json, value };
      const stored = inStrings(value, keep);
      return { json: JSON.stringify(stored), value: inStrings(stored, find) };
    },
    found: (json, value, format = markedSince) => {
      if (format < markedSince) return ownFolder.test(json) ? inStrings(value, rebase) : value;
      return json.includes(marked) ? inStrings(value, find) : value;
    },
  };
}

/** By its name, and by the one that links on the way lead to. */
function namesOf(root: string): string[] {
  try {
    return [...new Set([root, realpathSync(root)])].sort((a, b) => b.length - a.length);
  } catch {
    return [root];
  }
}

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

function inStrings<T>(value: T, change: (text: string) => string): T {
  const changed = (each: unknown): unknown => {
    if (typeof each === "string") return change(each);
    if (Array.isArray(each)) return each.map(changed);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, own]) => [key, changed(own)]));
  };
  return changed(value) as T;
}

const ownFolder = /\/(?:\.heddle|project-planning|\.meta)\//;
const ownNames = ["/.heddle/", "/project-planning/", "/.meta/"];

/**
 * Facts of earlier formats name files of heddle's own in full, by the place where the project was then. From the folder on
 * that heddle made in the project they are the same wherever it lies.
 */
function rebased(text: string, root: string): string {
  const at = Math.max(...ownNames.map((name) => text.lastIndexOf(name)));
  const isPath = at >= 0 && text.startsWith("/") && !text.includes("\n");
  return isPath && !text.endsWith("/") ? join(root, text.slice(at + 1)) : text;
}
