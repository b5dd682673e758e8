// What the attacks on evidence must notice: each takes one defence of `judging.attack.ts` out.
import type { Planted } from "./planted.ts";

const refusal = ["judging", "is refused for what it does not declare"] as const;
const anyScope = ["judging", "with scope any"] as const;
const fresh = ["judging", "finds the tree as the checkout left it"] as const;
const empty = ["judging", "that ran no tests is no evidence"] as const;

export const planted: readonly Planted[] = [
  {
    name: "a task may change how it is judged",
    file: "src/work/see-work.ts",
    from: "if (refused.length > 0) return judging(refused);",
    to: "",
    caughtBy: refusal,
  },
  {
    name: "a module may stand in for one of Python's",
    file: "src/work/evidence/judged-by.ts",
    from: "if (!pythonModules.has(module)) return undefined;",
    to: "return undefined;",
    caughtBy: refusal,
  },
  {
    name: "a new test may end the runner",
    file: "src/work/evidence/judged-by.ts",
    from: "return found === undefined ? [] :",
    to: "return found !== undefined ? [] :",
    caughtBy: refusal,
  },
  {
    name: "a script of package.json changes nothing",
    file: "src/work/evidence/judged-by.ts",
    from: 'changed.includes("scripts") ?',
    to: 'changed.includes("nothing") ?',
    caughtBy: anyScope,
  },
  {
    name: "a test that was there before is anybody's",
    file: "src/work/evidence/judged-by.ts",
    from: "if (isTest(path)) return",
    to: "if (path === status) return",
    caughtBy: anyScope,
  },
  {
    name: "a declared change is not named",
    file: "src/core/meanings/attempt.ts",
    from: "task.evidence = { tree, checks, ...(judging && { judging }) };",
    to: "task.evidence = { tree, checks };",
    caughtBy: ["judging", "what it declares is named"],
  },
  {
    name: "all commands share a room",
    file: "src/work/evidence/clean-room.ts",
    from: "if (this.#seal && (await putBack(this.files, this.#seal))) return undefined;",
    to: "if (this.#commands > 1) return undefined;",
    caughtBy: fresh,
  },
  {
    name: "a file is known by its modification time",
    file: "src/host/seal.ts",
    from: "`${ino} ${mode} ${ctimeNs} ${mtimeNs} ${size}`",
    to: "`${mode} ${mtimeNs}`",
    caughtBy: fresh,
  },
  {
    name: "what a command added stays",
    file: "src/host/seal.ts",
    from: "for (const path of added) await removeTree(`${folder}/${path}`);",
    to: "",
    caughtBy: fresh,
  },
  {
    name: "skipped tests count as run",
    file: "src/work/evidence/test-summaries.ts",
    from: "(?:skipped|todo|skip)",
    to: "(?:nothing)",
    caughtBy: empty,
  },
  {
    name: "a script that cannot fail counts",
    file: "src/work/evidence/no-tests.ts",
    from: "if (script !== undefined)",
    to: "if (script === command)",
    caughtBy: empty,
  },
  {
    name: "a summary that is only printed counts",
    file: "src/work/evidence/empty-script.ts",
    from: "if (program !== undefined) {",
    to: "if (program === text) {",
    caughtBy: empty,
  },
  {
    name: "a task without a command is begun",
    file: "src/orders/attempts.ts",
    from: "if (def.criteria.length === 0 &&",
    to: "if (def.criteria.length < 0 &&",
    caughtBy: ["judging", "imported without its file"],
  },
];
