// Planted bugs of the box: what it shows, lets through, and lets a program take.
import type { Planted } from "./planted.ts";

export const planted: readonly Planted[] = [
  {
    name: "all of the folder in which Node was installed is shown",
    file: "src/host/program/runtime.ts",
    from: "const shown = [program, ...folders];",
    to: "const shown = [program, ...folders, ...(installation === undefined ? [] : [installation])];",
    caughtBy: ["walls.attack.ts", "brings Node and npm into the box"],
  },
  {
    name: "what lies around an agent's program is taken for its package",
    file: "src/agents/find-native.ts",
    from: 'native.includes("/node_modules/") && folder',
    to: "folder",
    caughtBy: ["walls.attack.ts", "an agent's program in ~/.local/bin"],
  },
  {
    name: "heddle's own folder is shown with the target",
    file: "src/agents/program.ts",
    from: "hidden: [...hidden, ...given",
    to: "hidden: [...hidden.slice(1), ...given",
    caughtBy: ["walls.attack.ts", "sees nothing of heddle's own folder"],
  },
  {
    name: "what is left keeps its set-user-id bits",
    file: "src/host/program/run.ts",
    from: "await dropSetIds(this.#spec.leaves ?? []);",
    to: "await dropSetIds([]);",
    caughtBy: ["walls.attack.ts", "none is left in a workspace"],
  },
  {
    name: "folders that others can enter stay so",
    file: "src/host/files.ts",
    from: "(mode & 0o077) !== 0 &&",
    to: "(mode & 0o077) === 0o777 &&",
    caughtBy: ["walls.attack.ts", "closed to others with the next run"],
  },
  {
    name: "no system call is denied",
    file: "src/host/box/bubblewrap-options.ts",
    from: "    filter: callFilter(),",
    to: "    filter: undefined,",
    caughtBy: ["syscalls.attack.ts", "is not known, so that programs find another way"],
  },
  {
    name: "x32 is a way around",
    file: "src/host/program/seccomp.ts",
    from: 'processor === "x64" ? when',
    to: 'processor === "x32" ? when',
    caughtBy: ["syscalls.attack.ts", "calls of x32, of 32 bits and of another processor"],
  },
  {
    name: "32-bit calls are a way around",
    file: "src/host/program/seccomp.ts",
    from: "...unless([jumpIfEqual, arch], ended),",
    to: "...unless([jumpIfEqual, arch], allowed),",
    caughtBy: ["syscalls.attack.ts", "a program made for 32 bits"],
  },
  {
    name: "the list of keys is readable",
    file: "src/host/box/bubblewrap-mounts.ts",
    from: '["keys", "key-users", ',
    to: "[",
    caughtBy: ["syscalls.attack.ts", "keys are neither listed nor found"],
  },
  {
    name: "files in memory are not counted",
    file: "src/host/program/usage.ts",
    from: "Math.max(shared, filesIn(box) + namelessIn(folders))",
    to: "Math.max(shared, namelessIn(folders))",
    caughtBy: ["box-sizes.attack.ts", "files of /tmp, /var/tmp and /dev/shm"],
  },
  {
    name: "processes are not counted",
    file: "src/host/program/limits.ts",
    from: "usage.processes > most ||",
    to: "usage.processes < 0 ||",
    caughtBy: ["box-sizes.attack.ts", "too many processes end the program"],
  },
];
