// Which hosts the set-up of a tree fetches from: the registries of the tools whose manifests and locks it has, and those that these
// files name themselves, a private registry or a git dependency. What they name counts only in a tree that the person wrote or
// that was merged: an agent must not open a host by writing its name. No I/O.
import { isIP } from "node:net";
import { allows } from "../../gateway/allow.ts";
import { hostPattern, type Reach } from "../../gateway/reach.ts";
import { registriesFor } from "../../gateway/registries.ts";
import { namedIn } from "./named-hosts.ts";

/** In `network.setup`, among hosts: what is found in the project. */
export const registriesWord = "registries";

export interface Manifest {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
}

export interface Registries {
  /** Of the tools, wherever a project says nothing else. */
  readonly usual: readonly string[];
  /** By the files themselves. */
  readonly named: readonly string[];
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** What git is asked for, beside what a set-up's key covers. */
export const registryFiles = [
  ...[
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    ".npmrc",
    "yarn.lock",
    ".yarnrc",
    ".yarnrc.yml",
  ],
  ...["pnpm-lock.yaml", "pnpm-workspace.yaml", "bun.lock", "bun.lockb", "bunfig.toml"],
  ...["deno.lock", "deno.json", "deno.jsonc", "requirements*.txt", "requirements*.in", "pyproject.toml"],
  ...[
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "uv.lock",
    "uv.toml",
    "pdm.lock",
    "pip.conf",
  ],
  ...["Cargo.toml", "Cargo.lock", ".cargo/config.toml", ".cargo/config", "go.mod", "go.sum", "go.work"],
  ...["Gemfile", "Gemfile.lock", "gems.rb", "gems.locked", "*.gemspec", ".bundle/config"],
  ...["composer.json", "composer.lock", "pom.xml", ".mvn/settings.xml", "*.gradle", "*.gradle.kts"],
  ...["gradle.lockfile", "gradle-wrapper.properties", "build.sbt", "build.mill", "deps.edn", "project.clj"],
  ...["*.csproj", "*.fsproj", "*.vbproj", "packages.lock.json", "packages.config"],
  ...["nuget.config", "NuGet.config", "NuGet.Config", "Directory.Packages.props"],
  ...["mix.exs", "mix.lock", "pubspec.yaml", "pubspec.lock", "stack.yaml", "cabal.project", "*.cabal"],
  ...["Package.swift", "Package.resolved"],
];

export function registriesIn(manifests: readonly Manifest[]): Registries {
  const usual = manifests.flatMap(({ path }) => registriesFor(nameOf(path)));
  const named = manifests.flatMap(({ path, text }) => namedIn(path, text)).filter(isHost);
  return { usual: sorted(usual), named: sorted(named) };
}

/** Variables of the person's own, by which tools are told of another registry. */
const registryVariables =
  /^(?:npm_config_(?:.*:)?registry|yarn_(?:registry|npm_registry_server)|bun_config_registry|(?:pip|uv)_(?:extra_)?index_url|uv_(?:default_)?index|goproxy|gosumdb|cargo_registries_.*_index|bundle_mirror__.*|nuget_source)$/i;

export function registriesOf(variables: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(variables).flatMap(([name, value]) =>
    registryVariables.test(name) && value ? [value] : [],
  );
  return sorted(
    values
      .flatMap((value) =>
        [...value.matchAll(/https?:\/\/(?:[^\s/@|,]*@)?([^\s/|,]+)/g)].map(([, host]) => host ?? ""),
      )
      .filter(isHost),
  );
}

const isHost = (host: string) =>
  hostPattern.test(host) && isIP(host.split(":")[0] ?? "") === 0 && !host.startsWith("*");

const sorted = (hosts: readonly string[]) => [...new Set(hosts.map((each) => each.toLowerCase()))].sort();

export const hasWord = (reach: Reach): reach is readonly string[] =>
  typeof reach === "object" && reach.includes(registriesWord);

/** What a set-up may reach: the word becomes what was found, and of an attempt's own set-up what its agent may reach as well. */
export function hostsFor(policy: Reach, found: readonly string[], within: Reach = true): Reach {
  const open = (reach: Reach): Reach =>
    hasWord(reach) ? sorted([...reach.filter((each) => each !== registriesWord), ...found]) : reach;
  const [wide, narrow] = [open(policy), open(within)];
  if (narrow === true || wide === false) return wide;
  if (wide === true || narrow === false) return narrow;
  return wide.filter((each) => {
    const [host = "", port] = each.split(":");
    return narrow.includes(each) || allows(narrow, host, Number(port ?? 443));
  });
}
