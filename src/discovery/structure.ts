// The folders and files of a target, three levels deep, in few lines: every folder of the first two levels has one, and
// names on it what lies in it, as far as a line goes.
import type { ProjectFiles } from "./project-files.ts";

const levels = 3;
const maxLines = 80;
const width = 110;

interface Node {
  readonly below: Map<string, Node>;
  /** Files in it, at any depth; a file has none below. */
  files: number;
  readonly isFile: boolean;
}

export function tree(files: ProjectFiles): string[] {
  const root: Node = { below: new Map(), files: 0, isFile: false };
  for (const path of files.paths) insert(root, path);
  for (const perFolder of [24, 16, 10, 6, 4, 2, 1]) {
    const lines = render(root, perFolder);
    if (lines.length <= maxLines) return lines;
  }
  const lines = render(root, 0);
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines - 1), `… ${lines.length - maxLines + 1} more folders`];
}

function insert(root: Node, path: string): void {
  let at = root;
  let start = 0;
  at.files++;
  for (let level = 0; level < levels; level++) {
    const cut = path.indexOf("/", start);
    const name = cut < 0 ? path.slice(start) : path.slice(start, cut);
    let next = at.below.get(name);
    if (next === undefined) {
      next = { below: new Map(), files: 0, isFile: cut < 0 };
      at.below.set(name, next);
    }
    if (cut < 0) return;
    next.files++;
    at = next;
    start = cut + 1;
  }
}

function render(root: Node, perFolder: number): string[] {
  const { folders, files } = partsOf(root);
  const lines = folders.flatMap(([name, node]) => {
    const inner = partsOf(node);
    const shown = inner.folders.slice(0, perFolder);
    const hidden = inner.folders.length - shown.length;
    return [
      line(`${name}/ (${node.files})`, inner.files),
      ...shown.map(([below, part]) => {
        const last = partsOf(part);
        return line(`  ${below}/ (${part.files})`, [
          ...last.folders.map(([each]) => `${each}/`),
          ...last.files,
        ]);
      }),
      ...(hidden > 0 ? [`  … ${hidden} more folders`] : []),
    ];
  });
  return files.length > 0 ? [...lines, line("./", files)] : lines;
}

function partsOf({ below }: Node): { folders: [string, Node][]; files: string[] } {
  const all = [...below].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    folders: all.filter(([, { isFile }]) => !isFile),
    files: all.filter(([, { isFile }]) => isFile).map(([name]) => name),
  };
}

function line(start: string, names: readonly string[]): string {
  let text = start;
  for (const [at, name] of names.entries()) {
    const next = at === 0 ? `${text}: ${name}` : `${text}, ${name}`;
    if (next.length > width) return `${text}${at === 0 ? ":" : ","} … ${names.length - at} more`;
    text = next;
  }
  return text;
}
