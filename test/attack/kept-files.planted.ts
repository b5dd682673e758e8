// Each takes away one of the things that keep a person's files.
import type { Planted } from "./planted.ts";

const file = "kept-files.attack.ts";

export const planted: readonly Planted[] = [
  {
    name: "what a rollback takes away is deleted",
    file: "src/host/copies.ts",
    from: "takeAside(file, freeName(join(place, path)));",
    to: 'process.getBuiltinModule("node:fs").rmSync(file, { recursive: true, force: true }); void takeAside;',
    caughtBy: [file, "fail-task takes a declared folder back"],
  },
  {
    name: "a declared folder counts as nothing",
    file: "src/host/copies.ts",
    from: "statusOf(found.file)?.isDirectory() ? listFolder(found.file, skip) : undefined;",
    to: "statusOf(found.file)?.isFIFO() ? listFolder(found.file, skip) : undefined;",
    caughtBy: [file, "fail-task takes a declared folder back"],
  },
  {
    name: "a folder of any size is copied",
    file: "src/host/copied-folder.ts",
    from: "const mostFiles = 5_000;",
    to: "const mostFiles = 50_000;",
    caughtBy: [file, "too large to be copied"],
  },
  {
    name: "what was at its place is not compared again",
    file: "src/host/land/place-files.ts",
    from: "if (!stat?.isFile() || String(stat.size) !== was.size) return false;",
    to: "if (stat?.isFile()) return true;",
    caughtBy: [file, "land: when somebody saves in place before it is replaced"],
  },
  {
    name: "the new file replaces whatever has come meanwhile",
    file: "src/host/aside.ts",
    from: 'if (code === "EEXIST") return false;\n    if (code === "ENOENT"',
    to: 'if (code === "EEXIST") { renameSync(from, to); return true; }\n    if (code === "ENOENT"',
    caughtBy: [file, "land: when somebody saves while its place is empty"],
  },
];
