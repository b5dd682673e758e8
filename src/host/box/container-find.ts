// Whether a container can be a box here: the engine is found, the image is on this machine, and a program really runs in a
// box of it. Nothing is ever fetched: what is missing is said with the command that brings it.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonIn } from "../../core/json.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { passingFolders } from "../program/pipes.ts";
import { locate } from "../program/programs.ts";
import type { Container, FoundSandbox } from "../program/sandbox.ts";
import { discard, engineEnvironment, monitored, removeContainers } from "./container.ts";
import { abandoned, newName } from "./container-names.ts";
import { containerOptions, emptyFile, emptyFolder, sysFolder } from "./container-options.ts";
import { callProfile } from "./seccomp-profile.ts";

export interface ContainerWish {
  readonly image: string;
  /** podman, or docker where there is none. */
  readonly engine?: Container["engine"];
  /** Behind the engine's name, the command that builds it, for one that nobody could fetch. */
  readonly build?: string;
}

/** Never throws. Also clears away what a heddle that was killed left with the engine. */
export async function tryContainer(wish: ContainerWish, searchPath: string): Promise<FoundSandbox> {
  const engines = wish.engine ? [wish.engine] : (["podman", "docker"] as const);
  let said: Problem | undefined;
  for (const engine of engines) {
    const path = locate(engine, searchPath);
    if (path === undefined) continue;
    const found = await tryEngine({ engine, path }, wish);
    if (found.ok) return found;
    said ??= found.problem;
  }
  return { ok: false, problem: said ?? missing(engines) };
}

function missing(engines: readonly string[]): Problem {
  const names = engines.map((name) => `\`${name}\``).join(" nor ");
  return problem(
    "no-sandbox",
    `${engines.length > 1 ? "neither " : ""}${names} is ${engines.length > 1 ? "" : "not "}installed, so there is no container to work in`,
    {
      hint: `apt-get install ${engines[0]} (or dnf, pacman, apk add ${engines[0]})`,
    },
  );
}

type Engine = Pick<Container, "engine" | "path">;

const no = (message: string, hint: string, code: "no-sandbox" | "no-image" = "no-sandbox") => ({
  ...{ ok: false as const, problem: problem(code, message, { hint }) },
});

async function tryEngine({ engine, path }: Engine, { image, build }: ContainerWish): Promise<FoundSandbox> {
  if (process.platform !== "linux")
    return no(
      `containers are boxes on Linux alone: on ${process.platform} ${engine} runs in a machine of its own`,
      "say `unconfined` in .heddle/config.json if programs may see and change everything you can",
    );
  // Nothing that an engine could take for an option.
  if (image.startsWith("-")) return no(`\`${image}\` is not the name of an image`, `${engine} images`);
  const [{ version, isRootless, said }, withoutInner, inspected, before] = await Promise.all([
    aboutEngine({ engine, path }),
    withoutInnerOf({ engine, path }),
    answerOf(path, ["image", "inspect", image]),
    abandonedOf(path),
  ]);
  if (version === undefined)
    return no(`\`${path}\` is installed but does not work: ${said || "it says nothing"}`, `${engine} info`);
  if (inspected.code !== 0) {
    const message =
      build === undefined
        ? `the image \`${image}\` is not on this machine, and heddle fetches none`
        : "the image of devcontainer.json is not built on this machine, and heddle builds none";
    return no(message, `${engine} ${build ?? `pull ${image}`}`, "no-image");
  }
  const { Id: imageId = image, Config: { Env: variables = [] } = {} } = firstOf(inspected.said);
  const own = { user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 };
  const known = {
    ...{
      kind: "container" as const,
      engine,
      path,
      version,
      image,
      imageId,
      ids: own,
      ulimits: ulimits(),
      withoutInner,
    },
    imageVariables: (variables ?? []).map((each) => each.replace(/=.*/s, "")),
    user: userIn({ engine, isRootless }),
  };
  if (before.length > 0) await removeContainers(path, before);
  return tryBounds(known);
}

function userIn({ engine, isRootless }: { engine: string; isRootless: boolean }): Container["user"] {
  if (!isRootless) return "same";
  return engine === "podman" ? "mapped" : "root-is-person";
}

async function aboutEngine({ engine, path }: Engine) {
  const format =
    engine === "podman"
      ? "{{.Version.Version}} {{.Host.Security.Rootless}}"
      : "{{.ServerVersion}} {{.SecurityOptions}}";
  const { code, said } = await answerOf(path, ["info", "--format", format]);
  const [version, ...rest] = said.split(" ");
  const works = code === 0 && version !== undefined && /^\d/.test(version);
  return { version: works ? version : undefined, isRootless: /true|rootless/.test(rest.join(" ")), said };
}

/** The newer word is known from docker 25 on, where the older one puts warnings into what the program says. */
async function withoutInnerOf({ engine, path }: Engine): Promise<Container["withoutInner"]> {
  if (engine === "podman") return "bind-nonrecursive=true";
  const { said } = await answerOf(path, ["--version"]);
  const major = Number(/version (\d+)/i.exec(said)?.[1] ?? 0);
  return major >= 25 ? "bind-recursive=disabled" : "bind-nonrecursive=true";
}

interface Inspected {
  readonly Id?: string;
  readonly Config?: { readonly Env?: readonly string[] | null };
}

const firstOf = (text: string): Inspected => (jsonIn(text) as readonly Inspected[] | undefined)?.[0] ?? {};

/**
 * The engines would raise them above what this process may have; so programs get what it has, and no more processes than any
 * program may: podman itself goes down to what was once the kernel's most.
 */
function ulimits(): Container["ulimits"] {
  const limits = readFileSync("/proc/self/limits", "latin1");
  const of = (name: string, most: number) => {
    const [, ...both] = new RegExp(`^Max ${name}\\s+(\\S+)\\s+(\\S+)`, "m").exec(limits) ?? [];
    return both.map((each) => Math.min(each === "unlimited" ? most : Number(each), most)).join(":");
  };
  return { files: of("open files", 1_048_576), processes: of("processes", 32_768) };
}

const trial = '[ -x "$1" ] && exit 43; exit 42';

/** The strictest of the ways in which a program really runs. */
async function tryBounds(known: Omit<Container, "bounds" | "lacksNode">): Promise<FoundSandbox> {
  const control = mkdtempSync(passingFolders());
  try {
    writeFileSync(join(control, "seccomp.json"), callProfile());
    writeFileSync(join(control, emptyFile), "");
    mkdirSync(join(control, emptyFolder));
    mkdirSync(join(control, sysFolder), { recursive: true });
    let said = "";
    for (const bounds of known.engine === "podman"
      ? (["kernel", "watched", "none"] as const)
      : (["kernel", "watched"] as const)) {
      const container: Container = { ...known, bounds, lacksNode: true };
      const options = containerOptions({
        ...{ container, name: newName(), network: false, control, plan: [], tmpBytes: 1024 * 1024 },
        ...{ limits: { memoryBytes: 512 * 1024 * 1024 }, hasInput: false, marks: "" },
      });
      const script = options.indexOf("-c");
      const answer = await answerOf(known.path, [
        ...options.slice(0, script),
        "-c",
        trial,
        "trial",
        process.execPath,
      ]);
      // Without a share of the control groups podman warns, and sets none.
      if (bounds === "kernel" && /limit|cgroup/i.test(answer.said)) continue;
      if (answer.code === 42 || answer.code === 43)
        return { ok: true, ...container, lacksNode: answer.code === 42 };
      said = answer.said;
    }
    return no(
      `\`${known.path}\` cannot make a box of \`${known.image}\` here: ${said || "it says nothing"}`,
      `${known.engine} run --rm --network none ${known.image} /bin/sh -c true`,
    );
  } finally {
    discard(control);
  }
}

async function abandonedOf(path: string): Promise<string[]> {
  const { said } = await answerOf(path, [
    "ps",
    "--all",
    "--filter",
    "label=heddle.box",
    "--format",
    "{{.Names}}",
  ]);
  return abandoned([...said.split("\n"), ...monitored().map(([, name]) => name)]);
}

const patienceMs = 30_000;

function answerOf(path: string, args: readonly string[]): Promise<{ code: number | null; said: string }> {
  return new Promise((settle) => {
    const options = {
      env: engineEnvironment(),
      cwd: "/",
      timeout: patienceMs,
      killSignal: "SIGKILL",
      maxBuffer: 8 * 1024 * 1024,
    } as const;
    const child = execFile(path, [...args], options, (error, out, err) => {
      const said = error ? `${err}\n${out}`.trim() : out.trim();
      settle({
        code: error ? (child.exitCode ?? null) : 0,
        said: error && said === "" ? error.message : lastLine(said, error !== null),
      });
    });
  });
}

/** Of a failure the last line says most; engines warn before. */
const lastLine = (said: string, isFailure: boolean) => (isFailure ? (said.split("\n").at(-1) ?? "") : said);
