// Packages of a workspace, marks of commands, and a person's corrections (D26).
import { describe, expect, it } from "vitest";
import { corrected } from "../../src/discovery/discover.ts";
import { testFramework } from "../../src/discovery/packages.ts";
import { marksOf } from "../../src/discovery/stacks/command-marks.ts";
import { commandsFor, contextOf, folderWith } from "./folders.ts";

const json = (value: unknown) => JSON.stringify(value, null, 2);

const monorepo = () =>
  folderWith({
    "package.json": json({ name: "all", private: true, scripts: { test: "turbo test" } }),
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    "pnpm-lock.yaml": "",
    "packages/api/package.json": json({
      name: "@all/api",
      scripts: { test: "jest --ci", lint: "eslint --fix ." },
      dependencies: { fastify: "^5.0.0" },
      devDependencies: { vitest: "1.0.0" },
    }),
    "packages/web/package.json": json({ name: "@all/web", scripts: { test: "vitest run" } }),
  });

describe("a workspace", () => {
  it("D26 has a context for each package, with its own dependencies and commands, and the root's tool", async () => {
    const { packages } = await contextOf(monorepo());
    expect(packages).toMatchObject([
      {
        path: "packages/api",
        name: "@all/api",
        tool: "pnpm",
        test_framework: "jest",
        commands: [
          { run: "pnpm test", cwd: "packages/api" },
          { run: "pnpm run lint", changes_files: true },
        ],
        dependencies: [
          { name: "fastify", kind: "runtime" },
          { name: "vitest", kind: "dev" },
        ],
      },
      {
        path: "packages/web",
        test_framework: "vitest",
        commands: [{ run: "pnpm test", cwd: "packages/web" }],
      },
    ]);
  });

  it("D26 of Cargo has one for each crate", async () => {
    const { packages } = await contextOf(
      folderWith({
        "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
        "crates/core/Cargo.toml": '[package]\nname = "core"\n[dependencies]\nserde = "1"\n',
        "crates/core/src/lib.rs": "",
        "crates/cli/Cargo.toml": '[package]\nname = "cli"\n[dependencies]\nclap = "4"\n',
        "crates/cli/src/main.rs": "",
      }),
    );
    expect(packages?.map(({ path, dependencies }) => [path, dependencies.map(({ name }) => name)])).toEqual([
      ["crates/cli", ["clap"]],
      ["crates/core", ["serde"]],
    ]);
  });
});

describe("commands", () => {
  it.each([
    ["eslint --fix .", { changes_files: true }],
    ["prettier --write .", { changes_files: true }],
    ["cargo fmt", { changes_files: true }],
    ["cargo fmt --check", {}],
    ["black --check .", {}],
    ["black .", { changes_files: true }],
    ["docker compose up -d && jest", { network: true }],
    ["npx playwright install && playwright test", { network: true }],
    ["curl https://example.org | sh", { network: true }],
    ["vitest run", {}],
    ["go test ./...", {}],
    ["start-server-and-test start http://localhost:3000 test", {}],
  ])("D26 are marked by what they do: %s", (run, marks) => {
    expect(marksOf(run)).toEqual(marks);
  });

  it.each([
    ["node --import tsx --test", "node:test"],
    ["cargo test --workspace", "cargo test"],
    ["python -m pytest -q", "pytest"],
    ["make test", "mocha"],
  ])("D26 the framework is what the test command runs, else what is installed: %s", (run, framework) => {
    expect(testFramework([{ purpose: "test", run }], [{ name: "mocha" }])).toBe(framework);
  });
});

describe("a person's corrections", () => {
  it("D26 change one line each, of the whole or of a package, and what is not understood is said", async () => {
    const context = await contextOf(monorepo());
    const lines = [
      ...["# mine", "test: make test", "packages/api lint: -", "note: keep the old API"],
      ...["set-up: make deps", "colour: red", "Tested with: tap", "entry points: bin/a.js"],
    ];
    const { context: now, unknown } = corrected(context, lines.join("\n"));
    expect(unknown).toEqual(["colour: red"]);
    expect(commandsFor(now, "test")).toEqual(["make test"]);
    expect(now.setup).toMatchObject([{ run: "make deps", cwd: "." }]);
    expect(now.packages?.[0]?.commands.map(({ purpose }) => purpose)).toEqual(["test"]);
    expect(now.notes).toContain("a person says: keep the old API");
    expect(now.test_framework).toBe("tap");
    expect(now.notes).toContain("a person says: entry points: bin/a.js");
  });
});

it("D26 a Go workspace is tested member by member: go refuses `./...` where there is no module", async () => {
  const context = await contextOf(
    folderWith({
      "go.work": "go 1.22\n\nuse (\n\t./api\n\t./lib/core // shared\n)\n",
      "api/go.mod": "module a\n",
      "api/a.go": "package a\n",
      "lib/core/go.mod": "module c\n",
    }),
  );
  expect(context.workspaces.map(({ path }) => path)).toEqual(["api", "lib/core"]);
  expect(commandsFor(context, "test")).toEqual(["go test ./api/... ./lib/core/..."]);
});

it("D26 members of a uv workspace are called through uv, and excluded folders are no members", async () => {
  const context = await contextOf(
    folderWith({
      "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n',
      "packages/a/pyproject.toml": '[project]\nname = "a"\n[tool.pytest.ini_options]\n',
      "packages/old/pyproject.toml": '[project]\nname = "old"\n',
    }),
  );
  expect(context.packages?.map(({ path, commands }) => [path, commands[0]?.run])).toEqual([
    ["packages/a", "uv run pytest"],
  ]);
});

it("D26 members of a Gradle build are found in a list over several lines, and call the wrapper at the top", async () => {
  const context = await contextOf(
    folderWith({
      "settings.gradle.kts": 'include(":app")\ninclude(\n    ":libs:util",\n)\n',
      "settings.gradle": "include 'web',\n        'old'\n",
      gradlew: "#!/bin/sh\n",
      "app/build.gradle.kts": "",
      "libs/util/build.gradle.kts": "",
      "web/build.gradle": "",
      "old/build.gradle": "",
    }),
  );
  expect(context.packages?.map(({ path, commands }) => [path, commands[0]?.run])).toEqual([
    ["app", "../gradlew test"],
    ["libs/util", "../../gradlew test"],
    ["old", "../gradlew test"],
    ["web", "../gradlew test"],
  ]);
});
