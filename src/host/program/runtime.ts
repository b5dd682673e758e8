// What a box must show so that `node` and `npm` are in it: the program, its packages, its headers, and the links by which
// they are called. Nothing beside them: Node may lie in `~/.local`, next to a person's keys and histories. The same for toolchains
// that people install into their home, whose programs the project's own commands call.
import { readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Environment } from "./environment.ts";
import { isWithin } from "./mounts.ts";

/** Node's own commands, looked for along the whole PATH; beside Node itself, whatever leads to one of its packages. */
const commands = ["node", "npm", "npx", "corepack"];

/** For the Node that runs heddle, unless it lies in /usr, which every box has. */
export function ownRuntime(executable = process.execPath, searchPath = process.env.PATH ?? ""): string[] {
  const program = realpathSync(executable);
  if (isWithin("/usr", program)) return [];
  const bin = dirname(program);
  const installation = basename(bin) === "bin" ? dirname(bin) : undefined;
  const parts = installation === undefined ? [] : ["lib/node_modules", "include/node"];
  const folders = parts.map((part) => join(installation as string, part)).filter(isFolder);
  const shown = [program, ...folders];
  const elsewhere = searchPath.split(":").filter((folder) => folder.startsWith("/") && folder !== bin);
  const names = [
    ...namesIn(bin).map((name) => join(bin, name)),
    ...elsewhere.flatMap((folder) => commands.map((name) => join(folder, name))),
  ];
  return [...shown, ...names.filter((name) => !isWithin("/usr", name) && leadsTo(name, shown))];
}

interface Toolchain {
  /** Folders and files of programs alone, from the home: never one that also holds a person's tokens (`~/.cargo`). */
  readonly parts: readonly string[];
  /** Says where the first part is, to programs that would look for it in a home. */
  readonly variable?: string;
}

const toolchains: readonly Toolchain[] = [
  { parts: [".rustup", ".cargo/bin"], variable: "RUSTUP_HOME" },
  { parts: [".pyenv"], variable: "PYENV_ROOT" },
  { parts: [".rbenv"], variable: "RBENV_ROOT" },
  { parts: [".local/share/uv/python", ".local/bin/uv", ".local/bin/uvx"], variable: "UV_PYTHON_INSTALL_DIR" },
  { parts: [".sdkman/candidates"] },
  { parts: ["go/bin", "sdk"] },
  { parts: [".bun/bin"] },
  { parts: [".deno/bin"] },
];

/** Those whose programs are called by the person's PATH. */
export function ownToolchains(
  home = homedir(),
  env: NodeJS.ProcessEnv = process.env,
): { readonly readable: readonly string[]; readonly set: Environment } {
  const onPath = (env.PATH ?? "").split(":").filter((folder) => isWithin(home, folder));
  const used = toolchains.filter(({ parts }) =>
    parts.some((part) =>
      onPath.some((folder) => isWithin(join(home, part), folder) || dirname(join(home, part)) === folder),
    ),
  );
  const placeOf = ({ parts: [first = ""], variable }: Toolchain) =>
    (variable === undefined ? undefined : env[variable]) ?? join(home, first);
  const all = used.flatMap((each) => [placeOf(each), ...each.parts.slice(1).map((part) => join(home, part))]);
  const named = used.flatMap((each) => (each.variable ? [[each.variable, placeOf(each)] as const] : []));
  return {
    readable: all.filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined),
    set: Object.fromEntries(named.filter(([, place]) => isFolder(place))),
  };
}

/** A container has the toolchains of its image; every other box, and a program without one, those of the person. */
export function toolchainsIn(box: "container" | "bubblewrap" | "seatbelt" | undefined) {
  return box === "container" ? { readable: [], set: {} } : ownToolchains();
}

/** A link that `mounts.ts` makes again, because what it leads to is shown. */
function leadsTo(path: string, shown: readonly string[]): boolean {
  try {
    const real = realpathSync(path);
    return real !== path && shown.some((each) => isWithin(each, real));
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
