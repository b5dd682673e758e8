// What an installation brings: our own package and its production dependencies, and that nothing runs meanwhile.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Bench, exactly } from "./figure.ts";

const root = join(import.meta.dirname, "..");

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>
  >;
}

export const size: Bench = {
  name: "size",
  run: () => {
    const { packages } = readJson<Lock>("package-lock.json");
    const production = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
    const installed = production.reduce((sum, [path]) => sum + bytesIn(join(root, path)), ownBytes());
    const scripts = production.filter(([, each]) => each.hasInstallScript).length + ownInstallScripts();
    return [
      { name: "size: installed", unit: "MB", measured: exactly(installed / 1e6), goal: { most: 25 } },
      { name: "size: production dependencies", unit: "", measured: exactly(production.length) },
      { name: "size: install scripts", unit: "", measured: exactly(scripts), goal: { most: 0 } },
    ];
  },
};

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(root, name), "utf8")) as T;
}

/** Without scripts: `prepack` would build into the folder that others are using. */
function ownBytes(): number {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const text = execFileSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(text) as { unpackedSize: number }[];
  if (!packed) throw new Error("bug: npm pack lists no package");
  return packed.unpackedSize;
}

function ownInstallScripts(): number {
  const { scripts = {} } = readJson<{ scripts?: Readonly<Record<string, string>> }>("package.json");
  return ["preinstall", "install", "postinstall"].filter((name) => name in scripts).length;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
