// Planted bugs of the attack with what agents print and leave behind.
import type { Planted } from "./planted.ts";

const file = "leftovers.attack.ts";

export const planted: readonly Planted[] = [
  {
    name: "tokens are added up without a bound",
    file: "src/core/bounds.ts",
    from: "return Math.min(Math.max(value, -mostNumber), mostNumber) + 0;",
    to: "return value;",
    caughtBy: [file, "C13 two lines of 1e308 tokens"],
  },
  {
    name: "folders that may not be written stay",
    file: "src/host/remove-tree.ts",
    from: 'if ((error as Failure).code !== "EACCES") throw error;',
    to: "if (error) throw error;",
    caughtBy: [file, "G5 folders that may not be written"],
  },
  {
    name: "a request that cannot be written down ends the orchestrator",
    file: "src/work/inside/door.ts",
    from: "    return await answer(of, line);",
    to: "    return answer(of, line);",
    caughtBy: [file, "G7 that cannot be written down"],
  },
];
