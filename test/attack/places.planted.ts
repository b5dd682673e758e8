// Planted bugs of the attack on places.
import type { Planted } from "./planted.ts";

const file = "places.attack.ts";

export const planted: readonly Planted[] = [
  {
    name: "a failure in a missing place is the work's own",
    file: "src/engine/world.ts",
    from: "return found === undefined ? outcome : withoutPlace(found);",
    to: "return outcome;",
    caughtBy: [file, "G7 goes on by itself when app/.git is back"],
  },
  {
    name: "a missing planning folder is made anew under a run at work",
    file: "src/engine/app.ts",
    from: "isAway(state, { isFolderUsable }) ? [] : [",
    to: "[",
    caughtBy: [file, "G7 makes no planning folder in the place of one that is away"],
  },
  {
    name: "a halt for a place needs a person's word",
    file: "src/orders/target-repository.ts",
    from: 'if (halt?.code !== "place") return;',
    to: "if (halt?.code !== undefined) return;",
    caughtBy: [file, "G7 ends with one sentence while app is missing"],
  },
  {
    name: "nobody waits for a place",
    file: "src/places/patience.ts",
    from: "const patienceMs = 10_000;",
    to: "const patienceMs = 0;",
    caughtBy: [file, "G7 goes on by itself when project-planning is back"],
  },
  {
    name: "a deleted branch is not made again",
    file: "src/work/merge.ts",
    from: "if (!isDeleted) return moved;",
    to: 'if (typeof isDeleted === "boolean") return moved;',
    caughtBy: [file, "G3 makes the branch again"],
  },
  {
    name: "any repository in the target's place will do",
    file: "src/orders/target-repository.ts",
    from: "if (tip !== undefined && !(await holdsCommit(repository, tip)))",
    to: "if (tip === repository.gitDir)",
    caughtBy: [file, "G3 never begins in another repository"],
  },
];
