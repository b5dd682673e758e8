// Stacks that are known by name and by their own tool's usual commands. Their manifests are not read: most of them are
// programs.
import type { Setup } from "../project-context.ts";
import { commandOf, entries, type Finding, finding, firstOf, type Module } from "./module.ts";

interface Other {
  readonly manifests: readonly string[];
  readonly name: string;
  readonly language: string;
  readonly tool: string;
  /** Where its packages come from a lock file. */
  readonly lock?: string;
  readonly setup?: string;
  readonly test: string;
  /** Without a file like this there are no tests. */
  readonly tests?: RegExp;
  /** Where a file like `of` has to be compiled first. */
  readonly compiled?: { readonly of: RegExp; readonly test: string };
  readonly lint?: string;
  readonly format?: string;
  readonly entry: readonly string[];
}

const others: readonly Other[] = [
  {
    manifests: ["deno.json", "deno.jsonc"],
    name: "Deno",
    language: "TypeScript",
    tool: "deno",
    lock: "deno.lock",
    setup: "deno install --frozen",
    test: "deno test",
    lint: "deno lint",
    format: "deno fmt --check",
    entry: ["main.ts", "mod.ts", "src/main.ts"],
  },
  {
    manifests: ["Package.swift"],
    name: "Swift",
    language: "Swift",
    tool: "swift",
    lock: "Package.resolved",
    setup: "swift package resolve",
    test: "swift test",
    entry: ["Sources/main.swift"],
  },
  {
    manifests: ["mix.exs"],
    name: "Elixir",
    language: "Elixir",
    tool: "mix",
    lock: "mix.lock",
    setup: "mix deps.get --check-locked",
    test: "mix test",
    format: "mix format --check-formatted",
    entry: [],
  },
  {
    manifests: ["pubspec.yaml"],
    name: "Dart",
    language: "Dart",
    tool: "dart",
    lock: "pubspec.lock",
    setup: "dart pub get",
    test: "dart test",
    lint: "dart analyze",
    format: "dart format --output=none --set-exit-if-changed .",
    entry: ["lib/main.dart", "bin/main.dart"],
  },
  {
    // CPAN modules are those of the machine: a cpanfile names them, and nothing here installs them.
    manifests: ["Makefile.PL", "Build.PL", "cpanfile", "dist.ini"],
    name: "Perl",
    language: "Perl",
    tool: "perl",
    test: "prove -lr t",
    tests: /^t\/.*\.t$/,
    compiled: { of: /\.xs$/, test: "perl Makefile.PL && make test" },
    entry: [],
  },
  {
    manifests: [".busted"],
    name: "Lua",
    language: "Lua",
    tool: "busted",
    test: "busted",
    entry: [],
  },
];

export function findOthers(module: Module): Finding[] {
  return others.flatMap((other) => {
    const manifest = firstOf(module, other.manifests);
    if (manifest === undefined) return [];
    const found = finding(module, { ...other, manifest });
    const usual = { file: manifest, where: `(${other.tool})` };
    for (const purpose of ["test", "lint", "format"] as const) {
      const run = purpose === "test" ? testOf(module, other) : other[purpose];
      if (run !== undefined) found.commands.push(commandOf(module, purpose, { run, ...usual }));
    }
    found.setup.push(...setUpOf(module, other, manifest));
    entries(
      module,
      found,
      other.entry.map((path) => [path, "usual name"]),
    );
    return [found];
  });
}

function testOf(module: Module, { test, tests, compiled }: Other): string | undefined {
  const hasLike = (name: RegExp) => module.paths().some((path) => name.test(path));
  if (tests && !hasLike(tests)) return undefined;
  return compiled && hasLike(compiled.of) ? compiled.test : test;
}

function setUpOf(module: Module, { lock: name, setup: run }: Other, manifest: string): Setup[] {
  if (name === undefined || run === undefined) return [];
  const lock = module.has(name) ? module.at(name) : null;
  return [{ run, cwd: module.root, lock_file: lock, found_in: lock ?? module.at(manifest) }];
}
