// Folders for the tests of discovery: made for one test file, gone after it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { discoverProject } from "../../src/discovery/discover.ts";
import type { Limits } from "../../src/discovery/limits.ts";
import { type ProjectContext, projectContext } from "../../src/discovery/project-context.ts";

const made: string[] = [];

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export function folderWith(files: Readonly<Record<string, string>> = {}, under = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(under, "heddle-discovery-")));
  made.push(folder);
  write(folder, files);
  return folder;
}

export function repositoryWith(files: Readonly<Record<string, string>>): string {
  const folder = folderWith(files);
  git(folder, "init", "-q");
  return folder;
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export function git(folder: string, ...args: string[]): string {
  const { PATH } = process.env;
  const { stdout, stderr, status } = spawnSync("git", ["-C", folder, ...args], {
    encoding: "utf8",
    env: { PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** The context of a target that is fine; it has the shape that is promised for the saved file. */
export async function contextOf(target: string, limits: Partial<Limits> = {}): Promise<ProjectContext> {
  const found = await discoverProject(target, { limits });
  if ("code" in found) throw new Error(found.message);
  expectPlain(found);
  return projectContext.parse(found);
}

/** What is saved is what was found: nothing in it is lost or changed by JSON or by the schema. */
function expectPlain(context: ProjectContext): void {
  const again = JSON.stringify(projectContext.parse(JSON.parse(JSON.stringify(context))));
  if (again !== JSON.stringify(context)) throw new Error("the context is not plain JSON of its own schema");
}

export const commandsFor = (context: ProjectContext, purpose: string) =>
  context.commands.filter((command) => command.purpose === purpose).map(({ run }) => run);

export const versions = (context: ProjectContext) =>
  Object.fromEntries(context.dependencies.map(({ name, version }) => [name, version]));
