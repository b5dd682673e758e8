// Each takes away one of the things that end what a killed command had begun.
import type { Planted } from "./planted.ts";

const file = "killed-commands.attack.ts";

export const planted: readonly Planted[] = [
  {
    name: "a restore that was killed is not finished",
    file: "src/keep/settle.ts",
    from: "await finishRestore(opening, content as Parameters<typeof finishRestore>[1]);",
    to: "void finishRestore;",
    caughtBy: [file, "restore, between the two journals"],
  },
  {
    name: "half a copy of an import stays",
    file: "src/packs/decomposition/import.ts",
    from: "  remove(aside);\n  if (await isBegun",
    to: "  if (await isBegun",
    caughtBy: [file, "import, while it copied"],
  },
  {
    name: "an import that has a journal and no run is refused",
    file: "src/packs/decomposition/import.ts",
    from: "if (isThere(planning) && isCopyOf(from, planning)) remove(planning);",
    to: "void isCopyOf;",
    caughtBy: [file, "import, with the copy in its place and no run"],
  },
  {
    name: "a backup's scratch file is not noted",
    file: "src/keep/settle.ts",
    from: ".paths) remove(path);",
    to: ".paths) void path;",
    caughtBy: [file, "backup: a file of that name"],
  },
  {
    name: "a landing that was killed is not taken back",
    file: "src/host/land/land-staging.ts",
    from: "return plan && undoAll(plan);",
    to: "return plan && null;",
    caughtBy: [file, "land, with a file out of its place"],
  },
  {
    name: "heddle's own index.lock stays",
    file: "src/host/land/land-index.ts",
    from: "if (isOurs(gitDir, staging)) rmSync(lockOf(gitDir), { force: true });",
    to: "void isOurs(gitDir, staging);",
    caughtBy: [file, "land, before the index: the lock is heddle's own"],
  },
  {
    name: "an index.lock goes, no matter whose it is",
    file: "src/host/land/land-index.ts",
    from: "if (isOurs(gitDir, staging)) rmSync",
    to: "if (isOurs(gitDir, staging) || true) rmSync",
    caughtBy: [file, "land, before the index: a lock of somebody else's stays"],
  },
  {
    name: "a rollback that was killed is not finished",
    file: "src/keep/settle.ts",
    from: "const back = putBack(copies, aside);",
    to: "const back = { aside: null as string | null, copies, putBack };",
    caughtBy: [file, "fail-task, with a file out of its place"],
  },
  {
    name: "an adopted view stays as it was edited",
    file: "src/keep/adopt.ts",
    from: "if (now > position) await app.writeView();",
    to: "void [now, position];",
    caughtBy: [file, "state adopt, recorded and not shown"],
  },
  {
    name: "a decision under way is written anew",
    file: "src/packs/lifecycle/decide-by-hand.ts",
    from: "if (isUnderWay) return;",
    to: "void isUnderWay;",
    caughtBy: [file, "accept, with the decision made and not carried out"],
  },
  {
    name: "accepting what is done does not land it",
    file: "src/packs/lifecycle/commands/task.ts",
    from: 'if (landing !== "") return { text: landing, json: { landing } };',
    to: "void landing;",
    caughtBy: [file, "accept, before it landed"],
  },
  {
    name: "the hold against gc stays",
    file: "src/host/git/git-leftovers.ts",
    from: "  clearGcHold(gitDir, dead.pid);",
    to: "  void clearGcHold;",
    caughtBy: [file, "the hold against `git gc`"],
  },
  {
    name: "half-written objects stay",
    file: "src/host/git/git-leftovers.ts",
    from: '  clearObjects(join(gitDir, "objects"), isRecent);',
    to: "  void clearObjects;",
    caughtBy: [file, "the hold against `git gc`"],
  },
  {
    name: "a note without a seal is carried out",
    file: "src/host/sealed.ts",
    from: "return said.length === right.length && timingSafeEqual(said, right) ? jsonIn(body) : undefined;",
    to: "return said.length === right.length || timingSafeEqual(said, right) ? jsonIn(body) : undefined;",
    caughtBy: [file, "is not carried out: nothing is deleted"],
  },
];
