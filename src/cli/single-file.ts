// What a single-file binary starts with (`scripts/binaries.ts`): the package is inside it. At its first start the binary lays
// the package and a plain Node into the person's cache folder; from then on it runs heddle from there. The plain Node is
// the binary itself with Node's own mark for "there is a program inside" taken back: agents and checks call it.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { getAsset, getAssetKeys, getRawAsset } from "node:sea";

/** Node's mark is this and a digit. Spelled in bytes: a program that holds the text a second time cannot be packed. */
const mark = Buffer.concat([
  Buffer.from("4e4f44455f5345415f465553455f", "hex"),
  Buffer.from("fce680ab2cc467b6e072b8b5df1996b2:"),
]);
const [zero, one] = ["0".charCodeAt(0), "1".charCodeAt(0)];

function cacheFolder(): string {
  const own = process.env.XDG_CACHE_HOME;
  if (own?.startsWith("/")) return join(own, "heddle");
  return join(homedir(), process.platform === "darwin" ? "Library/Caches/heddle" : ".cache/heddle");
}

function plainNode(): Buffer {
  const program = readFileSync(process.execPath);
  for (let at = program.indexOf(mark); at >= 0; at = program.indexOf(mark, at + 1))
    if (program[at + mark.length] === one) program[at + mark.length] = zero;
  return program;
}

/** A macOS refuses a changed program until it is signed anew; `codesign` is part of the system. */
function sign(program: string): void {
  if (process.platform !== "darwin") return;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  spawnSync("/usr/bin/codesign", ["--force", "--sign", "-", program], { stdio: "ignore" });
}

function unpack(into: string): void {
  for (const key of getAssetKeys()) {
    const path = join(into, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, new Uint8Array(getRawAsset(key)));
  }
  const node = join(into, "bin/node");
  mkdirSync(dirname(node), { recursive: true });
  writeFileSync(node, plainNode());
  chmodSync(node, 0o755);
  sign(node);
}

/** Complete or not there: it is made under another name, and several that begin at once do not disturb each other. */
function laidOut(): string {
  const cache = cacheFolder();
  const folder = join(cache, getAsset("content", "utf8"));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const made = mkdtempSync(join(cache, "making-"));
  try {
    unpack(made);
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function begin(): void {
  const folder = laidOut();
  const entry = join(folder, "dist/heddle.js");
  process.execPath = join(folder, "bin/node");
  process.argv.splice(0, 2, process.execPath, entry);
  createRequire(entry)(entry);
}

try {
  begin();
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  console.error(
    `error: heddle cannot unpack itself into ${cacheFolder()}: ${message}\n` +
      "hint: XDG_CACHE_HOME=/a/folder/of/yours heddle",
  );
  process.exitCode = 74;
}
