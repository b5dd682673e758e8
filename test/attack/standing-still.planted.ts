import type { Planted } from "./planted.ts";

const attack = "standing-still.attack.ts";

export const planted: readonly Planted[] = [
  {
    name: "a turn that never ends",
    file: "src/host/turns.ts",
    from: "performance.now() >= endsAt",
    to: "performance.now() >= endsAt + 1e9",
    caughtBy: [attack, "G10 sees what is gone"],
  },
  {
    name: "an index read in one go",
    file: "src/host/git/index-file.ts",
    from: "if (isTurnOver()) await nextTurn();",
    to: "",
    caughtBy: [attack, "G10 reads an index of 120,000 files"],
  },
  {
    name: "everybody's turn at once",
    file: "src/host/turns.ts",
    from: "waiting.shift()?.();",
    to: "for (const next of waiting.splice(0)) next();",
    caughtBy: [attack, "G10 lets many that work at once take turns"],
  },
  {
    name: "a folder listed and looked through in one go",
    file: "src/host/git/work-files.ts",
    from: "      if (isTurnOver()) await nextTurn();\n      const wrong = lookAtEntry",
    to: "      const wrong = lookAtEntry",
    caughtBy: [attack, "G10 looks through one folder"],
  },
  {
    name: "a clean room removed in one go",
    file: "src/host/remove-tree.ts",
    from: "  if (!(await unlinked(root))) await removeFolder(root);",
    to: '  process.getBuiltinModule("node:fs").rmSync(path, { recursive: true, force: true });',
    caughtBy: [attack, "G10 executes on a repository of 12,000 files"],
  },
  {
    name: "paths that are too long for a system call",
    file: "src/host/remove-tree.ts",
    from: "const longPath = 2_000;",
    to: "const longPath = 2_000_000;",
    caughtBy: [attack, "G10 goes without the loop standing still"],
  },
  {
    name: "a large file digested in one go",
    file: "src/host/digest.ts",
    from: "stat.size <= smallBytes",
    to: "stat.size > 0",
    caughtBy: [attack, "G10 takes the digest of a file of 600 MB"],
  },
  {
    name: "a file opened for every line that an agent prints",
    file: "src/host/gathered.ts",
    from: "if (this.#text.length > mostCharacters) this.#write();",
    to: "this.#write();",
    caughtBy: [attack, "G10 writes what an agent prints in one turn"],
  },
  {
    name: "changes counted in one go",
    file: "src/host/git/changes.ts",
    from: "await inTurns(fieldsOf(out), (field) => {",
    to: "[...fieldsOf(out)].forEach((field) => {",
    caughtBy: [attack, "G10 sees what is gone"],
  },
];
