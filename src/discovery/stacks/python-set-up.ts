// What a Python project needs before its tests run: what a lock file or requirements.txt lists, and without a lock file the project
// itself, in place, with the extras and groups that its developers use. Nothing of the project's is run to find that out.
import type { Finding, Module } from "./module.ts";
import { type Toml, textsIn } from "./toml.ts";

const locked: readonly (readonly [string, string])[] = [
  ["uv.lock", "uv sync --locked"],
  ["poetry.lock", "poetry install"],
  ["pdm.lock", "pdm sync"],
  ["Pipfile.lock", "pipenv sync --dev"],
];

interface Asked {
  readonly module: Module;
  readonly toml: Toml;
  readonly found: Finding;
}

export function addSetUp(asked: Asked): void {
  const { module, found } = asked;
  const { root: cwd } = module;
  const lock = locked.find(([name]) => module.has(name));
  if (lock) {
    const [name, run] = lock;
    found.setup.push({
      run: `${run}${everyMember(asked)}`,
      cwd,
      lock_file: module.at(name),
      found_in: module.at(name),
    });
    return;
  }
  for (const file of requirementFiles(module)) {
    const run = `python3 -m pip install -r ${file}`;
    found.setup.push({ run, cwd, lock_file: module.at(file), found_in: module.at(file) });
  }
  const run = unlocked(asked);
  const manifest = ["setup.py", "pyproject.toml", "setup.cfg", "Pipfile"].find((name) => module.has(name));
  if (run !== undefined && manifest !== undefined)
    found.setup.push({ run, cwd, lock_file: null, found_in: module.at(manifest) });
}

/** uv leaves the members of a workspace out unless it is told to take them. */
const everyMember = ({ toml, found }: Asked) =>
  found.stack.tool === "uv" && toml.has("tool.uv.workspace") ? " --all-packages" : "";

export const requirementFiles = (module: Module) =>
  module.names.filter((name) => /^requirements[-\w]*\.txt$/.test(name)).slice(0, 4);

function unlocked(asked: Asked): string | undefined {
  const { module, toml, found } = asked;
  const own = { uv: "uv sync", poetry: "poetry install", pdm: "pdm install", pipenv: "pipenv install --dev" }[
    found.stack.tool ?? ""
  ];
  if (own !== undefined)
    return ["project", "tool.poetry", "tool.uv.workspace"].some((table) => toml.has(table)) ||
      module.has("Pipfile")
      ? `${own}${everyMember(asked)}`
      : undefined;
  const extras = [...(toml.get("project.optional-dependencies") ?? [])].filter(([name]) =>
    forTests.test(name),
  );
  const more = [...groups(toml), ...environments(toml)].filter((each) => requirement.test(each));
  const packages = [...new Set([...more, ...runner(asked, [...extras.map(([, list]) => list), more])])];
  const place = extras.length > 0 ? `".[${extras.map(([name]) => name).join(",")}]"` : ".";
  const parts = [...(isInstalled(asked) ? [`-e ${place}`] : []), ...packages.map(quoted)];
  return parts.length === 0 ? undefined : `python3 -m pip install ${parts.join(" ")}`;
}

/** What developers call the extras and groups that their tests need. */
const forTests = /^(?:tests?|testing|dev|develop|development)$/i;

/** Text of the project that becomes part of a command: names, versions and markers, and nothing that ends a quotation. */
const requirement = /^[A-Za-z0-9][\w.[\],<>=!~ *+;()"-]{0,200}$/;

const quoted = (each: string) => (/^[\w.-]+$/.test(each) ? each : `'${each}'`);

/**
 * Whether the project itself must be installed: its code is not where Python looks for it, it has packages to bring along, or
 * nobody can tell without running it.
 */
function isInstalled({ module, toml, found }: Asked): boolean {
  if (module.has("setup.py")) return true;
  if (!toml.has("project") && !module.has("setup.cfg")) return false;
  const here = new Set([module.at("pyproject.toml"), module.at("setup.cfg")]);
  return (
    found.dependencies.some(({ manifest }) => here.has(manifest)) ||
    module.paths().some((path) => /^src\/.+\.py$/.test(path)) ||
    (toml.get("project.scripts")?.size ?? 0) > 0
  );
}

function groups(toml: Toml): string[] {
  const all = toml.get("dependency-groups");
  const seen = new Set<string>();
  const open = [...(all?.keys() ?? [])].filter((name) => forTests.test(name));
  const listed: string[] = [];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const list = all?.get(name);
    listed.push(...textsIn(list));
    for (const each of Array.isArray(list) ? list : []) {
      const other: unknown = (each as Record<string, unknown> | null)?.["include-group"];
      if (typeof other === "string") open.push(other);
    }
  }
  return listed;
}

function environments(toml: Toml): string[] {
  return [...toml.keys()]
    .filter((table) => /^tool\.hatch\.envs\.(?:default|hatch-test|tests?|dev)$/.test(table))
    .flatMap((table) => [
      ...textsIn(toml.get(table)?.get("dependencies")),
      ...textsIn(toml.get(table)?.get("extra-dependencies")),
    ]);
}

/** pytest, where the tests are run with it and nothing that is installed brings it along. */
function runner({ module, found }: Asked, chosen: readonly unknown[]): string[] {
  const isRun = found.commands.some(({ run }) => run === "python3 -m pytest");
  const runtime = found.dependencies.filter(({ kind }) => kind === "runtime").map(({ name }) => name);
  const files = requirementFiles(module).flatMap((file) => (module.text(file) ?? "").split("\n", 500));
  const all = [...chosen.flatMap((list) => textsIn(list)), ...runtime, ...files];
  return isRun && !all.some((each) => /^pytest\b/i.test(each.trim())) ? ["pytest"] : [];
}
