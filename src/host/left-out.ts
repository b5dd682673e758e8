// What nobody meant to hand in, whatever .gitignore says: dependencies, virtual environments, caches, build results beside a
// manifest, `.env` and private keys. Only new entries are asked about; what is tracked, or declared by the task, is taken.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readEnd } from "./handed-in.ts";

const folders = new Set([
  ...["node_modules", "bower_components", "jspm_packages", ".pnpm-store", ".npm"],
  ...["__pycache__", ".venv", "venv", "site-packages", ".tox", ".nox", ".eggs", "htmlcov"],
  ...[".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints"],
  ...[".next", ".nuxt", ".svelte-kit", ".angular", ".parcel-cache", ".turbo", ".nx", ".nyc_output"],
  ...[".gradle", ".dart_tool", "DerivedData", "CMakeFiles", ".cache", ".direnv", ".terraform"],
  ...[".stack-work", "elm-stuff", ".zig-cache", "zig-cache", "zig-out"],
]);
const foldersLike = /^(?:cmake-build-.*|.*\.egg-info|.*\.dist-info)$/;

/** Names that some projects use for sources: only beside what would build into them. */
const built = new Set(["build", "dist", "out", "target", "coverage", "_build", ".build", "obj"]);
const manifest =
  /^(?:package\.json|Cargo\.toml|pyproject\.toml|setup\.py|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|mix\.exs|Package\.swift|.*\.(?:cs|fs|vb)proj|stack\.yaml)$/;

const secrets =
  /^(?:\.env(?:\.(?!example$|sample$|template$|dist$|defaults?$).+)?|\.netrc|\.pypirc|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:p12|pfx|jks|keystore))$/i;
const mayHoldKey = /\.(?:pem|key|ppk)$/i;
/** The last two: every build writes them, also where the project keeps none. */
const litter = /^(?:\.DS_Store|Thumbs\.db|\.coverage|npm-debug\.log|.*\.py[co]|Cargo\.lock|uv\.lock)$/;

/** `folder`: where it lies, as an absolute path. */
export function isLeftOut(folder: string, name: string, isFolder: boolean): boolean {
  const path = join(folder, name);
  if (!isFolder)
    return (
      secrets.test(name) ||
      litter.test(name) ||
      (mayHoldKey.test(name) && readEnd(path, 16_384).includes("PRIVATE KEY"))
    );
  if (folders.has(name) || foldersLike.test(name)) return true;
  if (existsSync(join(path, "pyvenv.cfg"))) return true;
  return built.has(name) && readdirSync(folder).some((each) => manifest.test(each));
}
