// Planted bugs of `programs.attack.ts`.
import type { Planted } from "./planted.ts";

const file = "src/host/program/programs.ts";

export const planted: readonly Planted[] = [
  {
    name: "a relative entry of the PATH is looked in",
    file,
    from: '    .filter((folder) => folder.startsWith("/"))\n    .map((folder) => join(folder, name))',
    to: "    .map((folder) => join(folder, name))",
    caughtBy: ["programs.attack.ts", "starts no program from the PATH entry"],
  },
  {
    name: "a target on the PATH is trusted",
    file,
    from: ".find((path) => isExecutable(path) && isTrusted(path));",
    to: ".find((path) => isExecutable(path));",
    caughtBy: ["programs.attack.ts", "that the PATH names whole"],
  },
  {
    name: "only the end of a link counts",
    file,
    from: "  const way = steps(path);",
    to: "  const way = [path];",
    caughtBy: ["programs.attack.ts", "that the PATH names whole"],
  },
  {
    name: "git is started by its bare name",
    file: "src/host/git/git.ts",
    from: 'const child = spawn(ownProgram("git"), argv, {',
    to: 'const child = spawn("git", argv, {',
    caughtBy: ["programs.attack.ts", "that the PATH names whole"],
  },
  {
    name: "the agent gets the person's PATH as it is",
    file: "src/work/carry.ts",
    from: "trustedPath()}`",
    to: 'process.env.PATH ?? ""}`',
    caughtBy: ["programs.attack.ts", "gives agents and checks no PATH"],
  },
];
