// `npm run try-package`: what `npm pack` gives, as strangers meet it. It is installed with `npm install -g` on Node 20, 22, 24
// and 26, called by `npm exec` in an empty folder, linked and built again, and packed into one file that needs no Node.
// Each does one small task in a git repository, from the sentence to the merged commit. Its own command: a minute.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { binaryOf, ownTarget } from "../../scripts/binaries.ts";

const root = join(import.meta.dirname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "heddle-package-"));
/** Kept between calls: other Nodes are 50 MB each. */
const nodes = join(root, ".tmp/nodes");
const versions = ["20", "22", "24", "26"];

/** The agent: a shell script that does what it is asked, so no Node but heddle's own is needed. */
const agent = `#!/bin/sh
echo "hello from an agent" > greeting.txt
heddle state complete-task "$HEDDLE_TASK" --created greeting.txt
`;

/** How this machine reaches the registry; nothing else of its environment is passed on. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /proxy$|_ca_certs$|^ssl_cert|^npm_config_(?:registry|cafile)$/i.test(name),
  ),
);

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

function run(program: string, words: readonly string[], { cwd, env }: { cwd: string; env: object }): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd,
    env: { LANG: "C.UTF-8", ...network, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
  return { code: status, out: `${stdout}${stderr}${error?.message ?? ""}` };
}

let failed = 0;

function expectOf(what: string, { code, out }: Ran, wanted: RegExp): void {
  if (code === 0 && wanted.test(out)) return;
  failed++;
  console.log(`FAILED  ${what}: exit ${code}, and not ${wanted} in\n${out}`);
}

function timed(what: string, work: () => void): void {
  const [from, before] = [performance.now(), failed];
  work();
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  console.log(`${failed === before ? "ok" : "FAILED"}  ${what}, ${seconds} s`);
}

const found = (name: string) =>
  (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !folder.includes("/node_modules/"))
    .map((folder) => join(folder, name))
    .find(existsSync) ?? name;

/** A PATH with git and a shell's programs, and with this Node or none. */
function searchPath(name: string, node?: string): string {
  const folder = mkdtempSync(join(scratch, `${name}-path-`));
  const programs = ["sh", "git", "env", "cat", "echo", "test", "grep", "bwrap", "tar", "gzip"].map(found);
  for (const program of [...programs, ...(node === undefined ? [] : [node, found("npm"), found("npx")])])
    if (existsSync(program)) symlinkSync(program, join(folder, program.slice(dirname(program).length + 1)));
  return folder;
}

function nodeOf(version: string): string {
  const folder = join(nodes, version);
  const program = join(folder, `node_modules/node-${ownTarget}/bin/node`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const words = [
    "install",
    "--prefix",
    folder,
    "--no-save",
    "--no-package-lock",
    `node-${ownTarget}@${version}`,
  ];
  expectOf(`the registry's Node ${version}`, run("npm", words, { cwd: folder, env: process.env }), /added/);
  return program;
}

/** A person's repository, and the agent beside it. */
function repository(name: string, env: object): string {
  const folder = mkdtempSync(join(scratch, `${name}-`));
  writeFileSync(join(folder, "agent.sh"), agent);
  chmodSync(join(folder, "agent.sh"), 0o755);
  for (const words of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "Begin"],
  ])
    run("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], { cwd: folder, env });
  return folder;
}

/** From a sentence to a merged commit, and whatever else a newcomer types first. */
function tryOut(name: string, heddle: readonly string[], env: Readonly<Record<string, string>>): void {
  const [program = "", ...first] = heddle;
  const cwd = repository(name.replaceAll(" ", "-"), env);
  const call = (...words: string[]) => run(program, [...first, ...words], { cwd, env });
  expectOf(`${name} --version`, call("--version"), /^heddle \d/);
  expectOf(`${name} without a word`, call(), /heddle help COMMAND/);
  const words = ["run", "greet", "--check", "grep hello greeting.txt", "--agent", "command:./agent.sh"];
  expectOf(`${name} run`, call(...words, "--unconfined", "--land"), /landed/);
  expectOf(`${name} status`, call("status"), /complete/);
  expectOf(`${name} report`, call("report"), /greet/);
  if (!existsSync(join(cwd, "greeting.txt"))) expectOf(`${name}: the work is landed`, call("why"), /^$/);
}

function home(name: string) {
  const folder = mkdtempSync(join(scratch, `${name}-home-`));
  const git = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" };
  return {
    HOME: folder,
    npm_config_prefix: join(folder, "prefix"),
    ...git,
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
}

function installed(tarball: string, version: string): void {
  const node = nodeOf(version);
  const env = { ...home(version), PATH: searchPath(version, node), npm_config_cache: join(nodes, "cache") };
  // Where Node is new enough, heddle does without the one that comes along.
  const spare = Number(version) >= 24 ? ["--omit=optional"] : [];
  const words = ["install", "-g", "--no-audit", "--no-fund", ...spare, tarball];
  expectOf(`npm install -g on Node ${version}`, run("npm", words, { cwd: scratch, env }), /added/);
  const heddle = join(env.npm_config_prefix, "bin/heddle");
  tryOut(`Node ${version}`, [heddle], env);
}

/** With an empty cache and an empty prefix, in an empty folder. */
function called(tarball: string): void {
  const env = { ...home("exec"), PATH: searchPath("exec", nodeOf("20")) };
  const cwd = mkdtempSync(join(scratch, "empty-"));
  const words = ["exec", "--yes", `--package=${tarball}`, "--", "heddle"];
  expectOf("npx heddle", run("npm", words, { cwd, env }), /heddle help COMMAND/);
  expectOf("npx heddle --version", run("npm", [...words, "--version"], { cwd, env }), /heddle \d/);
}

/** `npm link` once; a later build must leave a command that can be started. */
function linked(): void {
  const env = { ...home("link"), PATH: searchPath("link", nodeOf("20")) };
  expectOf(
    "npm link",
    run("npm", ["link", "--ignore-scripts", "--no-audit"], { cwd: root, env }),
    /added|up to date/,
  );
  run("node", ["scripts/setup.js", "--build"], { cwd: root, env: process.env });
  const heddle = join(env.npm_config_prefix, "bin/heddle");
  expectOf(
    "the linked command after a build",
    run(heddle, ["--version"], { cwd: scratch, env }),
    /^heddle \d/,
  );
}

function singleFile(): void {
  const words = ["scripts/binaries.ts", ownTarget];
  expectOf("npm run binaries", run(process.execPath, words, { cwd: root, env: process.env }), /MB/);
  const env = { ...home("binary"), PATH: searchPath("binary") };
  tryOut("the single file", [binaryOf(ownTarget)], env);
}

function main(): void {
  const packed = run("npm", ["pack", "--silent", "--pack-destination", scratch], {
    cwd: root,
    env: process.env,
  });
  const [name = ""] = readdirSync(scratch).filter((each) => each.endsWith(".tgz"));
  if (name === "") throw new Error(`npm pack gives no file: ${packed.out}`);
  const tarball = join(scratch, name);
  for (const version of versions)
    timed(`npm install -g on Node ${version}`, () => installed(tarball, version));
  timed("npx in an empty folder", () => called(tarball));
  timed("npm link survives a build", linked);
  timed("the single file, on a machine without Node", singleFile);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  console.log(failed === 0 ? `heddle ${version} works as a package` : `${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

try {
  main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
