// What each defence of `handed-in.attack.ts` is there for.
import type { Planted } from "./planted.ts";

const file = "src/host/handed-in.ts";
const by = (title: string) => ["handed-in", title] as const;

export const planted: readonly Planted[] = [
  {
    name: "a link at the end is followed",
    file,
    // Two things stand against it: the flag, and the look at where the open file is.
    from: 'O_NOFOLLOW | constants.O_NONBLOCK);\n    const wrong = fstatSync(fd).isFile() ? (isAt(fd, root, place) ? undefined : "outside") : "irregular";',
    to: 'O_NONBLOCK);\n    const wrong = fstatSync(fd).isFile() ? undefined : "irregular";',
    caughtBy: by("G9 a fixer that links to a file of the person's"),
  },
  {
    name: "links on the way are not looked for",
    file,
    from: '(isAt(fd, root, place) ? undefined : "outside")',
    to: "undefined",
    caughtBy: by("neither at its end nor on the way"),
  },
  {
    name: "a device is read",
    file,
    from: "fstatSync(fd).isFile() ?",
    to: "fd >= 0 ?",
    caughtBy: by("a pipe, a device, a folder"),
  },
  {
    name: "a file without end is read to its end",
    file: "src/agents/codex-rollout.ts",
    from: "const piece = { bytes: mostAtOnce, from: this.#at };",
    to: "const piece = { bytes: 2 ** 33, from: this.#at };",
    caughtBy: by("a rollout of a terabyte"),
  },
  {
    name: "an outbox may hold links",
    file: "src/work/take-output.ts",
    from: "if (!isPlainFolder(from))",
    to: "if (false)",
    caughtBy: by("a role's outbox with links"),
  },
  {
    name: "the file aside is written through a link",
    file: "src/host/files.ts",
    from: "    writeNew(aside, text);",
    to: "    writeFileSync(aside, text);",
    caughtBy: by("a link under the name that heddle writes aside"),
  },
  {
    name: "a log is appended to through a link",
    file: "src/host/files.ts",
    from: "if (stat?.isSymbolicLink() || stat?.isFIFO()) rmSync(path, { force: true });",
    to: "",
    caughtBy: by("a link under the name that heddle writes aside"),
  },
  {
    name: "a conversation's name is written into the agent's home",
    file: "src/agents/acp.ts",
    from: "replaceFile(noteIn(order), session.slice(0, 1024))",
    to: 'process.getBuiltinModule("node:fs").writeFileSync(join(order.workspace.home, ".heddle-session"), session)',
    caughtBy: by("an agent that names its conversation"),
  },
  {
    name: "a home is removed on the main thread",
    file: "src/work/given/agent-home.ts",
    from: "await removeTree(home);",
    to: 'process.getBuiltinModule("node:fs").rmSync(home, { recursive: true, force: true });',
    caughtBy: by("a home that is deep, crowded and read-only"),
  },
];
