// The difference between two texts as a unified diff, good enough to read and to apply: the lines that both have at
// the beginning and at the end are taken off, and the longest common part is looked for in between.
const around = 3;
const most = 2000;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

export function unifiedDiff(file: string, before: string | null, after: string): string {
  const head = `--- ${before === null ? "/dev/null" : `a/${file}`}\n+++ b/${file}\n`;
  const lines = compare(linesOf(before ?? ""), linesOf(after));
  return head + hunks(lines).join("");
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : `${text}\n\\ No newline at end of file`).split(
    /\n(?!\\ No newline)/,
  );
}

function compare(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const same = (text: string): Line => ({ mark: " ", text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, endA), b.slice(start, endB)),
    ...a.slice(endA).map(same),
  ];
}

function middle(a: readonly string[], b: readonly string[]): Line[] {
  const gone = a.map((text): Line => ({ mark: "-", text }));
  const come = b.map((text): Line => ({ mark: "+", text }));
  if (a.length === 0 || b.length === 0 || a.length * b.length > most * most) return [...gone, ...come];
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--)
    for (let column = b.length - 1; column >= 0; column--) {
      const line = lengths[row];
      if (line)
        line[column] =
          a[row] === b[column]
            ? at(row + 1, column + 1) + 1
            : Math.max(at(row + 1, column), at(row, column + 1));
    }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < a.length && column < b.length) {
    if (a[row] === b[column]) {
      lines.push({ mark: " ", text: a[row++] ?? "" });
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) lines.push({ mark: "-", text: a[row++] ?? "" });
    else lines.push({ mark: "+", text: b[column++] ?? "" });
  }
  return [...lines, ...gone.slice(row), ...come.slice(column)];
}

function hunks(lines: readonly Line[]): string[] {
  const moved = lines.flatMap(({ mark }, at) => (mark === " " ? [] : [at]));
  const groups: { from: number; to: number }[] = [];
  for (const at of moved) {
    const last = groups.at(-1);
    if (last && at - last.to <= around * 2) last.to = at;
    else groups.push({ from: at, to: at });
  }
  return groups.map(({ from, to }) =>
    hunk(lines, Math.max(0, from - around), Math.min(lines.length, to + around + 1)),
  );
}

function hunk(lines: readonly Line[], from: number, to: number): string {
  const count = (part: readonly Line[], mark: "-" | "+") => part.filter((line) => line.mark !== mark).length;
  const [before, part] = [lines.slice(0, from), lines.slice(from, to)];
  const place = (mark: "-" | "+") => {
    const size = count(part, mark);
    return `${count(before, mark) + (size === 0 ? 0 : 1)},${size}`;
  };
  return `@@ -${place("+")} +${place("-")} @@\n${part.map(({ mark, text }) => `${mark}${text}\n`).join("")}`;
}
