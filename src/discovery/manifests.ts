// The files that give a stack away, and the other configuration files that are worth naming to an agent.
// A kind whose manifests nest (one CMakeLists.txt per folder) makes one module; the others make one each.
export interface ManifestKind {
  readonly kind: string;
  readonly names: RegExp;
  readonly nests: boolean;
}

const manifestKinds: readonly ManifestKind[] = [
  { kind: "node", names: /^package\.json$/, nests: false },
  { kind: "deno", names: /^deno\.jsonc?$/, nests: false },
  {
    kind: "python",
    names: /^(?:pyproject\.toml|setup\.py|setup\.cfg|Pipfile|requirements\.txt)$/,
    nests: false,
  },
  { kind: "rust", names: /^Cargo\.toml$/, nests: true },
  { kind: "go", names: /^go\.(?:mod|work)$/, nests: false },
  { kind: "maven", names: /^pom\.xml$/, nests: true },
  { kind: "gradle", names: /^(?:build|settings)\.gradle(?:\.kts)?$/, nests: true },
  { kind: "dotnet", names: /\.(?:slnx?|csproj|fsproj|vbproj)$/, nests: true },
  { kind: "ruby", names: /^Gemfile$|\.gemspec$/, nests: false },
  { kind: "php", names: /^composer\.json$/, nests: false },
  { kind: "cmake", names: /^CMakeLists\.txt$/, nests: true },
  { kind: "meson", names: /^meson\.build$/, nests: true },
  { kind: "swift", names: /^Package\.swift$/, nests: false },
  { kind: "elixir", names: /^mix\.exs$/, nests: false },
  { kind: "dart", names: /^pubspec\.yaml$/, nests: false },
  { kind: "perl", names: /^(?:(?:Makefile|Build)\.PL|cpanfile|dist\.ini)$/, nests: true },
  { kind: "lua", names: /^\.busted$/, nests: true },
];

export function kindOf(name: string): ManifestKind | undefined {
  return manifestKinds.find(({ names }) => names.test(name));
}

/** Asked for every file of a repository, so the letters that no manifest ends in are sent away first. */
export function isManifest(name: string): boolean {
  return manifestEnd.test(name) && kindOf(name) !== undefined;
}

const manifestEnd =
  /(?:json|jsonc|toml|py|cfg|file|txt|mod|work|xml|gradle|kts|sln|slnx|proj|spec|build|swift|exs|yaml|PL|ini|busted)$/;

const configNames = new Set([
  ...[
    "Makefile",
    "GNUmakefile",
    "makefile",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    "Rakefile",
    "Dockerfile",
  ],
  ...["tox.ini", "noxfile.py", "pytest.ini", "mypy.ini", ".flake8", ".pylintrc", "ruff.toml", ".ruff.toml"],
  ...["conftest.py", "pyrightconfig.json", ".python-version", ".nvmrc", ".node-version", ".tool-versions"],
  ...["mise.toml", "rustfmt.toml", ".rustfmt.toml", "clippy.toml", "rust-toolchain.toml", "rust-toolchain"],
  ...["deny.toml", ".golangci.yml", ".golangci.yaml", ".golangci.toml", "go.sum", "checkstyle.xml"],
  ...[
    "gradle.properties",
    "Directory.Build.props",
    "Directory.Packages.props",
    "global.json",
    "nuget.config",
  ],
  ...[".rubocop.yml", ".rspec", ".ruby-version", "phpunit.xml", "phpunit.xml.dist", "phpstan.neon"],
  ...["phpstan.neon.dist", "phpcs.xml", "phpcs.xml.dist", ".php-cs-fixer.php", ".php-cs-fixer.dist.php"],
  ...["pint.json", ".clang-format", ".clang-tidy", "conanfile.txt", "conanfile.py", "vcpkg.json"],
  ...[
    "configure.ac",
    "meson_options.txt",
    "biome.json",
    "biome.jsonc",
    "turbo.json",
    "nx.json",
    "lerna.json",
  ],
  ...["pnpm-workspace.yaml", ".editorconfig", ".pre-commit-config.yaml", "lefthook.yml", "renovate.json"],
  ...["docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml", ".gitlab-ci.yml"],
  ...["azure-pipelines.yml", "Jenkinsfile", "CODEOWNERS", "AGENTS.md", "CLAUDE.md", "GEMINI.md"],
  ...["detekt.yml", ".scalafmt.conf", ".swiftlint.yml", ".credo.exs", "analysis_options.yaml"],
]);
const configLike =
  /^(?:tsconfig(?:\..+)?\.json|(?:vite|vitest|jest|webpack|rollup|rolldown|babel|eslint|prettier|playwright|cypress|tailwind|next|nuxt|svelte|astro|postcss|karma)\.config\.[cm]?[jt]s|\.eslintrc(?:\..+)?|\.prettierrc(?:\..+)?|\.mocharc(?:\..+)?|\.swcrc|requirements[-\w]*\.txt)$/;
const lockNames = new Set([
  ...[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
  ],
  ...["uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "go.sum", "gradle.lockfile"],
  ...["packages.lock.json", "Gemfile.lock", "composer.lock", "conan.lock", "Package.resolved", "mix.lock"],
  ...["pubspec.lock"],
]);

export function isConfigFile(path: string): boolean {
  if (/^\.github\/workflows\/[^/]+\.ya?ml$/.test(path) || path === ".circleci/config.yml") return true;
  const name = path.slice(path.lastIndexOf("/") + 1);
  return configNames.has(name) || lockNames.has(name) || configLike.test(name) || isManifest(name);
}
