// Python: uv, poetry, pdm, pipenv, pip; pytest or unittest; ruff, flake8, black, mypy and their like. setup.py is a
// program and is not read; that it is there says enough.
import { isManifest } from "../manifests.ts";
import type { Purpose } from "../project-context.ts";
import { membersOf } from "./members.ts";
import {
  commandOf,
  dependencyOf,
  entries,
  type Finding,
  finding,
  hasCommand,
  type Module,
} from "./module.ts";
import { addSetUp, requirementFiles } from "./python-set-up.ts";
import { dependenciesIn, readToml, type Toml, textIn, textsIn } from "./toml.ts";

interface Python {
  readonly module: Module;
  readonly toml: Toml;
  readonly found: Finding;
  /** What a command is called through: `uv run `, or nothing. */
  readonly through: string;
  readonly packages: ReadonlySet<string>;
}

const manifests = ["pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt"];

export function findPython(module: Module): Finding | undefined {
  const manifest = manifests.find((name) => module.has(name)) ?? loneScript(module);
  if (manifest === undefined) return undefined;
  const toml = readToml(module.text("pyproject.toml") ?? "");
  const tool = toolOf(module, toml);
  const found = finding(module, {
    name: "Python",
    language: "Python",
    tool,
    version:
      textIn(toml.get("project")?.get("requires-python")) ??
      textIn(toml.get("tool.poetry.dependencies")?.get("python")) ??
      module.text(".python-version"),
    manifest,
  });
  addDependencies(module, toml, found);
  const packages = new Set(found.dependencies.map(({ name }) => name.toLowerCase()));
  // hatch makes its environments in a home and with the network: its tests are run as set-up leaves them.
  const through = tool === "pip" || tool === "hatch" ? "" : `${tool} run `;
  const python = { module, toml, found, through, packages };
  addTests(python);
  addLinters(python);
  addSetUp(python);
  addEntries(python);
  const workspace = toml.get("tool.uv.workspace");
  const globs = [
    ...textsIn(workspace?.get("members")),
    ...textsIn(workspace?.get("exclude")).map((glob) => `!${glob}`),
  ];
  found.workspaces.push(...membersOf(module, { globs, manifest: /^pyproject\.toml$/, tool: "uv" }));
  return found;
}

/** A target without any manifest may still be a few Python files. */
function loneScript(module: Module): string | undefined {
  if (module.root !== "." || module.names.some(isManifest)) return undefined;
  return module.names.find((name) => name.endsWith(".py"));
}

function toolOf(module: Module, toml: Toml): string {
  if (module.tool === "uv" || module.has("uv.lock") || toml.has("tool.uv")) return "uv";
  if (module.has("poetry.lock") || toml.has("tool.poetry")) return "poetry";
  if (module.has("pdm.lock") || toml.has("tool.pdm")) return "pdm";
  if (module.has("Pipfile")) return "pipenv";
  if (toml.has("tool.hatch.envs")) return "hatch";
  return "pip";
}

function addDependencies(module: Module, toml: Toml, found: Finding): void {
  const add = (manifest: string, kind: "runtime" | "dev", requirement: string) => {
    const [, name, version = ""] =
      /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*([^;#]*)/.exec(requirement) ?? [];
    if (name !== undefined)
      found.dependencies.push(dependencyOf(module, manifest, { name, version: version.trim(), kind }));
  };
  for (const each of textsIn(toml.get("project")?.get("dependencies")))
    add("pyproject.toml", "runtime", each);
  for (const table of ["project.optional-dependencies", "dependency-groups"])
    for (const list of toml.get(table)?.values() ?? [])
      for (const each of textsIn(list)) add("pyproject.toml", "dev", each);
  for (const each of textsIn(toml.get("tool.uv")?.get("dev-dependencies")))
    add("pyproject.toml", "dev", each);
  for (const table of toml.keys()) {
    if (!/^tool\.poetry\.(?:group\.[^.]+\.)?(?:dev-)?dependencies$/.test(table)) continue;
    const kind = table === "tool.poetry.dependencies" ? "runtime" : "dev";
    for (const [name, version] of dependenciesIn(toml, table))
      if (name !== "python")
        found.dependencies.push(dependencyOf(module, "pyproject.toml", { name, version, kind }));
  }
  for (const file of requirementFiles(module))
    for (const line of (module.text(file) ?? "").split(/\r?\n/, 500))
      add(file, file === "requirements.txt" ? "runtime" : "dev", line);
  const pipfile = readToml(module.text("Pipfile") ?? "");
  for (const [table, kind] of [
    ["packages", "runtime"],
    ["dev-packages", "dev"],
  ] as const)
    for (const [name, version] of dependenciesIn(pipfile, table))
      found.dependencies.push(dependencyOf(module, "Pipfile", { name, version, kind }));
}

/** Where a tool is set up: a table of pyproject.toml, a file of its own, a section of a shared one, a dependency. */
function placeOf(
  { module, toml, packages }: Python,
  question: { table?: string; files?: readonly string[]; section?: RegExp; name: string },
): { file: string; where?: string; declared: boolean } | undefined {
  const { table, files = [], section, name } = question;
  if (table !== undefined && toml.has(table))
    return { file: "pyproject.toml", where: `[${table}]`, declared: true };
  const own = files.find((file) => module.has(file));
  if (own !== undefined) return { file: own, declared: true };
  for (const file of section === undefined ? [] : ["setup.cfg", "tox.ini"]) {
    const line = section?.exec(module.text(file) ?? "")?.[0];
    if (line !== undefined) return { file, where: line, declared: true };
  }
  if (!packages.has(name)) return undefined;
  return {
    file: module.has("pyproject.toml") ? "pyproject.toml" : "requirements.txt",
    where: name,
    declared: true,
  };
}

function addTests(python: Python): void {
  const { module, found, through } = python;
  const pytest = placeOf(python, {
    table: "tool.pytest",
    files: ["pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"],
    section: /^\[(?:tool:)?pytest\]/m,
    name: "pytest",
  });
  if (pytest) {
    const run = through === "" ? "python3 -m pytest" : `${through}pytest`;
    found.commands.push(commandOf(module, "test", { run, ...pytest }));
  }
  if (module.has("tox.ini") && /^\[(?:tox|testenv)/m.test(module.text("tox.ini") ?? "")) {
    const does = /^[ \t]*commands[ \t]*=[ \t\n]*(.*(?:\n[ \t]+.*){0,3})/m.exec(
      module.text("tox.ini") ?? "",
    )?.[1];
    const offer = { run: "tox", file: "tox.ini", declared: true, ...(does === undefined ? {} : { does }) };
    found.commands.push(commandOf(module, "check", offer));
  }
  if (module.has("noxfile.py"))
    found.commands.push(commandOf(module, "check", { run: "nox", file: "noxfile.py", declared: true }));
  const first = module.paths().find((path) => /(?:^|\/)(?:test_[^/]+|[^/]+_test)\.py$/.test(path));
  if (!hasCommand(found, "test") && first !== undefined)
    found.commands.push(
      commandOf(module, "test", { run: `${through}python3 -m unittest discover`, file: first }),
    );
}

function addLinters(python: Python): void {
  const { module, found, through } = python;
  const tools: readonly (readonly [Purpose, string, Parameters<typeof placeOf>[1]])[] = [
    ["lint", "ruff check .", { table: "tool.ruff", files: ["ruff.toml", ".ruff.toml"], name: "ruff" }],
    ["lint", "flake8", { files: [".flake8"], section: /^\[flake8\]/m, name: "flake8" }],
    ["lint", "pylint .", { table: "tool.pylint", files: [".pylintrc"], name: "pylint" }],
    ["format", "ruff format --check .", { table: "tool.ruff.format", name: "" }],
    ["format", "black --check .", { table: "tool.black", name: "black" }],
    ["format", "isort --check .", { table: "tool.isort", files: [".isort.cfg"], name: "isort" }],
    ["types", "mypy .", { table: "tool.mypy", files: ["mypy.ini"], section: /^\[mypy\]/m, name: "mypy" }],
    ["types", "pyright", { table: "tool.pyright", files: ["pyrightconfig.json"], name: "pyright" }],
    ["types", "ty check", { table: "tool.ty", files: ["ty.toml"], name: "ty" }],
  ];
  for (const [purpose, run, question] of tools) {
    const place = placeOf(python, question);
    if (place) found.commands.push(commandOf(module, purpose, { run: `${through}${run}`, ...place }));
  }
}

function addEntries({ module, toml, found }: Python): void {
  for (const table of ["project.scripts", "tool.poetry.scripts"])
    for (const [name, value] of toml.get(table) ?? []) {
      const file = (textIn(value) ?? "").split(":")[0]?.replaceAll(".", "/") ?? "";
      const why = `pyproject.toml script ${name}`;
      entries(
        module,
        found,
        [`${file}.py`, `src/${file}.py`, `${file}/__init__.py`].map((path) => [path, why]),
      );
    }
  const mains = module.paths().filter((path) => /^(?:src\/)?[^/]+\/__main__\.py$/.test(path));
  const usual = [
    "main.py",
    "app.py",
    "manage.py",
    "wsgi.py",
    "asgi.py",
    "src/main.py",
    "app/main.py",
    "src/app.py",
  ];
  entries(
    module,
    found,
    mains.slice(0, 3).map((path) => [path, "python -m"]),
  );
  entries(
    module,
    found,
    usual.map((path) => [path, "usual name"]),
  );
}
