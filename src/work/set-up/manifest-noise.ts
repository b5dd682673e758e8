// What of a manifest decides which packages are installed. The rest is noise: a change of it installs nothing again (X24). What is
// not known to be noise counts, and a manifest that cannot be read counts byte for byte.
import { recordIn } from "../../core/json.ts";
import { readToml } from "../../discovery/stacks/toml.ts";
import { dependencyFields, fieldsOf } from "./plain-manifests.ts";

export interface Beside {
  /** Beside other packages of the tree its version decides whether it is linked or fetched; alone it is noise. */
  readonly alone?: boolean;
}

/** A manifest without its noise; nothing for files that count byte for byte. */
export function withoutNoise(name: string, text: string, { alone = true }: Beside = {}): string | undefined {
  return readers.find(([names]) => names.test(name))?.[1](text, alone);
}

type Reader = (text: string, alone: boolean) => string | undefined;

const readers: readonly (readonly [RegExp, Reader])[] = [
  [/^package\.json$/, countedFields],
  [/^composer\.json$/, withoutFields],
  [/^pyproject\.toml$/, (text, alone) => withoutTables(text, { noise: pythonNoise, alone })],
  [/^Cargo\.toml$/, (text) => withoutTables(text, { noise: cargoNoise, alone: false })],
  [/^go\.(?:mod|work)$/, withoutRemarks("//")],
  [/^(?:Gemfile|requirements[-\w]*\.txt)$/, withoutRemarks("#")],
  [/^pom\.xml$/, withoutElements],
  // That they are there says that pytest is used.
  [/^(?:pytest\.ini|conftest\.py)$/, () => ""],
];

const packageFields = [
  ...dependencyFields,
  ...["peerDependenciesMeta", "dependenciesMeta", "bundleDependencies", "bundledDependencies"],
  ...["workspaces", "packageManager", "engines", "volta", "os", "cpu", "libc", "name", "bin", "directories"],
];

function countedFields(text: string, alone: boolean): string | undefined {
  const manifest = recordIn(text);
  if (!manifest) return undefined;
  const all = alone ? packageFields : [...packageFields, "version"];
  return JSON.stringify(Object.entries(manifest).filter(([field]) => all.includes(field)));
}

const composerNoise = [
  ...["description", "keywords", "homepage", "readme", "time", "license", "authors", "support", "funding"],
  ...["suggest", "archive", "abandoned", "$schema", "_comment", "non-feature-branches"],
];

function withoutFields(text: string): string | undefined {
  const manifest = recordIn(text);
  return (
    manifest && JSON.stringify(Object.entries(manifest).filter(([field]) => !composerNoise.includes(field)))
  );
}

interface TomlNoise {
  /** Tables, with everything below them. */
  readonly tables: RegExp;
  /** Keys, by the name of their table. */
  readonly keys: RegExp;
}

const pythonNoise: TomlNoise = {
  tables:
    /^(?:project\.urls|tool\.poetry\.urls|tool\.(?:pytest|ruff|black|isort|mypy|pyright|basedpyright|pylint|flake8|coverage|tox|nox|bandit|codespell|towncrier|commitizen|semantic_release|bumpversion|pydocstyle|interrogate|vulture|ty|mutmut|cibuildwheel)(?:\.|$))/,
  keys: /^(?:project|tool\.poetry)\.(?:version|description|readme|keywords|classifiers|authors|maintainers|license|license-files|homepage|repository|documentation)$/,
};

const cargoNoise: TomlNoise = {
  tables: /^(?:profile|lints|workspace\.lints|badges|(?:package|workspace)\.metadata)(?:\.|$)/,
  keys: /^(?:workspace\.)?package\.(?:description|authors|keywords|categories|license|license-file|readme|homepage|repository|documentation|publish)$/,
};

/** A table is also a key of the one around it: only what stands in a table itself is taken from there. */
function withoutTables(
  text: string,
  { noise, alone }: { readonly noise: TomlNoise; readonly alone: boolean },
): string | undefined {
  const toml = readToml(text);
  if (toml.size === 0) return undefined;
  const isVersion = (key: string) => /(?:^|\.)version$/.test(key);
  const kept = [...toml].flatMap(([table, keys]) =>
    noise.tables.test(table)
      ? []
      : [...keys]
          .filter(([key, value]) => !isTable(value) && !isNoise(`${table}.${key}`))
          .map(([key, value]) => [table, key, value]),
  );
  return JSON.stringify([toml.has("tool.pytest"), ...kept]);

  function isNoise(key: string): boolean {
    return noise.keys.test(key) && (alone || !isVersion(key));
  }
}

const isTable = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Remarks, empty lines and the space around a line. */
function withoutRemarks(mark: string): Reader {
  return (text) =>
    text
      .split(/\r?\n/)
      .map((line) => (line.trimStart().startsWith(mark) ? "" : line.trim()))
      .filter((line) => line !== "")
      .join("\n");
}

const pomNoise =
  /^(?:name|description|url|inceptionYear|organization|licenses|developers|contributors|mailingLists|scm|issueManagement|ciManagement|distributionManagement)$/;

/** Elements right below `project` that say nothing of packages; a file of another form counts as it is. */
function withoutElements(text: string): string | undefined {
  if (text.includes("<![CDATA[") || text.includes("<!DOCTYPE")) return undefined;
  let depth = 0;
  let left = "";
  const kept: string[] = [];
  let from = 0;
  const all = withoutXmlRemarks(text);
  for (const { 0: whole, 1: inside = "", index } of all.matchAll(/<([^<>]*)>/g)) {
    const end = inside.startsWith("/") ? "/" : "";
    const [name] = /^[\w.:-]+/.exec(inside.slice(end.length)) ?? [];
    if (name === undefined) continue;
    const said = all.slice(from, index);
    const rest = inside.slice(end.length + name.length);
    from = index + whole.length;
    const opens = end === "" && !rest.endsWith("/");
    if (depth === 1 && opens && pomNoise.test(name)) left = name;
    if (left === "") kept.push(said.trim(), `${end}${name}${rest.trim()}`);
    if (end === "/") depth--;
    else if (opens) depth++;
    if (depth === 1 && end === "/" && left === name) left = "";
  }
  return depth === 0 && left === "" && from > 0 ? JSON.stringify(kept) : undefined;
}

const withoutXmlRemarks = (xml: string) =>
  xml
    .replace(/^\s*<\?[^>]{0,200}\?>/, "")
    .split("<!--")
    .map((part, at) => (at === 0 ? part : part.slice(part.indexOf("-->") + 3)))
    .join("");

/** Whether a manifest may ask for a set-up; `discovery` says whether it does. */
export function listsPackages(name: string, text: string): boolean {
  const form = listing.find(([names]) => names.test(name))?.[1];
  return form === undefined ? listsInJson(text) : form.test(text);
}

const listing: readonly (readonly [RegExp, RegExp])[] = [
  [/^Cargo\.toml$/, /^\[(?:[^\]\n]{1,200}\.)?(?:dev-|build-)?dependencies\b[^\]\n]{0,200}\][^[]*=/m],
  [/^Gemfile$/, /^[ \t]*gem[ \t(]/m],
  [/proj$/, /<PackageReference\b/],
  [/^pyproject\.toml$/, /^\[(?:project|dependency-groups|tool\.(?:poetry|uv|pdm|hatch|pytest))\b/m],
  [/^(?:setup\.(?:py|cfg)|Pipfile|pom\.xml|pytest\.ini|conftest\.py)$/, /^/],
  [/^go\.mod$/, /^(?:require\b|[ \t]+[\w.-]+\.[\w./~-]+[ \t]+v\d)/m],
];

function listsInJson(text: string): boolean {
  const manifest = recordIn(text) ?? {};
  const { dependencies, devDependencies, optionalDependencies, require, workspaces } = manifest;
  const own = Object.keys({ ...fieldsOf(require), ...fieldsOf(manifest["require-dev"]) });
  return (
    workspaces !== undefined ||
    [dependencies, devDependencies, optionalDependencies].some(
      (each) => Object.keys(fieldsOf(each)).length > 0,
    ) ||
    own.some((name) => name.includes("/"))
  );
}
