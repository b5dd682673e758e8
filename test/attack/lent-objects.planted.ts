// Planted bugs of `lent-objects.attack.ts`.
import type { Planted } from "./planted.ts";

const attack = "lent-objects.attack.ts";
const file = "src/host/git/lent-objects.ts";

export const planted: readonly Planted[] = [
  {
    name: "a workspace borrows the target's whole store",
    file: "src/host/git/workspace.ts",
    from: 'relative(join(gitDir, "objects"), lentFor(repo, base))',
    to: "repo.objects",
    caughtBy: [attack, "has no object of a stash"],
  },
  {
    name: "what was lent for a commit beside the base is built upon",
    file,
    from: "    if (!edge.includes(earlier) || !edge.every((commit) => known.has(commit))) continue;",
    to: "",
    caughtBy: [attack, "whichever was first"],
  },
  {
    name: "an old branch that was merged is taken for lent",
    file,
    from: " || !edge.every((commit) => known.has(commit))",
    to: "",
    caughtBy: [attack, "also over merges of old branches"],
  },
  {
    name: "objects are returned while a workspace uses them",
    file,
    from: "new Set([...used, ...",
    to: "new Set([...",
    caughtBy: [attack, "go with the last workspace"],
  },
];
