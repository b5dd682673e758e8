// Ruby: bundler; rspec, minitest or Rails' own tests; rubocop. A Gemfile is a program: its `gem` lines are read, it is
// not run.
import { commandOf, dependencyOf, entries, type Finding, finding, firstOf, type Module } from "./module.ts";

export function findRuby(module: Module): Finding | undefined {
  const gemspec = module.names.find((name) => name.endsWith(".gemspec"));
  const manifest = module.has("Gemfile") ? "Gemfile" : gemspec;
  if (manifest === undefined) return undefined;
  const gemfile = module.text("Gemfile") ?? "";
  const found = finding(module, {
    name: "Ruby",
    language: "Ruby",
    tool: module.has("Gemfile") ? "bundler" : "gem",
    version: module.text(".ruby-version") ?? /^ruby\s+["']([^"']+)["']/m.exec(gemfile)?.[1],
    manifest,
  });
  addGems(module, gemfile, found);
  if (gemspec !== undefined) addSpecGems(module, gemspec, found);
  addCommands(module, found);
  const lock = module.has("Gemfile.lock") ? module.at("Gemfile.lock") : null;
  if (module.has("Gemfile"))
    found.setup.push({
      run: "bundle install",
      cwd: module.root,
      lock_file: lock,
      found_in: lock ?? module.at("Gemfile"),
    });
  const bins = module.paths().filter((path) => /^(?:exe|bin)\/[^/]+$/.test(path));
  entries(module, found, [
    ["config.ru", "Rack"],
    ["config/application.rb", "Rails"],
    ["main.rb", "usual name"],
    ["app.rb", "usual name"],
    ...(gemspec === undefined ? [] : [[`lib/${gemspec.slice(0, -".gemspec".length)}.rb`, "gem"] as const]),
    ...bins.slice(0, 4).map((path) => [path, "executable"] as const),
  ]);
  return found;
}

/** A `group :test do … end` block makes what is in it a development dependency. */
function addGems(module: Module, gemfile: string, found: Finding): void {
  let group: "runtime" | "dev" = "runtime";
  for (const line of gemfile.split(/\r?\n/, 2000)) {
    if (/^\s*group\b.*\bdo\b/.test(line)) group = /:(?:test|development)/.test(line) ? "dev" : "runtime";
    else if (/^\s*end\b/.test(line)) group = "runtime";
    const [, name, version] =
      /^\s*gem(?:\s*\(|(?=\s|["']))\s*["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?/.exec(line) ?? [];
    const kind = /\bgroups?:\s*\[?:(?:test|development)/.test(line) ? "dev" : group;
    if (name !== undefined)
      found.dependencies.push(dependencyOf(module, "Gemfile", { name, version: version ?? null, kind }));
  }
}

function addSpecGems(module: Module, gemspec: string, found: Finding): void {
  const line = /\.add_(development_|runtime_)?dependency[\s(]+["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?/g;
  for (const [, how, name = "", version = null] of (module.text(gemspec) ?? "").matchAll(line)) {
    const kind = how === "development_" ? "dev" : "runtime";
    found.dependencies.push(dependencyOf(module, gemspec, { name, version, kind }));
  }
}

function addCommands(module: Module, found: Finding): void {
  const gems = new Set(found.dependencies.map(({ name }) => name));
  const { manifest } = found.stack;
  const file = manifest.slice(manifest.lastIndexOf("/") + 1);
  const through = module.has("Gemfile") ? "bundle exec " : "";
  const rspec = firstOf(module, [".rspec", "spec/spec_helper.rb"]);
  if (rspec !== undefined || gems.has("rspec") || gems.has("rspec-rails")) {
    const place = rspec === undefined ? { file, where: "rspec" } : { file: rspec };
    found.commands.push(commandOf(module, "test", { run: `${through}rspec`, ...place, declared: true }));
  } else if (module.has("bin/rails"))
    found.commands.push(commandOf(module, "test", { run: "bin/rails test", file: "bin/rails" }));
  else if (module.has("Rakefile"))
    found.commands.push(
      commandOf(module, "test", {
        run: `${through}rake test`,
        file: "Rakefile",
        declared: /TestTask|task\s+:?test\b/.test(module.text("Rakefile") ?? ""),
      }),
    );
  const rubocop = module.has(".rubocop.yml");
  if (rubocop || gems.has("rubocop"))
    found.commands.push(
      commandOf(module, "lint", {
        run: `${through}rubocop`,
        ...(rubocop ? { file: ".rubocop.yml" } : { file, where: "rubocop" }),
        declared: true,
      }),
    );
  if (gems.has("standard"))
    found.commands.push(
      commandOf(module, "lint", { run: `${through}standardrb`, file, where: "standard", declared: true }),
    );
}
