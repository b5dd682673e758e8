// .NET: solutions and projects. Project files are XML, read by pattern, because there is no XML library here and the
// two elements that matter are always written in the same way.
import { commandOf, dependencyOf, entries, type Finding, finding, type Module } from "./module.ts";

const maxProjects = 12;

export function findDotNet(module: Module): Finding | undefined {
  const manifest =
    module.names.find((name) => /\.slnx?$/.test(name)) ?? module.names.find((name) => isProject(name));
  if (manifest === undefined) return undefined;
  const projects = module.paths().filter(isProject);
  const first = projects.slice(0, maxProjects);
  const found = finding(module, {
    name: ".NET",
    language: projects.some((path) => path.endsWith(".csproj")) ? "C#" : "F#",
    tool: "dotnet",
    version: frameworks(module, first),
    manifest,
  });
  for (const path of [...first, "Directory.Packages.props"]) addPackages(module, path, found);
  const usual = { file: manifest, where: "(dotnet)" };
  found.commands.push(
    commandOf(module, "test", { run: "dotnet test", ...usual }),
    commandOf(module, "build", { run: "dotnet build", ...usual }),
  );
  if (module.has(".editorconfig"))
    found.commands.push(
      commandOf(module, "format", {
        run: "dotnet format --verify-no-changes",
        file: ".editorconfig",
        declared: true,
      }),
    );
  const lock = module.paths().find((path) => /(?:^|\/)packages\.lock\.json$/.test(path));
  found.setup.push({
    run: lock === undefined ? "dotnet restore" : "dotnet restore --locked-mode",
    cwd: module.root,
    lock_file: lock === undefined ? null : module.at(lock),
    found_in: module.at(lock ?? manifest),
  });
  if (projects.length > 1)
    for (const path of projects)
      if (path.includes("/"))
        found.workspaces.push({ path: module.at(path.slice(0, path.lastIndexOf("/"))), tool: "dotnet" });
  const mains = module.paths().filter((path) => /(?:^|\/)(?:Program|Startup)\.(?:cs|fs)$/.test(path));
  entries(
    module,
    found,
    mains.slice(0, 5).map((path) => [path, "usual name"]),
  );
  return found;
}

/** Frameworks that stand there as they are, not by way of a property. */
function frameworks(module: Module, projects: readonly string[]): string | undefined {
  for (const path of projects) {
    const named = /<TargetFrameworks?>([^<]{1,200})</.exec(module.text(path) ?? "")?.[1]?.split(";") ?? [];
    const plainly = named.filter((each) => !each.includes("$("));
    if (plainly.length > 0) return plainly.join(";");
  }
  return undefined;
}

const isProject = (path: string) => /\.(?:cs|fs|vb)proj$/.test(path);

function addPackages(module: Module, path: string, found: Finding): void {
  const text = module.text(path) ?? "";
  const isTest = /Microsoft\.NET\.Test\.Sdk|<IsTestProject>\s*true/i.test(text);
  for (const [tag] of text.matchAll(/<Package(?:Reference|Version)\b[^>]{0,400}>/g)) {
    const name = /\bInclude\s*=\s*"([^"]+)"/.exec(tag)?.[1];
    const version = /\bVersion\s*=\s*"([^"]+)"/.exec(tag)?.[1] ?? null;
    if (name !== undefined)
      found.dependencies.push(
        dependencyOf(module, path, { name, version, kind: isTest ? "dev" : "runtime" }),
      );
  }
}
