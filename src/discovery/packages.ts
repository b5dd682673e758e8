// One context per package of a workspace (D26): what each member declares itself, beside what holds for the whole. A member
// is looked at with the tool of its root, and needs no set-up of its own: the root's covers it.
import type { Command, Dependency, ProjectContext, Workspace } from "./project-context.ts";
import type { ProjectFiles } from "./project-files.ts";
import { lookInto } from "./stacks/find-stacks.ts";
import { moduleAt } from "./stacks/module.ts";

const mostPackages = 40;
const mostEach = 12;

export type Package = NonNullable<ProjectContext["packages"]>[number];

export function packagesOf(files: ProjectFiles, workspaces: readonly Workspace[]): Package[] {
  const members = workspaces.filter(({ path }) => path !== ".");
  if (members.length > mostPackages)
    files.notes.add(`${mostPackages} of ${members.length} packages have a context of their own`);
  return members.slice(0, mostPackages).flatMap(({ path, tool }) => {
    const found = lookInto({ ...moduleAt(files, path), tool });
    const [first] = found;
    if (!first) return [];
    const commands = distinct(found.flatMap((each) => each.commands));
    const dependencies = found.flatMap((each) => each.dependencies);
    return [
      {
        ...{ path, name: first.name ?? null, stack: first.stack.name, language: first.stack.language },
        ...{ tool: first.stack.tool, manifest: first.stack.manifest },
        test_framework: testFramework(commands, dependencies),
        commands: commands.slice(0, mostEach),
        dependencies: dependencies
          .slice(0, mostEach)
          .map(({ name, version, kind }) => ({ name, version, kind })),
      },
    ];
  });
}

const distinct = (commands: readonly Command[]) => [
  ...new Map(commands.map((each) => [`${each.purpose} ${each.run}`, each])).values(),
];

const frameworks = [
  ...[
    "vitest",
    "jest",
    "mocha",
    "ava",
    "playwright",
    "cypress",
    "karma",
    "jasmine",
    "tap",
    "uvu",
    "pytest",
    "nose2",
  ],
  ...[
    "unittest",
    "tox",
    "nox",
    "rspec",
    "minitest",
    "phpunit",
    "pest",
    "junit",
    "testng",
    "kotest",
    "spock",
    "xunit",
    "nunit",
  ],
];

/** What the test command runs counts before what is merely installed. */
export function testFramework(
  commands: readonly Pick<Command, "purpose" | "run" | "does">[],
  dependencies: readonly Pick<Dependency, "name">[],
): string | null {
  const run = commands
    .filter(({ purpose }) => purpose === "test")
    .map(({ run: words, does = "" }) => `${words} ${does}`);
  for (const text of run) {
    if (/\bnode\s/.test(text) && /\s--test\b/.test(text)) return "node:test";
    const own = /\b(?:cargo|go|dotnet|deno|bun|mix|zig|swift|dart|flutter)\s(?:nextest\s)?test\b/.exec(
      text,
    )?.[0];
    if (own !== undefined) return own;
    const named = frameworks.find((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "i").test(text));
    if (named !== undefined) return named;
  }
  const installed = dependencies.map(({ name }) => name.toLowerCase().replace(/^@[^/]+\//, ""));
  return (
    frameworks.find((name) => installed.some((each) => each === name || each.startsWith(`${name}-`))) ?? null
  );
}
