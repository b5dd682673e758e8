// Where an agent's program is. What lies on a PATH is a link to the program, or a script of an npm package that starts
// it; the program itself is wanted, because a script between would keep a signal from it.
import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { isWithin } from "../host/program/mounts.ts";
import { isExecutable, locate } from "../host/program/programs.ts";

export interface FoundProgram {
  readonly program: string;
  /** What it needs beside itself. */
  readonly readable: readonly string[];
}

/** An agent that comes as a program of its own, in an npm package that brings it for each platform. */
export interface NativeProgram {
  readonly title: string;
  readonly command: string;
  /** The npm package, with its scope. */
  readonly package: string;
  /** Where the program may lie inside the scope's folder. */
  readonly places: (platform: string, arch: string) => readonly string[];
}

export const claudeProgram: NativeProgram = {
  title: "Claude Code",
  command: "claude",
  package: "@anthropic-ai/claude-code",
  places: (platform, arch) => [
    `claude-code-${platform}-${arch}/claude`,
    `claude-code-${platform}-${arch}-musl/claude`,
  ],
};

const processors: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" };
const systems: Readonly<Record<string, string>> = { linux: "unknown-linux-musl", darwin: "apple-darwin" };

export const codexProgram: NativeProgram = {
  title: "Codex",
  command: "codex",
  package: "@openai/codex",
  places: (platform, arch) => {
    const target = `${processors[arch]}-${systems[platform]}`;
    return [
      `codex-${platform}-${arch}/vendor/${target}/bin/codex`,
      `codex-${platform}-${arch}/vendor/${target}/codex/codex`,
    ];
  },
};

/** `path` is what a person configured; without it the PATH is searched. */
export function findNative(
  wanted: NativeProgram,
  path: string | undefined,
  searchPath: string,
): FoundProgram | Problem {
  const { title, command } = wanted;
  const install = `npm install -g ${wanted.package}`;
  const found = path ?? locate(command, searchPath);
  if (found === undefined)
    return problem(`no-${command}`, `${title} (\`${command}\`) is not installed`, { hint: install });
  if (!isExecutable(found))
    return problem(`no-${command}`, `\`${found}\` is no program that can be started`, {
      hint: `"path" of the agent in .heddle/config.json, or ${install}`,
    });
  const real = realpathSync(found);
  if (isNative(real)) return { program: real, readable: [] };
  const native = nativeBeside(wanted, real);
  if (native !== undefined) return { program: native, readable: besides(native) };
  return { program: real, readable: around(real, found) };
}

/** Any program, by its path or along the PATH; a script of an npm package needs the packages around it. */
export function locateProgram(program: string): FoundProgram | undefined {
  const found = program.startsWith("/") ? program : locate(program, process.env.PATH ?? "");
  if (found === undefined || !isExecutable(found)) return undefined;
  const real = realpathSync(found);
  if (isNative(real)) return { program: real, readable: besides(real) };
  return { program: real, readable: around(real, found) };
}

/**
 * What a script needs beside itself: its packages, or the folder that an installer made for it and linked to from the
 * PATH. A script that lies among other things, in `~/bin` or in the project, is shown alone: what it needs besides is
 * `readable` in the agent's configuration.
 */
function around(real: string, found: string): string[] {
  const at = real.indexOf("/node_modules/");
  if (at >= 0) return [`${real.slice(0, at)}/node_modules`];
  const folder = dirname(real);
  const isInstalled = folder !== realpathSync(dirname(found)) && basename(folder) !== "bin";
  const isPeoples = [homedir(), process.cwd()].some((place) => isWithin(folder, place));
  return isInstalled && !isPeoples ? [folder] : [];
}

const magics = ["7f454c46", "cffaedfe", "cafebabe"];

function isNative(path: string): boolean {
  const start = Buffer.alloc(4);
  const file = openSync(path, "r");
  try {
    readSync(file, start, 0, 4, 0);
  } finally {
    closeSync(file);
  }
  return magics.includes(start.toString("hex"));
}

/** The npm package keeps the program in a package of its own for each platform. */
function nativeBeside(wanted: NativeProgram, script: string): string | undefined {
  const at = script.lastIndexOf(`/${wanted.package}/`);
  if (at < 0) return undefined;
  const modules = script.slice(0, at);
  const scope = dirname(wanted.package);
  return [join(modules, scope), join(modules, wanted.package, "node_modules", scope)]
    .flatMap((folder) => wanted.places(process.platform, process.arch).map((place) => join(folder, place)))
    .filter(isExecutable)
    .map((path) => realpathSync(path))
    .find(isNative);
}

/** A package that keeps further programs beside the one in `bin` needs them as well; `~/.local` is no package. */
function besides(native: string): string[] {
  const folder = dirname(native);
  return native.includes("/node_modules/") && folder.endsWith("/bin") ? [dirname(folder)] : [];
}
