// All stacks of a target. Modules are taken from the top down, so that a monorepo's root can say which folders are its
// members; those are listed, not looked into: what holds for them is written at the root.
import { isManifest, kindOf } from "../manifests.ts";
import type { Command, Setup, Workspace } from "../project-context.ts";
import type { ProjectFiles } from "../project-files.ts";
import { findGo, findRust } from "./compiled.ts";
import { findDotNet } from "./dotnet.ts";
import { findGradle, findMaven } from "./jvm.ts";
import { type Finding, type FindStack, type Module, moduleAt } from "./module.ts";
import { findNative } from "./native.ts";
import { findNode } from "./node.ts";
import { findOthers } from "./others.ts";
import { findPhp } from "./php.ts";
import { findPython } from "./python.ts";
import { findRuby } from "./ruby.ts";
import { findTaskRunners } from "./task-runners.ts";

const maxModules = 8;
const maxDepth = 3;

const finders: readonly FindStack[] = [
  findNode,
  findPython,
  findRust,
  findGo,
  findMaven,
  findGradle,
  findDotNet,
  findRuby,
  findPhp,
  findNative,
];

/** What lies here is an example, a fixture or a document, with manifests of its own that mean nothing for the rest. */
const aside =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|fixtures?|__fixtures__|testdata|examples?|samples?|demos?|docs?|templates?|playground|support|scripts?|contrib|ci|bench(?:marks)?|\.[^/]+)(?:\/|$)/;

export interface Stacks {
  readonly findings: readonly Finding[];
  readonly commands: readonly Command[];
  readonly setup: readonly Setup[];
  readonly workspaces: readonly Workspace[];
}

export function findStacks(files: ProjectFiles): Stacks {
  const findings: Finding[] = [];
  const runners: ReturnType<typeof findTaskRunners>[] = [];
  const members = new Set<string>();
  let looked = 0;
  for (const root of moduleRoots(files)) {
    if (isMember(root, members)) continue;
    if (looked++ >= maxModules) {
      files.notes.add(`only ${maxModules} folders with a manifest are looked into`);
      break;
    }
    const module = moduleAt(files, root);
    const found = lookInto(module);
    findings.push(...found);
    for (const { path } of found.flatMap(({ workspaces }) => workspaces)) members.add(path);
    runners.push(findTaskRunners(module));
  }
  return {
    findings,
    commands: distinct(
      [...runners, ...findings].flatMap(({ commands }) => commands),
      ({ purpose, run, cwd }) => [purpose, run, cwd].join("\n"),
    ),
    setup: distinct(
      [...findings, ...runners].flatMap(({ setup }) => setup),
      ({ run, cwd }) => `${run}\n${cwd}`,
    ),
    workspaces: distinct(
      findings.flatMap(({ workspaces }) => workspaces),
      ({ path }) => path,
    ),
  };
}

export function lookInto(module: Module): Finding[] {
  return [
    ...finders.map((find) => find(module)).filter((found): found is Finding => found !== undefined),
    ...findOthers(module),
  ];
}

/** The target, then every folder with a manifest that is not part of the same build further up. */
function moduleRoots(files: ProjectFiles): string[] {
  const kinds = new Map<string, Set<string>>([[".", new Set(kindNames(files.namesIn(".")))]]);
  const nested = new Map<string, string[]>();
  for (const path of files.paths) {
    const cut = path.lastIndexOf("/");
    if (cut < 0 || !isManifest(path.slice(cut + 1))) continue;
    const folder = path.slice(0, cut);
    if (folder.split("/").length <= maxDepth && !aside.test(folder))
      nested.set(folder, [...(nested.get(folder) ?? []), path.slice(cut + 1)]);
  }
  const order = [...nested].sort(([a], [b]) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
  for (const [folder, names] of order) {
    const above = [...kinds].filter(([root]) => root === "." || folder.startsWith(`${root}/`));
    const isNew = (name: string) =>
      kindOf(name)?.nests !== true || !above.some(([, known]) => known.has(kindOf(name)?.kind ?? ""));
    if (names.some(isNew)) kinds.set(folder, new Set(kindNames(names)));
  }
  return [...kinds.keys()];
}

function kindNames(names: readonly string[]): string[] {
  return names.map((name) => kindOf(name)?.kind).filter((kind): kind is string => kind !== undefined);
}

function isMember(root: string, members: ReadonlySet<string>): boolean {
  const parts = root.split("/");
  return parts.some((_, at) => members.has(parts.slice(0, at + 1).join("/")));
}

function distinct<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.toReversed().map((item) => [key(item), item])).values()].toReversed();
}
