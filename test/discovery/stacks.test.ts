// Each stack by its files: what it is, how it is set up, tested and checked, what it depends on, where it begins.
import { describe, expect, it } from "vitest";
import { commandsFor, contextOf, folderWith, versions } from "./folders.ts";

const json = (value: unknown) => JSON.stringify(value, null, 2);

describe("Node.js", () => {
  it("D5 takes commands from the scripts of package.json and set-up from the lock file", async () => {
    const context = await contextOf(
      folderWith({
        "package.json": json({
          name: "shop",
          type: "module",
          main: "./dist/index.js",
          engines: { node: ">=22" },
          scripts: {
            test: "vitest run",
            lint: "eslint .",
            typecheck: "tsc --noEmit",
            "format:check": "prettier --check .",
            deploy: "rm -rf /",
          },
          dependencies: { zod: "^4.0.0", mine: "git+https://me:secret@example.org/mine.git" },
          devDependencies: { typescript: "5.9.2" },
        }),
        "package-lock.json": "{}",
        "tsconfig.json": "{}",
        "src/index.ts": "export {};\n",
      }),
    );
    expect(context.stacks).toMatchObject([
      { name: "Node.js", language: "TypeScript", tool: "npm", version: ">=22", manifest: "package.json" },
    ]);
    expect(commandsFor(context, "test")).toEqual(["npm test"]);
    expect(commandsFor(context, "lint")).toEqual(["npm run lint"]);
    expect(commandsFor(context, "types")).toEqual(["npm run typecheck"]);
    expect(commandsFor(context, "format")).toEqual(["npm run format:check"]);
    expect(context.commands.every(({ declared }) => declared)).toBe(true);
    expect(context.commands[0]).toMatchObject({ found_in: "package.json scripts.test", does: "vitest run" });
    expect(context.setup).toEqual([
      { run: "npm ci", cwd: ".", lock_file: "package-lock.json", found_in: "package-lock.json" },
    ]);
    expect(context.entry_points).toEqual([{ path: "src/index.ts", why: "package.json main" }]);
    expect(versions(context)).toMatchObject({ zod: "^4.0.0", typescript: "5.9.2" });
    expect(JSON.stringify(context)).not.toContain("secret");
    expect(context.integration_requirements).toContain(
      "tests: `npm test` must pass (package.json scripts.test)",
    );
    expect(context.integration_requirements).toContain(
      "set-up: `npm ci`; a new dependency changes package-lock.json too",
    );
  });

  it.each([
    ["pnpm", "pnpm-lock.yaml", {}, "pnpm install --frozen-lockfile", "pnpm run lint"],
    ["yarn", "yarn.lock", {}, "yarn install --frozen-lockfile", "yarn run lint"],
    ["yarn", "yarn.lock", { packageManager: "yarn@4.1.0" }, "yarn install --immutable", "yarn run lint"],
    ["bun", "bun.lock", {}, "bun install --frozen-lockfile", "bun run lint"],
  ])("D5 knows %s by %s", async (tool, lock, more, setup, lint) => {
    const context = await contextOf(
      folderWith({ "package.json": json({ scripts: { lint: "x" }, ...more }), [lock]: "" }),
    );
    expect(context.stacks).toMatchObject([{ tool }]);
    expect(context.setup).toMatchObject([{ run: setup, lock_file: lock }]);
    expect(commandsFor(context, "lint")).toEqual([lint]);
  });

  it("D5 names usual commands as usual when no script declares them", async () => {
    const context = await contextOf(
      folderWith({
        "package.json": json({
          scripts: { test: 'echo "Error: no test specified" && exit 1' },
          devDependencies: { jest: "29", eslint: "9" },
        }),
        "eslint.config.js": "",
      }),
    );
    expect(context.commands).toMatchObject([
      { purpose: "test", run: "npx jest", declared: false, found_in: "package.json jest" },
      { purpose: "lint", run: "npx eslint .", declared: true, found_in: "eslint.config.js" },
    ]);
    expect(context.setup).toMatchObject([{ run: "npm install", lock_file: null }]);
  });
});

describe("Python", () => {
  it("D5 reads uv, pytest, ruff and mypy from pyproject.toml", async () => {
    const context = await contextOf(
      folderWith({
        "pyproject.toml": `[project]
name = "notes"
requires-python = ">=3.11"  # and not less
dependencies = [
    "fastapi[standard]>=0.110",  # web
    "pydantic ~= 2.0 ; python_version > '3.8'",
]

[project.scripts]
notes = "notes.cli:main"

[dependency-groups]
dev = ["pytest>=8", "ruff"]

[tool.pytest.ini_options]
testpaths = ["tests"]

[tool.ruff]
line-length = 100

[tool.mypy]
strict = true
`,
        "uv.lock": "",
        "src/notes/cli.py": "def main():\n    pass\n",
        "tests/test_cli.py": "def test_it():\n    pass\n",
        "tests/conftest.py": "",
      }),
    );
    expect(context.stack).toBe("Python, >=3.11 (pyproject.toml with uv)");
    expect(commandsFor(context, "test")).toEqual(["uv run pytest"]);
    expect(commandsFor(context, "lint")).toEqual(["uv run ruff check ."]);
    expect(commandsFor(context, "types")).toEqual(["uv run mypy ."]);
    expect(context.commands[0]?.found_in).toBe("pyproject.toml [tool.pytest]");
    expect(context.setup).toMatchObject([{ run: "uv sync --locked", lock_file: "uv.lock" }]);
    expect(versions(context)).toEqual({ fastapi: ">=0.110", pydantic: "~= 2.0", pytest: ">=8", ruff: null });
    expect(context.entry_points).toMatchObject([{ path: "src/notes/cli.py" }]);
    expect(context.test_layout).toMatchObject({
      kind: "separate",
      patterns: ["test_*.py"],
      shared: ["tests/conftest.py"],
    });
  });

  it("D5 reads poetry's groups, and flake8 and tox from tox.ini", async () => {
    const context = await contextOf(
      folderWith({
        "pyproject.toml": `[tool.poetry.dependencies]
python = "^3.10"
requests = { version = "^2.31", extras = ["socks"] }
[tool.poetry.group.dev.dependencies]
black = "24.1"
`,
        "poetry.lock": "",
        "tox.ini":
          "[tox]\nenvlist = py310\n[testenv]\ncommands =\n    pytest -q\n[flake8]\nmax-line-length = 100\n",
      }),
    );
    expect(context.stacks).toMatchObject([{ tool: "poetry", version: "^3.10" }]);
    expect(versions(context)).toEqual({ requests: "^2.31", black: "24.1" });
    expect(commandsFor(context, "lint")).toEqual(["poetry run flake8"]);
    expect(commandsFor(context, "format")).toEqual(["poetry run black --check ."]);
    expect(context.commands).toContainEqual(
      expect.objectContaining({ run: "tox", found_in: "tox.ini", does: "pytest -q" }),
    );
    expect(context.setup).toMatchObject([{ run: "poetry install", lock_file: "poetry.lock" }]);
  });

  it("D5 knows pip by requirements.txt or setup.py, and unittest where there is no pytest", async () => {
    const context = await contextOf(
      folderWith({
        "setup.py": "raise SystemExit('this must never run')\n",
        "requirements.txt": "# pinned\nflask==3.0.0\n-r other.txt\nattrs\n",
        "test_app.py": "import unittest\n",
        "app.py": "",
      }),
    );
    expect(context.stacks).toMatchObject([{ tool: "pip", manifest: "setup.py" }]);
    expect(context.setup.map(({ run }) => run)).toEqual([
      "python3 -m pip install -r requirements.txt",
      "python3 -m pip install -e .",
    ]);
    expect(versions(context)).toEqual({ flask: "==3.0.0", attrs: null });
    expect(commandsFor(context, "test")).toEqual(["python3 -m unittest discover"]);
    expect(context.commands[0]).toMatchObject({ declared: false, found_in: "test_app.py" });
    expect(context.entry_points).toMatchObject([{ path: "app.py" }]);
  });

  it("D5 knows a few Python files without any manifest", async () => {
    const context = await contextOf(folderWith({ "main.py": "print(1)\n", "test_main.py": "" }));
    expect(context.stacks).toMatchObject([{ name: "Python", manifest: "main.py" }]);
  });
});

describe("compiled languages", () => {
  it("D5 knows Rust, its workspace and the three ways to write a dependency", async () => {
    const context = await contextOf(
      folderWith({
        "Cargo.toml": `[package]
name = "tool"
edition = "2021"
[workspace]
members = ["crates/*"]
[dependencies]
serde = "1"
tokio = { version = "1.38", features = ["full"] }
anyhow.workspace = true
[dependencies.clap]
version = "4"
[dev-dependencies]
insta = "1.39"
[[bin]]
name = "tool"
path = "src/cli.rs"
`,
        "Cargo.lock": "",
        "clippy.toml": "",
        "src/cli.rs": "fn main() {}\n",
        "src/lib.rs": "#[cfg(test)]\nmod tests {}\n",
        "crates/inner/Cargo.toml": "[package]\nname = 'inner'\n",
        "target/debug/junk.rs": "",
      }),
    );
    expect(context.stack).toBe("Rust, edition 2021 (Cargo.toml with cargo)");
    expect(versions(context)).toEqual({ serde: "1", tokio: "1.38", anyhow: null, clap: "4", insta: "1.39" });
    expect(context.workspaces).toEqual([{ path: "crates/inner", tool: "cargo" }]);
    expect(commandsFor(context, "test")).toEqual(["cargo test --workspace"]);
    expect(context.commands).toContainEqual(
      expect.objectContaining({ purpose: "lint", found_in: "clippy.toml", declared: true }),
    );
    expect(context.setup).toMatchObject([{ run: "cargo fetch --locked", lock_file: "Cargo.lock" }]);
    expect(context.entry_points.map(({ path }) => path)).toEqual(["src/cli.rs", "src/lib.rs"]);
    expect(context.test_layout.kind).toBe("inline");
    expect(context.structure.tree.join("\n")).not.toContain("target");
  });

  it("D5 knows Go, and leaves out what is only indirect", async () => {
    const context = await contextOf(
      folderWith({
        "go.mod": `module example.org/app

go 1.22

require github.com/one/single v0.1.0

require (
	github.com/spf13/cobra v1.8.0
	golang.org/x/sys v0.1.0 // indirect
)
`,
        "go.sum": "",
        ".golangci.yml": "",
        "cmd/app/main.go": "package main\n\nfunc main() {}\n",
        "store/store.go": "package store\n\nfunc OpenStore() {}\n",
        "store/store_test.go": "package store\n",
      }),
    );
    expect(context.stacks).toMatchObject([{ name: "Go", version: "1.22" }]);
    expect(versions(context)).toEqual({
      "github.com/one/single": "v0.1.0",
      "github.com/spf13/cobra": "v1.8.0",
    });
    expect(commandsFor(context, "test")).toEqual(["go test ./..."]);
    expect(commandsFor(context, "lint")).toEqual(["golangci-lint run", "go vet ./..."]);
    expect(context.setup).toMatchObject([{ run: "go mod download", lock_file: "go.sum" }]);
    expect(context.entry_points).toMatchObject([{ path: "cmd/app/main.go" }]);
    expect(context.test_layout).toMatchObject({ kind: "beside", patterns: ["*_test.go"] });
  });

  it("D5 knows Java with Maven and its modules", async () => {
    const context = await contextOf(
      folderWith({
        "pom.xml": `<project><properties><java.version>21</java.version></properties>
<modules><module>core</module></modules>
<!-- <dependency><groupId>old</groupId><artifactId>gone</artifactId></dependency> -->
<dependencies><dependency>
  <groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
  <version>5.10.0</version><scope>test</scope>
</dependency></dependencies>
<build><plugins><plugin><artifactId>maven-checkstyle-plugin</artifactId></plugin></plugins></build></project>`,
        mvnw: "",
        "core/pom.xml": "<project/>",
        "src/main/java/org/App.java": "package org;\n",
        "src/test/java/org/AppTest.java": "package org;\n",
      }),
    );
    expect(context.stacks).toMatchObject([{ name: "Java", tool: "maven", version: "21" }]);
    expect(context.dependencies).toEqual([
      { name: "org.junit.jupiter:junit-jupiter", version: "5.10.0", kind: "dev", manifest: "pom.xml" },
    ]);
    expect(context.workspaces).toEqual([{ path: "core", tool: "maven" }]);
    expect(commandsFor(context, "test")).toEqual(["./mvnw -B test"]);
    expect(commandsFor(context, "lint")).toEqual(["./mvnw -B checkstyle:check"]);
    expect(context.source_layout.folders).toEqual([{ path: "src/main/java", files: 1 }]);
    expect(context.test_layout).toMatchObject({ folders: [{ path: "src/test/java", files: 1 }] });
    expect(context.entry_points).toMatchObject([{ path: "src/main/java/org/App.java" }]);
  });

  it("D5 knows Gradle, Kotlin and its subprojects", async () => {
    const context = await contextOf(
      folderWith({
        "settings.gradle.kts": 'rootProject.name = "x"\ninclude(":app", ":lib:core")\n',
        "build.gradle.kts": `kotlin { jvmToolchain(17) }
dependencies {
    implementation("com.squareup.okio:okio:3.9.0")
    testImplementation('org.junit:junit')
}
plugins { id("com.diffplug.spotless") }
`,
        gradlew: "",
        "app/build.gradle.kts": "",
        "lib/core/build.gradle.kts": "",
        "src/main/kotlin/Main.kt": "fun main() {}\n",
      }),
    );
    expect(context.stacks).toMatchObject([{ language: "Kotlin", tool: "gradle", version: "17" }]);
    expect(versions(context)).toEqual({ "com.squareup.okio:okio": "3.9.0", "org.junit:junit": null });
    expect(context.workspaces.map(({ path }) => path)).toEqual(["app", "lib/core"]);
    expect(commandsFor(context, "test")).toEqual(["./gradlew test"]);
    expect(commandsFor(context, "format")).toEqual(["./gradlew spotlessCheck"]);
  });

  it("D5 knows .NET by its solution and projects", async () => {
    const context = await contextOf(
      folderWith({
        "App.sln": "",
        ".editorconfig": "",
        "src/App/App.csproj":
          '<Project><PropertyGroup><TargetFramework>net9.0</TargetFramework></PropertyGroup><ItemGroup><PackageReference Include="Serilog" Version="4.0.0" /></ItemGroup></Project>',
        "src/App/Program.cs": "",
        "src/App/obj/project.assets.json": "{}",
        "tests/App.Tests/App.Tests.csproj":
          '<Project><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" Version="17" /><PackageReference Version="2.9" Include="xunit" /></ItemGroup></Project>',
        "tests/App.Tests/ThingTests.cs": "",
      }),
    );
    expect(context.stacks).toMatchObject([
      { name: ".NET", language: "C#", version: "net9.0", manifest: "App.sln" },
    ]);
    expect(versions(context)).toMatchObject({ Serilog: "4.0.0", xunit: "2.9" });
    expect(context.dependencies.find(({ name }) => name === "xunit")?.kind).toBe("dev");
    expect(commandsFor(context, "test")).toEqual(["dotnet test"]);
    expect(commandsFor(context, "format")).toEqual(["dotnet format --verify-no-changes"]);
    expect(context.entry_points).toMatchObject([{ path: "src/App/Program.cs" }]);
    expect(context.structure.tree.join("\n")).not.toContain("obj/");
  });

  it("D5 knows C and C++ with CMake, Meson, autotools or a Makefile", async () => {
    const cmake = await contextOf(
      folderWith({
        "CMakeLists.txt":
          "project(x)\nset(CMAKE_CXX_STANDARD 20)\nfind_package(fmt 10.1 REQUIRED)\nenable_testing()\n",
        "src/main.cpp": '#include "a.h"\n',
        "src/CMakeLists.txt": "",
      }),
    );
    expect(cmake.stacks).toMatchObject([{ name: "C/C++", language: "C++", tool: "cmake", version: "20" }]);
    expect(versions(cmake)).toEqual({ fmt: "10.1" });
    expect(commandsFor(cmake, "test")).toEqual([
      "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
    ]);
    expect(cmake.entry_points).toMatchObject([{ path: "src/main.cpp" }]);

    const meson = await contextOf(
      folderWith({
        "meson.build": "project('x', 'c')\nd = dependency('zlib')\ntest('a', exe)\n",
        "a.c": "",
      }),
    );
    expect(meson.stacks).toMatchObject([{ language: "C", tool: "meson" }]);
    expect(commandsFor(meson, "test")).toEqual(["meson setup build && meson test -C build"]);

    const make = await contextOf(
      folderWith({ Makefile: "CC := gcc\nall: x\n\ncheck lint: all\n\t./run-tests\n", "x.c": "" }),
    );
    expect(make.stacks).toMatchObject([{ tool: "make", manifest: "Makefile" }]);
    expect(make.commands).toMatchObject([
      { purpose: "lint", run: "make lint", found_in: "Makefile lint", does: "./run-tests" },
      { purpose: "build", run: "make all" },
      { purpose: "check", run: "make check" },
    ]);

    const autotools = await contextOf(folderWith({ "configure.ac": "", "x.c": "" }));
    expect(commandsFor(autotools, "test")).toEqual(["autoreconf -i && ./configure && make check"]);
  });
});

describe("Ruby and PHP", () => {
  it("D5 knows Ruby by its Gemfile, with rspec and rubocop", async () => {
    const context = await contextOf(
      folderWith({
        Gemfile: `source "https://rubygems.org"
gem "rails", "~> 7.1"
group :test do
  gem 'rspec-rails'
end
gem "pg"
`,
        "Gemfile.lock": "",
        ".rspec": "",
        ".rubocop.yml": "",
        "lib/some_thing.rb": "class SomeThing\n  def do_it\n  end\nend\n",
        "spec/some_thing_spec.rb": "",
      }),
    );
    expect(context.stacks).toMatchObject([{ name: "Ruby", tool: "bundler" }]);
    expect(context.dependencies.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "rails runtime",
      "pg runtime",
      "rspec-rails dev",
    ]);
    expect(commandsFor(context, "test")).toEqual(["bundle exec rspec"]);
    expect(commandsFor(context, "lint")).toEqual(["bundle exec rubocop"]);
    expect(context.setup).toMatchObject([{ run: "bundle install", lock_file: "Gemfile.lock" }]);
    expect(context.test_layout).toMatchObject({ patterns: ["*_spec.rb"], mirrors_source: true });
  });

  it("D5 knows PHP by composer.json, its scripts and its tools", async () => {
    const context = await contextOf(
      folderWith({
        "composer.json": json({
          require: { php: ">=8.2", "slim/slim": "^4" },
          "require-dev": { "phpunit/phpunit": "^11" },
          scripts: { test: ["@phpunit", "echo done"] },
        }),
        "composer.lock": "{}",
        "phpstan.neon": "",
        "public/index.php": "<?php\n",
        "vendor/slim/slim/App.php": "<?php\n",
      }),
    );
    expect(context.stacks).toMatchObject([{ name: "PHP", version: ">=8.2" }]);
    expect(commandsFor(context, "test")).toEqual(["composer run test"]);
    expect(context.commands[0]?.does).toBe("@phpunit && echo done");
    expect(commandsFor(context, "types")).toEqual(["vendor/bin/phpstan analyse"]);
    expect(context.setup).toMatchObject([{ lock_file: "composer.lock" }]);
    expect(context.languages).toEqual([{ language: "PHP", files: 1 }]);
  });

  it.each([
    ["deno.json", "Deno", "deno test"],
    ["Package.swift", "Swift", "swift test"],
    ["mix.exs", "Elixir", "mix test"],
    ["pubspec.yaml", "Dart", "dart test"],
    [".busted", "Lua", "busted"],
  ])("D5 knows further stacks by %s", async (manifest, name, run) => {
    const context = await contextOf(folderWith({ [manifest]: "" }));
    expect(context.stacks).toMatchObject([{ name }]);
    expect(commandsFor(context, "test")).toEqual([run]);
  });
});

describe("Perl", () => {
  it.each(["Makefile.PL", "Build.PL", "cpanfile", "dist.ini"])(
    "D5 is known by %s, and tested where it has tests",
    async (manifest) => {
      const files = { [manifest]: "", "lib/A.pm": "package A;\n1;\n" };
      const [bare, tested] = [
        await contextOf(folderWith(files)),
        await contextOf(folderWith({ ...files, "t/a.t": "" })),
      ];
      expect(bare.stacks).toMatchObject([{ name: "Perl" }]);
      expect(commandsFor(bare, "test")).toEqual([]);
      expect(commandsFor(tested, "test")).toEqual(["prove -lr t"]);
      expect(tested.setup).toEqual([]);
    },
  );

  it("D5 with parts in C is compiled before its tests", async () => {
    const context = await contextOf(folderWith({ "Makefile.PL": "", "A.xs": "", "t/a.t": "" }));
    expect(commandsFor(context, "test")).toEqual(["perl Makefile.PL && make test"]);
  });
});

describe("several stacks", () => {
  it("D5 looks into folders with a manifest of their own, and says where a command runs", async () => {
    const context = await contextOf(
      folderWith({
        "backend/pyproject.toml": "[project]\nname = 'b'\n[tool.pytest]\n",
        "backend/uv.lock": "",
        "frontend/package.json": json({ scripts: { test: "vitest" } }),
        "frontend/package-lock.json": "{}",
        "docs/package.json": json({ scripts: { test: "no" } }),
        "tests/fixtures/demo/package.json": json({ scripts: { test: "no" } }),
      }),
    );
    expect(context.commands.map(({ run, cwd }) => `${cwd}: ${run}`)).toEqual([
      "backend: uv run pytest",
      "frontend: npm test",
    ]);
    expect(context.setup.map(({ run, cwd, lock_file }) => `${cwd}: ${run} ${lock_file}`)).toEqual([
      "backend: uv sync --locked backend/uv.lock",
      "frontend: npm ci frontend/package-lock.json",
    ]);
    expect(context.integration_requirements).toContain(
      "tests: `npm test` in frontend/ must pass (frontend/package.json scripts.test)",
    );
  });

  it("D5 lists the members of a monorepo, and takes commands from its root", async () => {
    const member = json({ scripts: { test: "vitest" } });
    const context = await contextOf(
      folderWith({
        "package.json": json({ scripts: { test: "turbo test" } }),
        "pnpm-workspace.yaml":
          "packages:\n  - 'packages/*'\n  - apps/**\n  - '!**/skipped'\ncatalog:\n  - x\n",
        "pnpm-lock.yaml": "",
        "packages/a/package.json": member,
        "packages/b/package.json": member,
        "packages/skipped/package.json": member,
        "apps/web/site/package.json": member,
        "other/package.json": member,
      }),
    );
    expect(context.workspaces.map(({ path }) => path)).toEqual(["apps/web/site", "packages/a", "packages/b"]);
    expect(context.commands.map(({ run, cwd }) => `${cwd}: ${run}`)).toEqual([
      ".: pnpm test",
      "other: npm test",
      "packages/skipped: npm test",
    ]);
  });

  it("D5 puts what a Makefile or a justfile names before what is merely usual", async () => {
    const context = await contextOf(
      folderWith({
        "go.mod": "module example.org/x\n",
        Makefile:
          ".PHONY: test\ntest: ## all tests\n\t@go test -race ./...\nlint:=no\nbootstrap:\n\tgo install x\n",
        justfile: "@fmt *args:\n    gofmt -w .\nother test:\n    true\n",
      }),
    );
    expect(commandsFor(context, "test")).toEqual(["make test", "go test ./..."]);
    expect(context.commands[0]).toMatchObject({ does: "go test -race ./...", declared: true });
    expect(commandsFor(context, "format")).toEqual(["just fmt", "gofmt -l ."]);
    expect(context.setup.map(({ run }) => run)).toContain("make bootstrap");
  });
});
