// What set-up reads of a tree, by git alone: the lock files, the manifests beside them and the settings that decide what
// is fetched, from where, and what runs then. Paths are relative to the repository's root.
import { demandGit, fields, type GitDirectory } from "../../host/git/git.ts";
import type { Repository } from "../../host/git/repository.ts";

export interface SetUpInput {
  readonly path: string;
  readonly name: string;
  readonly blob: string;
  readonly isLink: boolean;
}

/** Those that ask for a set-up (`discovery/set-up-steps.ts`); what it fetches is left beside the files (`stores.ts`). */
const lockNames = new Set([
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "poetry.lock",
  "uv.lock",
  "Pipfile.lock",
  "pdm.lock",
  "requirements.txt",
  "Gemfile.lock",
  "composer.lock",
  "mix.lock",
  "Cargo.lock",
  "go.sum",
  "gradle.lockfile",
  "packages.lock.json",
  "deno.lock",
  "Package.resolved",
  "pubspec.lock",
]);

const settingNames = [
  "package.json",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".pnpmfile.mjs",
  "pnpm-workspace.yaml",
  "bunfig.toml",
  "binding.gyp",
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "Pipfile",
  "pip.conf",
  "uv.toml",
  ".python-version",
  ".node-version",
  ".nvmrc",
  ".tool-versions",
  ".ruby-version",
  "Gemfile",
  "composer.json",
  "mix.exs",
  ".bundle/config",
  "Cargo.toml",
  "go.mod",
  "go.work",
  "go.work.sum",
  "pom.xml",
  "mvnw",
  "Directory.Packages.props",
  "Directory.Build.props",
  "nuget.config",
  // Whoever tests with pytest needs it installed.
  "pytest.ini",
  "conftest.py",
];

const patterns = [
  ...lockNames,
  ...settingNames,
  "requirements*.txt",
  "*.gemspec",
  "*.csproj",
  "*.fsproj",
  "*.vbproj",
  ".mvn/*",
  ".mvn/wrapper/*",
].map((name) => `:(glob)**/${name}`);

/** `more`: patterns of git's, of what else is read. */
export function inputsOf(
  repository: Repository,
  tree: string,
  more: readonly string[],
): Promise<SetUpInput[]> {
  return filesOf(repository, tree, [
    ...patterns,
    ...more.map((pattern) => `:(glob)${repository.prefix}${pattern}`),
  ]);
}

/** `wanted`: patterns of git's, from the repository's root. */
export async function filesOf(
  repository: Repository,
  tree: string,
  wanted: readonly string[],
): Promise<SetUpInput[]> {
  const empty = await emptyTree(repository);
  const out = await demandGit(repository, {
    args: [
      ...["--no-literal-pathspecs", "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"],
      ...[empty, tree, "--", ...wanted],
    ],
  });
  const found: SetUpInput[] = [];
  const all = fields(out);
  for (let at = 0; at + 1 < all.length; at += 2) {
    const [, mode = "", , blob = ""] = (all[at] ?? "").split(" ");
    const path = all[at + 1] ?? "";
    const name = path.slice(path.lastIndexOf("/") + 1);
    found.push({ path, name, blob, isLink: mode !== "100644" && mode !== "100755" });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Known to git without being stored. */
const emptyTree = (repository: Repository) =>
  repository.hashBytes === 20
    ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    : demandGit(repository, { args: ["hash-object", "-t", "tree", "--stdin"] }).then((out) =>
        out.toString("utf8").trim(),
      );

const skipped = /(?:^|\/)(?:node_modules|\.venv|vendor)\//;

/** In the project's folder and three levels below: where `discovery` looks for them. */
export const isNear = ({ path }: SetUpInput, prefix: string) =>
  path.startsWith(prefix) && !skipped.test(path) && path.slice(prefix.length).split("/").length <= 4;

export function hasLock(inputs: readonly SetUpInput[], prefix: string): boolean {
  return inputs.some((input) => lockNames.has(input.name) && isNear(input, prefix));
}

const asking =
  /^(?:(?:package|composer)\.json|Cargo\.toml|Gemfile|.+\.(?:cs|fs|vb)proj|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|go\.mod|pom\.xml|pytest\.ini|conftest\.py)$/;

/** Manifests that ask for their packages by themselves (`discovery/set-up-steps.ts`). */
export function manifestsNear(inputs: readonly SetUpInput[], prefix: string): SetUpInput[] {
  return inputs.filter((input) => !input.isLink && asking.test(input.name) && isNear(input, prefix));
}

const mostBytes = 32 * 1024 * 1024;

/** What these files hold, by blob; nothing when that is more than manifests hold. */
export async function textsOf(
  at: GitDirectory,
  inputs: readonly SetUpInput[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const texts = new Map<string, string>();
  if (inputs.length === 0) return texts;
  const input = inputs.map(({ blob }) => `${blob}\n`).join("");
  const out = await demandGit(at, { args: ["cat-file", "--batch"], input, maxBytes: mostBytes }).catch(
    () => null,
  );
  if (out === null) return undefined;
  for (let from = 0; from < out.length; ) {
    const line = out.indexOf("\n", from);
    const [blob = "", kind, size] = out.toString("latin1", from, line).split(" ");
    if (line < 0 || kind !== "blob") return undefined;
    const end = line + 1 + Number(size);
    texts.set(blob, out.toString("utf8", line + 1, end));
    from = end + 1;
  }
  return texts;
}
