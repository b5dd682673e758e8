// Discovery of an existing project (D5): from a target directory to its context. Nothing of the project is run, nothing
// outside it is read, nothing is written; the same files give the same context.

import type { Problem } from "../core/problem.ts";
import { inTurns, nextTurn } from "../host/turns.ts";
import { cutToSize } from "./cut-to-size.ts";
import { importsOf } from "./imports.ts";
import { integrationOf } from "./integration.ts";
import { sourceLayout, testLayout } from "./layout.ts";
import { type Limits, usualLimits } from "./limits.ts";
import { isConfigFile } from "./manifests.ts";
import { namingOf } from "./naming.ts";
import { packagesOf, testFramework } from "./packages.ts";
import type { Dependency, EntryPoint, ProjectContext, Stack } from "./project-context.ts";
import { openProject, type ProjectFiles } from "./project-files.ts";
import { samplesOf } from "./samples.ts";
import { findStacks } from "./stacks/find-stacks.ts";
import type { Finding } from "./stacks/module.ts";
import { tree } from "./structure.ts";
import { type Survey, survey } from "./survey.ts";

export async function discoverProject(
  target: string,
  { limits }: { readonly limits?: Partial<Limits> } = {},
): Promise<ProjectContext | Problem> {
  const bounds = { ...usualLimits, ...limits };
  const files = await openProject(target, bounds);
  if ("code" in files) return files;
  return cutToSize(await contextOf(files), bounds);
}

async function contextOf(files: ProjectFiles): Promise<ProjectContext> {
  const seen = survey(files);
  await nextTurn();
  const { findings, commands, setup, workspaces } = findStacks(files);
  const stacks = ordered(findings, seen);
  const members = packagesOf(files, workspaces);
  const config = await configFiles(files);
  await nextTurn();
  const known = {
    version: "1.0" as const,
    target_dir: files.root,
    project_type: files.paths.length === 0 ? ("new" as const) : ("existing" as const),
    stack: inOneLine(stacks, seen),
    stacks,
    languages: [...seen.languages],
    structure: {
      listed_by: files.listedBy,
      files: files.paths.length,
      complete: files.complete,
      tree: tree(files),
    },
    config_files: config,
    source_layout: sourceLayout(seen),
    test_layout: testLayout(seen),
    naming: namingOf(seen),
    imports: importsOf(seen),
    commands: [...commands],
    setup: [...setup],
    dependencies: dependenciesOf(findings),
    entry_points: entriesOf(findings),
    workspaces: [...workspaces],
    ...(members.length > 0 && { packages: members }),
    test_framework: testFramework(commands, dependenciesOf(findings)),
  };
  await nextTurn();
  return {
    ...known,
    integration_requirements: integrationOf(known),
    samples: samplesOf(seen, { entryPoints: known.entry_points, folders: known.source_layout.folders }),
    notes: [...files.notes],
  };
}

/** The target's own stack first, then by how much is written in it. */
function ordered(findings: readonly Finding[], { languages }: Survey): Stack[] {
  const files = new Map(languages.map(({ language, files }) => [language, files]));
  const depth = ({ root }: Stack) => (root === "." ? 0 : root.split("/").length);
  return findings
    .map(({ stack }) => stack)
    .sort(
      (a, b) =>
        depth(a) - depth(b) ||
        (files.get(b.language) ?? 0) - (files.get(a.language) ?? 0) ||
        (a.manifest < b.manifest ? -1 : 1),
    );
}

function inOneLine(stacks: readonly Stack[], { languages }: Survey): string {
  const named = stacks.slice(0, 4).map(({ name, language, tool, version, manifest }) => {
    const what = language === name ? name : `${name}, ${language}`;
    return `${version === null ? what : `${what}, ${version}`} (${manifest}${tool === null ? "" : ` with ${tool}`})`;
  });
  if (named.length > 0) return named.join("; ");
  const [main] = languages;
  return main === undefined ? "none found" : `no manifest; mostly ${main.language} (${main.files} files)`;
}

/** Those near the top say the most. */
async function configFiles({ paths }: ProjectFiles): Promise<string[]> {
  const depth = (path: string) => (path.startsWith(".github/") ? 1 : path.split("/").length);
  const found: string[] = [];
  await inTurns(paths, (path) => {
    if (isConfigFile(path)) found.push(path);
  });
  return found.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
}

function dependenciesOf(findings: readonly Finding[]): Dependency[] {
  const known = new Map<string, Dependency>();
  for (const { dependencies } of findings)
    for (const each of dependencies) {
      const key = `${each.manifest}\n${each.name}`;
      const before = known.get(key);
      if (before === undefined || (before.kind === "dev" && each.kind === "runtime")) known.set(key, each);
    }
  return [...known.values()].sort((a, b) => Number(a.kind === "dev") - Number(b.kind === "dev"));
}

function entriesOf(findings: readonly Finding[]): EntryPoint[] {
  return [
    ...new Map(findings.flatMap(({ entryPoints }) => entryPoints).map((each) => [each.path, each])).values(),
  ];
}
