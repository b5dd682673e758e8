// C and C++: CMake, Meson, autotools, or a Makefile beside C sources. Build files are programs; what is taken from them
// is taken by pattern. Work is checked in a fresh checkout, where nothing is built: a test command configures and builds first.
import { commandOf, dependencyOf, entries, type Finding, finding, firstOf, type Module } from "./module.ts";

const builds = [
  ["CMakeLists.txt", "cmake"],
  ["meson.build", "meson"],
  ["configure.ac", "autotools"],
  ["GNUmakefile", "make"],
  ["Makefile", "make"],
  ["makefile", "make"],
] as const;

export function findNative(module: Module): Finding | undefined {
  const build = builds.find(([name]) => module.has(name));
  const isC = (path: string) => /\.(?:c|cc|cpp|cxx|h|hpp|hh)$/.test(path);
  if (build === undefined || !module.paths().some(isC)) return undefined;
  const [manifest, tool] = build;
  // Beside another manifest a Makefile is a list of commands, not the way C is built.
  if (tool === "make" && module.names.some((name) => otherManifests.test(name))) return undefined;
  const text = module.text(manifest) ?? "";
  const found = finding(module, {
    name: "C/C++",
    language: module.paths().some((path) => /\.(?:cc|cpp|cxx|hpp|hh)$/.test(path)) ? "C++" : "C",
    tool,
    version: /CMAKE_(?:CXX|C)_STANDARD\s+(\d+)/.exec(text)?.[1] ?? /\b(?:cpp|c)_std=([\w+]+)/.exec(text)?.[1],
    manifest,
  });
  if (tool === "cmake") addCMake(module, text, found);
  if (tool === "meson") addMeson(module, text, found);
  if (tool === "autotools") addAutotools(module, found);
  addPackages(module, found);
  const mains = module.paths().filter((path) => /(?:^|\/)main\.(?:c|cc|cpp|cxx)$/.test(path));
  entries(
    module,
    found,
    mains.slice(0, 5).map((path) => [path, "usual name"]),
  );
  return found;
}

const otherManifests =
  /^(?:package\.json|pyproject\.toml|setup\.py|Cargo\.toml|go\.mod|pom\.xml|Gemfile|composer\.json)$/;

function addCMake(module: Module, text: string, found: Finding): void {
  const usual = { file: "CMakeLists.txt", where: "(cmake)" };
  const build = "cmake -S . -B build && cmake --build build";
  found.commands.push(commandOf(module, "build", { run: build, ...usual }));
  const tested = /^[ \t]*(enable_testing|add_test|include\s*\(\s*CTest)\b/im.exec(text)?.[1];
  const inner = module.paths().some((path) => /^tests?\/CMakeLists\.txt$/.test(path));
  if (tested !== undefined || inner) {
    const where = tested === undefined ? {} : { where: tested };
    const run = `${build} && ctest --test-dir build --output-on-failure`;
    found.commands.push(commandOf(module, "test", { run, file: "CMakeLists.txt", ...where, declared: true }));
  }
  for (const [, name = "", version] of text.matchAll(
    /^[ \t]*find_package\s*\(\s*([\w+-]+)(?:\s+([\d.]+))?/gim,
  ))
    found.dependencies.push(
      dependencyOf(module, "CMakeLists.txt", { name, version: version ?? null, kind: "runtime" }),
    );
  found.setup.push({
    run: "cmake -S . -B build",
    cwd: module.root,
    lock_file: null,
    found_in: module.at("CMakeLists.txt"),
  });
}

function addMeson(module: Module, text: string, found: Finding): void {
  const usual = { file: "meson.build", where: "(meson)" };
  const setUp = "meson setup build";
  const build = `${setUp} && meson compile -C build`;
  found.commands.push(commandOf(module, "build", { run: build, ...usual }));
  if (/^[ \t]*(?:test|subdir)\s*\(/m.test(text))
    found.commands.push(commandOf(module, "test", { run: `${setUp} && meson test -C build`, ...usual }));
  for (const [, name = ""] of text.matchAll(/\bdependency\s*\(\s*'([^']+)'/g))
    found.dependencies.push(dependencyOf(module, "meson.build", { name, version: null, kind: "runtime" }));
  found.setup.push({
    run: setUp,
    cwd: module.root,
    lock_file: null,
    found_in: module.at("meson.build"),
  });
}

function addAutotools(module: Module, found: Finding): void {
  const usual = { file: "configure.ac", where: "(autotools)" };
  const configure = module.has("configure") ? "./configure" : "autoreconf -i && ./configure";
  found.commands.push(
    commandOf(module, "build", { run: `${configure} && make`, ...usual }),
    commandOf(module, "test", { run: `${configure} && make check`, ...usual }),
  );
  found.setup.push({
    run: configure,
    cwd: module.root,
    lock_file: null,
    found_in: module.at("configure.ac"),
  });
}

function addPackages(module: Module, found: Finding): void {
  const conan = firstOf(module, ["conanfile.txt", "conanfile.py"]);
  if (conan === undefined) return;
  for (const [, name = "", version = ""] of (module.text(conan) ?? "").matchAll(
    /["'\n]([a-z][\w.+-]+)\/([\d][\w.+-]*)/g,
  ))
    found.dependencies.push(dependencyOf(module, conan, { name, version, kind: "runtime" }));
}
