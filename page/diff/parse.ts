// A unified diff as git, or another program, writes it, as files, hunks and lines with their numbers on both sides. Pure; takes any text, and
// what it does not know it shows as it is.

export interface DiffLine {
  readonly kind: "added" | "removed" | "same" | "note";
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
}

export interface Hunk {
  readonly head: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  readonly path: string;
  /** Of a file that was renamed. */
  readonly from: string | null;
  readonly how: "changed" | "added" | "removed" | "renamed" | "binary";
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

type Draft = { -readonly [K in keyof Omit<DiffFile, "hunks">]: DiffFile[K] } & {
  hunks: { head: string; lines: DiffLine[] }[];
};

export function parseDiff(text: string): DiffFile[] {
  const files: Draft[] = [];
  let left = { before: 0, after: 0 };
  let at = { before: 0, after: 0 };
  for (const line of withoutLastBreak(text).split("\n")) {
    const file = files.at(-1);
    const hunk = file?.hunks.at(-1);
    const inside = hunk !== undefined && (left.before > 0 || left.after > 0);
    if (!inside && line.startsWith("diff --git ")) files.push(begun(line));
    else if (!inside && line.startsWith("--- ") && file?.hunks.length !== 0) files.push(beginning(line));
    else if (!file) continue;
    else if (!inside && line.startsWith("@@")) {
      const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)/.exec(line);
      at = { before: Number(found?.[1] ?? 1), after: Number(found?.[3] ?? 1) };
      left = { before: Number(found?.[2] ?? 1), after: Number(found?.[4] ?? 1) };
      file.hunks.push({ head: line, lines: [] });
    } else if (hunk && (inside || line.startsWith("\\"))) {
      const given = lineOf(line, at);
      hunk.lines.push(given);
      if (given.kind === "added") file.added++;
      if (given.kind === "removed") file.removed++;
      if (given.before !== null) [at.before, left.before] = [at.before + 1, left.before - 1];
      if (given.after !== null) [at.after, left.after] = [at.after + 1, left.after - 1];
    } else header(file, line);
  }
  return files;
}

const withoutLastBreak = (text: string) => (text.endsWith("\n") ? text.slice(0, -1) : text);

function begun(line: string): Draft {
  const rest = line.slice("diff --git ".length);
  const path = /(?:^|\s)"?b\/(.*?)"?$/.exec(rest)?.[1] ?? rest;
  return { path, from: null, how: "changed", added: 0, removed: 0, hunks: [] };
}

/** A file of a diff that another program than git wrote. */
const beginning = (line: string): Draft => ({
  ...{ path: line.slice(4), from: null, how: line === "--- /dev/null" ? "added" : "changed" },
  ...{ added: 0, removed: 0, hunks: [] },
});

/** The lines between `diff --git` and the first hunk. */
function header(file: Draft, line: string): void {
  if (line.startsWith("new file")) file.how = "added";
  else if (line.startsWith("deleted file")) file.how = "removed";
  else if (line.startsWith("rename from ")) [file.how, file.from] = ["renamed", line.slice(12)];
  else if (line.startsWith("rename to ")) file.path = line.slice(10);
  else if (/^Binary files |^GIT binary patch/.test(line)) file.how = "binary";
  else if (line.startsWith("+++ b/")) file.path = line.slice(6).replace(/\t$/, "");
}

function lineOf(line: string, at: { readonly before: number; readonly after: number }): DiffLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", text, before: null, after: at.after };
  if (line.startsWith("-")) return { kind: "removed", text, before: at.before, after: null };
  if (line.startsWith("\\")) return { kind: "note", text: line.slice(2), before: null, after: null };
  return { kind: "same", text, before: at.before, after: at.after };
}

export interface Pair {
  readonly before: DiffLine | null;
  readonly after: DiffLine | null;
}

/** Side by side: what was removed beside what was added in its place. */
export function pairs(lines: readonly DiffLine[]): Pair[] {
  const found: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      found.push({ before: removed[at] ?? null, after: added[at] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed" && added.length > 0) flush();
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      found.push({ before: line, after: line });
    }
  }
  flush();
  return found;
}
