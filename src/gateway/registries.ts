// The public registries of packages that heddle knows, by the files of the tools that ask them. Data, no I/O.

const npm = ["registry.npmjs.org"];
const yarn = ["registry.yarnpkg.com", "repo.yarnpkg.com", ...npm];
const python = ["pypi.org", "files.pythonhosted.org"];
const maven = ["repo.maven.apache.org", "repo1.maven.org"];
const gradle = [...maven, "plugins.gradle.org", "plugins-artifacts.gradle.org", "services.gradle.org"];

/** By the name of a file, the first that fits. */
const tools: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:yarn\.lock|\.yarnrc(?:\.yml)?)$/, yarn],
  [/^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|\.npmrc)$/, npm],
  [/^(?:pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|bunfig\.toml)$/, npm],
  [/^(?:deno\.lock|deno\.jsonc?)$/, ["jsr.io", "npm.jsr.io", "deno.land", ...npm]],
  [/^(?:requirements.*\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)|Pipfile(?:\.lock)?)$/, python],
  [/^(?:poetry\.lock|uv\.lock|uv\.toml|pdm\.lock|pip\.conf)$/, python],
  [/^Cargo\.(?:toml|lock)$/, ["index.crates.io", "static.crates.io", "crates.io"]],
  [/^go\.(?:mod|sum|work)$/, ["proxy.golang.org", "sum.golang.org"]],
  [/^(?:Gemfile(?:\.lock)?|gems\.(?:rb|locked)|.+\.gemspec)$/, ["rubygems.org", "index.rubygems.org"]],
  [/^composer\.(?:json|lock)$/, ["repo.packagist.org", "packagist.org"]],
  [/^pom\.xml$/, maven],
  [/^(?:.+\.gradle(?:\.kts)?|gradle\.lockfile|gradle-wrapper\.properties)$/, gradle],
  [/^(?:build\.sbt|build\.mill|deps\.edn|project\.clj)$/, [...maven, "repo.clojars.org"]],
  [/^(?:.+\.(?:cs|fs|vb)proj|packages\.lock\.json|packages\.config)$/, ["api.nuget.org", "www.nuget.org"]],
  [/^(?:nuget\.config|Directory\.Packages\.props)$/i, ["api.nuget.org", "www.nuget.org"]],
  [/^mix\.(?:exs|lock)$/, ["repo.hex.pm", "hex.pm", "builds.hex.pm"]],
  [/^pubspec\.(?:yaml|lock)$/, ["pub.dev"]],
  [/^(?:stack\.yaml|cabal\.project|.+\.cabal)$/, ["hackage.haskell.org"]],
];

export const registriesFor = (name: string): readonly string[] =>
  tools.find(([form]) => form.test(name))?.[1] ?? [];

const all = new Set(tools.flatMap(([, hosts]) => hosts));

/** Names that nobody but their owner can point elsewhere, but for whoever runs this machine's network: a mirror there is theirs. */
export const isKnownRegistry = (host: string) => all.has(host.toLowerCase());
