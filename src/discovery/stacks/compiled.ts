// Rust and Go: their own tool tests, checks and formats, so most commands are the usual ones. Cargo.toml goes through
// `toml.ts`; go.mod has a form of its own, one requirement to a line.
import { membersOf } from "./members.ts";
import { commandOf, dependencyOf, entries, type Finding, finding, firstOf, type Module } from "./module.ts";
import { dependenciesIn, readToml, textIn, textsIn } from "./toml.ts";

export function findRust(module: Module): Finding | undefined {
  const manifest = module.text("Cargo.toml");
  if (manifest === undefined) return undefined;
  const toml = readToml(manifest);
  const edition =
    textIn(toml.get("package")?.get("edition")) ?? textIn(toml.get("workspace.package")?.get("edition"));
  const found = finding(module, {
    name: "Rust",
    language: "Rust",
    tool: "cargo",
    version:
      textIn(toml.get("package")?.get("rust-version")) ??
      (edition === undefined ? undefined : `edition ${edition}`),
    manifest: "Cargo.toml",
  });
  const tables = [
    ["dependencies", "runtime"],
    ["workspace.dependencies", "runtime"],
    ["dev-dependencies", "dev"],
    ["build-dependencies", "dev"],
  ] as const;
  for (const [table, kind] of tables)
    for (const [name, version] of dependenciesIn(toml, table))
      found.dependencies.push(dependencyOf(module, "Cargo.toml", { name, version, kind }));
  const globs = textsIn(toml.get("workspace")?.get("members"));
  found.workspaces.push(...membersOf(module, { globs, manifest: /^Cargo\.toml$/, tool: "cargo" }));
  addCargo(module, found, toml.has("workspace") ? " --workspace" : "");
  const named = [...toml]
    .filter(([table]) => /^bin\[\d+\]$/.test(table))
    .map(([, keys]) => [textIn(keys.get("path")) ?? "", "Cargo.toml [[bin]]"] as const);
  const bins = module.paths().filter((path) => /^src\/bin\/(?:[^/]+\.rs|[^/]+\/main\.rs)$/.test(path));
  entries(module, found, named);
  entries(module, found, [
    ["src/main.rs", "binary crate"],
    ["src/lib.rs", "library crate"],
  ]);
  entries(
    module,
    found,
    bins.slice(0, 5).map((path) => [path, "binary"]),
  );
  return found;
}

function addCargo(module: Module, found: Finding, all: string): void {
  const clippy = firstOf(module, ["clippy.toml", ".clippy.toml"]);
  const format = firstOf(module, ["rustfmt.toml", ".rustfmt.toml"]);
  const usual = { file: "Cargo.toml", where: "(cargo)" };
  found.commands.push(
    commandOf(module, "test", { run: `cargo test${all}`, ...usual }),
    commandOf(module, "lint", {
      run: `cargo clippy${all} --all-targets`,
      ...(clippy === undefined ? usual : { file: clippy, declared: true }),
    }),
    commandOf(module, "format", {
      run: "cargo fmt --all --check",
      ...(format === undefined ? usual : { file: format, declared: true }),
    }),
    commandOf(module, "types", { run: `cargo check${all} --all-targets`, ...usual }),
  );
  const lock = module.has("Cargo.lock") ? module.at("Cargo.lock") : null;
  found.setup.push({
    run: lock === null ? "cargo fetch" : "cargo fetch --locked",
    cwd: module.root,
    lock_file: lock,
    found_in: lock ?? module.at("Cargo.toml"),
  });
}

export function findGo(module: Module): Finding | undefined {
  const manifest = firstOf(module, ["go.mod", "go.work"]);
  if (manifest === undefined) return undefined;
  const text = module.text(manifest) ?? "";
  const found = finding(module, {
    name: "Go",
    language: "Go",
    tool: "go",
    version: /^go\s+(\S+)/m.exec(text)?.[1],
    manifest,
  });
  for (const [, name = "", version = "", rest = ""] of text.matchAll(
    /^(?:require)?[ \t]*([\w-]{1,80}(?:\.[\w-]{0,80}){1,20}[\w./~-]{0,200})[ \t]+(v[^\s]+)([^\n]*)$/gm,
  ))
    if (!rest.includes("indirect"))
      found.dependencies.push(dependencyOf(module, manifest, { name, version, kind: "runtime" }));
  found.workspaces.push(...goMembers(module));
  const linter = module.names.find((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name));
  const usual = { file: manifest, where: "(go)" };
  const all = packagesOf(module, found);
  found.commands.push(
    commandOf(module, "test", { run: `go test ${all}`, ...usual }),
    ...(linter === undefined
      ? []
      : [commandOf(module, "lint", { run: "golangci-lint run", file: linter, declared: true })]),
    commandOf(module, "lint", { run: `go vet ${all}`, ...usual }),
    commandOf(module, "format", { run: "gofmt -l .", ...usual }),
    commandOf(module, "build", { run: `go build ${all}`, ...usual }),
  );
  addDownload(module, { found, manifest });
  const mains = module.paths().filter((path) => /^(?:cmd\/(?:[^/]+\/)?)?main\.go$/.test(path));
  entries(
    module,
    found,
    mains.slice(0, 8).map((path) => [path, "package main"]),
  );
  return found;
}

/** A workspace without a module of its own has packages in its members alone; go refuses `./...` there. */
function packagesOf(module: Module, { workspaces }: Finding): string {
  const members = workspaces
    .map(({ path }) => inside(module, path))
    .filter((path) => /^[\w./-]+$/.test(path));
  if (module.has("go.mod") || members.length === 0 || members.length > 20) return "./...";
  return members.map((path) => `./${path}/...`).join(" ");
}

/** Without go.sum, `all` writes one: no build goes on without it. A workspace's packages are those of its members. */
function addDownload(module: Module, { found, manifest }: { found: Finding; manifest: string }): void {
  const folders = [".", ...found.workspaces.map(({ path }) => inside(module, path))];
  const has = (folder: string, name: string) => module.has(folder === "." ? name : `${folder}/${name}`);
  const summed = folders.find((folder) => has(folder, "go.sum"));
  const isListed = folders.some((folder) =>
    /^(?:require)?[ \t]*[\w.-]{1,80}\.[\w./~-]{1,200}[ \t]+v\d/m.test(
      module.text(folder === "." ? "go.mod" : `${folder}/go.mod`) ?? "",
    ),
  );
  if (summed === undefined && !isListed) return;
  const lock = summed === undefined ? null : module.at(summed === "." ? "go.sum" : `${summed}/go.sum`);
  found.setup.push({
    run: lock === null ? "go mod download all" : "go mod download",
    cwd: module.root,
    lock_file: lock,
    found_in: lock ?? module.at(manifest),
  });
}

const inside = (module: Module, path: string) =>
  module.root === "." ? path : path.slice(module.root.length + 1);

/** `use ./a` or `use ( ./a ./b )`. */
function goMembers(module: Module) {
  const work = module.text("go.work") ?? "";
  const globs = [...work.matchAll(/^(?:use)?[ \t]+"?(\.[\w./-]*)"?[ \t]*(?:\/\/.*)?$/gm)].map(
    ([, path = ""]) => path,
  );
  return membersOf(module, { globs, manifest: /^go\.mod$/, tool: "go" });
}
