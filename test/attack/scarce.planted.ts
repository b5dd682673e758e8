// Planted bugs of a machine that gives little, and of requests without bounds.
import type { Planted } from "./planted.ts";

const file = "scarce.attack.ts";

export const planted: readonly Planted[] = [
  {
    name: "nobody asks how many files may be open",
    file: "src/host/program/descriptors.ts",
    from: "if (allowed >= needed) return undefined;",
    to: "if (allowed >= 0) return undefined;",
    caughtBy: [file, "every command says so in one sentence"],
  },
  {
    name: "a request that is never finished keeps its place",
    file: "src/work/inside/door.ts",
    from: "setTimeout(() => socket.destroy(), patienceMs)",
    to: "setTimeout(() => socket.destroy(), patienceMs * 100)",
    caughtBy: [file, "one that trickles in"],
  },
];
