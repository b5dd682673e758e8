// Whether the set-up of a tree only fetches what its manifests list. Everything that is not known to be so counts as a
// program of the tree: a form that is missing here costs time, and never lets one tree's set-up stand for another's.
import { recordIn } from "../../core/json.ts";
import { readToml, textsIn } from "../../discovery/stacks/toml.ts";
import type { SetUpInput } from "./inputs.ts";

export interface Manifests {
  readonly commands: readonly string[] | undefined;
  readonly inputs: readonly SetUpInput[];
  readonly texts: ReadonlyMap<string, string>;
}

export function isData({ commands, inputs, texts }: Manifests): boolean {
  if (commands?.some((command) => !installer.test(command.trim()))) return false;
  return inputs.every(({ name, blob, isLink }) => {
    const judge = judges.find(([names]) => names.test(name))?.[1];
    return !isLink && judge !== undefined && judge(texts.get(blob) ?? "");
  });
}

const installer =
  /^(?:npm (?:ci|install)|pnpm install|yarn install|bun install|composer install|cargo fetch|go mod download(?: all)?|mvn(?: -B)? dependency:go-offline|python3? -m pip install(?: --user)? -r requirements[-\w]*\.txt)(?: --[a-z-]+)*$/;

const yes = () => true;
const no = () => false;

/** Backends that install a project in place by what its manifest says. */
const backends =
  /^(?:setuptools\.build_meta|hatchling\.build|flit_core\.buildapi|poetry\.core\.masonry\.api|pdm\.backend|uv_build)$/;

/** What they are built with; anything more may look at any file. */
const builders =
  /^(?:setuptools(?:[-_]scm)?|wheel|hatchling|hatch-vcs|hatch-fancy-pypi-readme|flit[-_]core|poetry-core|pdm-backend|uv[-_]build)(?![\w-])/;

/** Whether installing a Python project runs nothing of its own: no hook, no code that says its version or its packages. */
function isPlainProject(text: string): boolean {
  if (/@\s*file:/.test(text)) return false;
  const toml = readToml(text);
  if (![...toml.keys()].every((table) => !runsCode.test(table))) return false;
  const build = toml.get("build-system");
  const backend = build?.get("build-backend");
  if (build?.has("backend-path") || (typeof backend === "string" && !backends.test(backend))) return false;
  if (!textsIn(build?.get("requires")).every((each) => builders.test(each))) return false;
  const said = JSON.stringify([
    ...(toml.get("tool.setuptools.dynamic") ?? []),
    ...(toml.get("tool.hatch.version") ?? []),
    ...(toml.get("tool.pdm.version") ?? []),
  ]);
  if (/"attr"|"code"|"call"/.test(said)) return false;
  const files = [...said.matchAll(/"file":(\[[^\]]*\]|"[^"]*")/g)].map(([, list = ""]) => list);
  return files.every((list) =>
    /^\[?(?:"(?:requirements[-\w]*\.txt|VERSION|README[.\w]*)",?)+\]?$/.test(list),
  );
}

/** Nothing of the tree but the project itself, which is installed in place. */
const isPlainLock = (text: string) =>
  !/(?:directory|path|editable|virtual|url) = "(?!\.")/.test(text) &&
  !/type = "(?:directory|file|url)"/.test(text);

const runsCode =
  /^tool\.(?:hatch\.(?:build\..*|metadata\.)hooks\.(?!vcs)|pdm\.build\.(?:run-setuptools|custom)|poetry\.build|setuptools\.(?:cmdclass|ext-modules))/;

/** By name, the first that fits; whatever fits none runs something. */
const judges: readonly (readonly [RegExp, (text: string) => boolean])[] = [
  [/^package\.json$/, isPlainPackage],
  [/^\.npmrc$/, (text) => everyLine(text, npmSettings)],
  [/^requirements[-\w]*\.txt$/, (text) => everyLine(text, requirement)],
  [/^composer\.json$/, isPlainComposer],
  [/^Gemfile$/, (text) => everyLine(text, gemLine)],
  [/^pnpm-workspace\.yaml$/, (text) => !/patched|hook|config|shell|nodeOptions|file:|link:/i.test(text)],
  // Locks that say where each thing comes from, and nothing of the tree's own.
  [
    /^(?:package-lock|npm-shrinkwrap)\.json$/,
    (text) => !/"resolved":\s*"file:|"file:[^"]*\.t(?:ar\.)?gz"/.test(text),
  ],
  [
    /^(?:pnpm-lock\.yaml|yarn\.lock|bun\.lock)$/,
    (text) => !/file:|link:|portal:|patch:|patchedDependencies/.test(text),
  ],
  [/^(?:composer\.lock|Gemfile\.lock)$/, (text) => !/"type": "path"|^PATH$|^GIT$/m.test(text)],
  [
    /^(?:\.(?:python-version|node-version|nvmrc|tool-versions|ruby-version)|go\.(?:mod|sum|work)|Cargo\.(?:toml|lock))$/,
    yes,
  ],
  // A pom is fetched for by goals that run nothing of the tree's.
  [/^pom\.xml$/, yes],
  [/^pyproject\.toml$/, isPlainProject],
  // By their presence alone (`manifest-noise.ts`).
  [/^(?:pytest\.ini|conftest\.py)$/, yes],
  [/^setup\.cfg$/, (text) => !/\battr\s*:|cmdclass|setup_hooks|file:/.test(text)],
  [/^(?:uv|poetry|pdm)\.lock$/, isPlainLock],
  [/^(?:maven\.config|extensions\.xml|maven-wrapper\.properties)$/, yes],
  // Read by those whose locks are not in this list, and by nobody else.
  [/^(?:pip\.conf|uv\.toml|Pipfile|mix\.exs|.*\.gemspec)$/, yes],
  // Whoever builds and installs the project itself, settings that name programs, manifests that are programs.
  [/./, no],
];

const installScripts =
  /^(?:pre|post)?(?:install|prepare|prepublish|dependencies|uninstall)$|^prepublishOnly$|^(?:pre|post)?rebuild$/;
export const dependencyFields = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "overrides",
  "resolutions",
];

function isPlainPackage(text: string): boolean {
  const manifest = recordIn(text);
  if (!manifest) return false;
  const { scripts, pnpm, patchedDependencies, gypfile } = manifest;
  if (pnpm !== undefined || patchedDependencies !== undefined || gypfile !== undefined) return false;
  if (Object.keys(fieldsOf(scripts)).some((name) => installScripts.test(name))) return false;
  const specs = JSON.stringify(dependencyFields.map((field) => manifest[field]));
  return !/"(?:file|link|portal|patch|exec):|"\.{0,2}\/|"~\//.test(specs);
}

const npmSettings =
  /^\s*(?:[#;].*|(?:(?:@[\w.-]+:)?registry|save-exact|fund|audit|audit-level|engine-strict|legacy-peer-deps|strict-peer-deps|package-lock|loglevel|progress|ignore-scripts|prefer-offline|always-auth)\s*=.*|\/\/[^=]*:(?:_authToken|_auth|always-auth)\s*=.*)?$/;

/** Names with versions and hashes, one per line; no file, no folder, no option that brings another file. */
const requirement =
  /^\s*(?:#.*|[A-Za-z0-9][\w.-]*(?:\[[\w,.\s-]*\])?\s*(?:[<>=!~][^;@/\\]*)?(?:;[^/\\]*)?(?:--hash=\w+:\w+\s*)*\\?|--hash=\w+:\w+\s*\\?|--(?:extra-)?index-url[ =]https:\S+)?\s*$/;

function isPlainComposer(text: string): boolean {
  const manifest = recordIn(text);
  if (!manifest) return false;
  const { scripts, repositories, config, extra, autoload, type } = manifest;
  const loads = JSON.stringify([autoload, manifest["autoload-dev"]]);
  const isOptimized = /optimize|authoritative|apcu/.test(JSON.stringify(config ?? {}));
  return (
    [scripts, repositories, extra].every((each) => each === undefined) &&
    !isOptimized &&
    !loads.includes("classmap") &&
    type !== "composer-plugin"
  );
}

const gemLine =
  /^\s*(?:#.*|source ["']https:[^"'#]*["']|ruby ["'][^"'#]*["']|gem ["'][\w.-]+["'](?:,\s*["'][^"'#]*["'])*(?:,\s*require: (?:false|["'][\w/-]*["']))?|group (?::\w+,? ?)+ ?do|end)?\s*$/;

/** A line that is longer than anybody writes is none of these. */
const longestLine = 2000;

const everyLine = (text: string, form: RegExp) =>
  text.split(/\r?\n/).every((line) => line.length <= longestLine && form.test(line));

export const fieldsOf = (value: unknown): object =>
  typeof value === "object" && value !== null ? value : {};
