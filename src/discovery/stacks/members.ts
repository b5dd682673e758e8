// Members of a monorepo: the folders that its globs mean. Globs come from a stranger, so they are matched segment by
// segment: `**` is any number of folders, a segment holds one `*` at most, and everything else is passed over.
import type { Workspace } from "../project-context.ts";
import type { Module } from "./module.ts";

const maxGlobs = 50;
const maxSegments = 8;
const maxSegmentLength = 80;
const maxMembers = 500;

type Segment = RegExp | "**";

export interface MemberQuestion {
  readonly globs: readonly string[];
  /** What a member must hold. */
  readonly manifest: RegExp;
  readonly tool: string;
}

export function membersOf(module: Module, { globs, manifest, tool }: MemberQuestion): Workspace[] {
  const wanted = patterns(globs.filter((glob) => !glob.startsWith("!")));
  const unwanted = patterns(globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)));
  if (wanted.length === 0) return [];
  const folders = new Set<string>();
  for (const path of module.paths()) {
    const cut = path.lastIndexOf("/");
    if (cut < 0 || folders.size >= maxMembers || !manifest.test(path.slice(cut + 1))) continue;
    const segments = path.slice(0, cut).split("/");
    if (segments.length > maxSegments) continue;
    const isMeant = (pattern: readonly Segment[]) => matches(pattern, segments);
    if (wanted.some(isMeant) && !unwanted.some(isMeant)) folders.add(path.slice(0, cut));
  }
  return [...folders].sort().map((folder) => ({ path: module.at(folder), tool }));
}

function patterns(globs: readonly string[]): Segment[][] {
  return globs.slice(0, maxGlobs).flatMap((glob) => {
    const parts = glob
      .replace(/^\.\//, "")
      .split("/")
      .filter((part) => part !== "");
    const isSimple =
      parts.length > 0 &&
      parts.length <= maxSegments &&
      parts.filter((part) => part === "**").length <= 2 &&
      parts.every((part) => part === "**" || (part.length <= maxSegmentLength && !/\*.*\*/.test(part)));
    return isSimple ? [parts.map(segment)] : [];
  });
}

function segment(part: string): Segment {
  if (part === "**") return "**";
  return new RegExp(`^${part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&").replace("*", ".*")}$`);
}

function matches(pattern: readonly Segment[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === "**") return matches(rest, path) || (path.length > 0 && matches(pattern, path.slice(1)));
  const [name, ...below] = path;
  return name !== undefined && first.test(name) && matches(rest, below);
}
