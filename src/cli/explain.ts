// What went wrong, as problems and an exit code: the same for every surface (C14).

import { exits, Usage } from "../command/command.ts";
import { print } from "../command/out.ts";
import { Cancelled } from "../command/terminal/cancelled.ts";
import { type Problem, problem } from "../core/problem.ts";

export function explain(error: unknown): { problems: readonly Problem[]; exit: number } {
  if (error instanceof Usage) return { problems: [error.problem], exit: exits.usage };
  if (error instanceof Cancelled)
    return { problems: [problem("cancelled", "nothing was changed")], exit: exits.interrupted };
  if (error instanceof Error && "problems" in error) {
    const exit = "isDamage" in error ? exits.store : exits.refused;
    return { problems: error.problems as readonly Problem[], exit };
  }
  if (error instanceof Error && "problem" in error)
    return { problems: [error.problem as Problem], exit: exits.store };
  const { message = String(error), stack } = error as Error;
  if (process.env.HEDDLE_DEBUG && stack) print(stack, 2);
  const { code = "", path } = error as NodeJS.ErrnoException;
  if (Object.hasOwn(fileErrors, code)) return fileError(code, path);
  return {
    problems: [
      problem("bug", `heddle has a bug: ${message}`, {
        hint: "the journal is intact; HEDDLE_DEBUG=1 shows where, please report it",
      }),
    ],
    exit: exits.bug,
  };
}

/** What the file system may answer, as people say it. */
const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: "is not there",
  ENOTDIR: "goes through a file that is no directory",
  EISDIR: "is a directory",
  EEXIST: "is there already",
  EACCES: "may not be used by you",
  EPERM: "may not be changed by you",
  EROFS: "lies on a read-only disk",
  ENOSPC: "lies on a full disk",
  EDQUOT: "lies on a full disk",
  ENAMETOOLONG: "has too long a name",
  ELOOP: "goes round in links",
  EMFILE: "could not be opened: too many files are open",
  EIO: "could not be read or written: the disk failed",
  ENXIO: "is not a file",
};

function fileError(code: string, path: string | undefined): { problems: readonly Problem[]; exit: number } {
  const disk = ["EROFS", "ENOSPC", "EDQUOT", "EIO"].includes(code);
  const where = path === undefined ? "the current directory" : `\`${path}\``;
  return {
    problems: [problem("files", `${where} ${fileErrors[code]}`)],
    exit: disk ? exits.store : exits.refused,
  };
}
