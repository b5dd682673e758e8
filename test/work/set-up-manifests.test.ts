// Set-up without a lock file (X24): which manifests ask for it, and what of a manifest counts.
import { readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setUpSteps, setUpText } from "../../src/discovery/set-up-steps.ts";
import { manifestsNear } from "../../src/work/set-up/inputs.ts";
import { listsPackages, withoutNoise } from "../../src/work/set-up/manifest-noise.ts";
import { isData } from "../../src/work/set-up/plain-manifests.ts";
import { namingFiles, relocate } from "../../src/work/set-up/relocate.ts";
import { contextOf, folderWith } from "../discovery/folders.ts";

const step = (run: string, found_in: string, lock_file: string | null = null) => ({
  ...{ run, cwd: ".", found_in, lock_file },
});

describe("X24 set-up follows manifests", () => {
  it("X24 a lock file asks first, a manifest without one asks as well, a Makefile does not", () => {
    const setup = [
      step("npm ci", "package-lock.json", "package-lock.json"),
      step("pnpm install", "web/package.json"),
      step("make deps", "Makefile"),
    ];
    expect(setUpSteps({ setup }).map(({ run, because }) => [run, because])).toEqual([
      ["npm ci", "package-lock.json"],
      ["pnpm install --no-lockfile", "web/package.json"],
    ]);
  });

  it("X24 what plan shows is what is run", () => {
    const setup = [step("npm install", "package.json")];
    expect(setUpText({ setup })).toBe("npm install --no-package-lock (package.json)");
  });

  it("X24 only a manifest that lists packages asks", () => {
    expect(listsPackages("package.json", '{"scripts":{"test":"node --test"}}')).toBe(false);
    expect(listsPackages("package.json", '{"devDependencies":{"vitest":"5"}}')).toBe(true);
    expect(listsPackages("package.json", '{"require":{"php":">=8"}}')).toBe(false);
    expect(listsPackages("package.json", '{"require":{"monolog/monolog":"^3"}}')).toBe(true);
    expect(listsPackages("package.json", "no json")).toBe(false);
  });

  it("X24 Cargo.toml, a Gemfile and a project file ask where they list packages", () => {
    expect(listsPackages("Cargo.toml", '[package]\nname = "a"\n\n[dependencies]\n')).toBe(false);
    expect(listsPackages("Cargo.toml", '[dependencies]\nserde = "1"\n')).toBe(true);
    expect(listsPackages("Cargo.toml", "[target.'cfg(unix)'.dev-dependencies]\nlibc = \"1\"\n")).toBe(true);
    expect(listsPackages("Gemfile", 'source "https://rubygems.org"\n')).toBe(false);
    expect(listsPackages("Gemfile", 'gem "rake"\n')).toBe(true);
    expect(listsPackages("a.csproj", '<PackageReference Include="xunit" />')).toBe(true);
    const setup = [step("cargo fetch", "Cargo.toml"), step("bundle install", "Gemfile")];
    const dependencies = [{ name: "serde", version: "1", kind: "runtime" as const, manifest: "Cargo.toml" }];
    expect(setUpText({ setup, dependencies })).toBe("cargo fetch (Cargo.toml)");
  });

  it("X24 pip installs into the folder that comes with the workspace, not into the machine's Python", () => {
    const setup = [
      step("python3 -m pip install -r requirements.txt", "requirements.txt", "requirements.txt"),
    ];
    expect(setUpText({ setup })).toBe("python3 -m pip install --user -r requirements.txt (requirements.txt)");
  });

  it("X24 a change that does not touch dependencies installs nothing again", () => {
    const before = { name: "a", version: "1.0.0", dependencies: { b: "1" } };
    const key = (change: object, alone = true) =>
      withoutNoise("package.json", JSON.stringify({ ...before, ...change }), { alone });
    expect(key({ version: "1.1.0", scripts: { test: "x" }, jest: {}, exports: "./a.js" })).toBe(key({}));
    expect(key({ dependencies: { b: "2" } })).not.toBe(key({}));
    expect(key({ overrides: { c: "1" } })).not.toBe(key({}));
    expect(key({ version: "1.1.0" }, false)).not.toBe(key({}, false));
  });

  it.each([
    [
      "pyproject.toml",
      '[project]\nname="a"\ndependencies=["b>1"]\n',
      [
        '[project]\nname="a"\nversion="2"\ndescription="x"\ndependencies=["b>1"]\n[tool.ruff]\nline-length=9\n',
      ],
      [
        '[project]\nname="a"\ndependencies=["b>2"]\n',
        '[project]\nname="a"\ndependencies=["b>1"]\n[build-system]\nrequires=["hatchling"]\n',
      ],
    ],
    [
      "Cargo.toml",
      '[package]\nname="a"\n[dependencies]\nb="1"\n',
      [
        '[package]\nname="a"\ndescription="x"\n[dependencies]\nb="1"\n[profile.release]\nlto=true\n[lints.rust]\nx="deny"\n',
      ],
      [
        '[package]\nname="a"\n[dependencies]\nb="2"\n',
        '[package]\nname="a"\nversion="2.0.0"\n[dependencies]\nb="1"\n',
      ],
    ],
    [
      "go.mod",
      "module a\nrequire b.org/c v1.0.0\n",
      ["// what it is\nmodule a\n\nrequire b.org/c v1.0.0\n"],
      ["module a\nrequire b.org/c v1.1.0\n"],
    ],
    ["Gemfile", 'gem "a"\n', ['# ours\n\n  gem "a"\n'], ['gem "a", "2"\n']],
    [
      "composer.json",
      '{"require":{"a/b":"1"}}',
      ['{"description":"x","require":{"a/b":"1"},"keywords":["y"]}'],
      ['{"require":{"a/b":"2"}}', '{"require":{"a/b":"1"},"config":{"platform":{}}}'],
    ],
    [
      "pom.xml",
      "<project><name>a</name><dependencies><dependency><name>b</name></dependency></dependencies></project>",
      [
        "<project><!-- x --><name>c</name>\n<developers><developer><name>d</name></developer></developers>\n<dependencies><dependency><name>b</name></dependency></dependencies></project>",
      ],
      [
        "<project><name>a</name><dependencies><dependency><name>c</name></dependency></dependencies></project>",
      ],
    ],
  ])(
    "X24 a change of %s that does not touch dependencies installs nothing again",
    (name, before, same, other) => {
      for (const text of same) expect(withoutNoise(name, text)).toBe(withoutNoise(name, before));
      for (const text of other) expect(withoutNoise(name, text)).not.toBe(withoutNoise(name, before));
    },
  );

  it("X24 a manifest that cannot be read counts byte for byte", () => {
    expect(withoutNoise("pom.xml", "<project><name>a</project>")).toBeUndefined();
    expect(withoutNoise("pyproject.toml", "= = =")).toBeUndefined();
    expect(withoutNoise("package.json", "no json")).toBeUndefined();
  });

  it("X24 installing a Python project reads its manifest alone, unless code of its own says what it is", () => {
    const judged = (text: string) => {
      const inputs = [{ path: "pyproject.toml", name: "pyproject.toml", blob: "1", isLink: false }];
      return isData({ commands: undefined, inputs, texts: new Map([["1", text]]) });
    };
    const project = '[project]\nname = "a"\n';
    expect(judged(project)).toBe(true);
    expect(judged(`${project}[build-system]\nbuild-backend = "hatchling.build"\n`)).toBe(true);
    expect(judged(`${project}[build-system]\nbuild-backend = "mesonpy"\n`)).toBe(false);
    expect(judged(`${project}[build-system]\nrequires = ["setuptools>=61", "cython"]\n`)).toBe(false);
    expect(
      judged(`${project}[build-system]\nbuild-backend = "setuptools.build_meta"\nbackend-path = ["."]\n`),
    ).toBe(false);
    expect(judged(`${project}[tool.setuptools.dynamic]\nversion = {attr = "a.v"}\n`)).toBe(false);
    expect(
      judged(`${project}[tool.setuptools.dynamic]\ndependencies = {file = ["requirements.txt"]}\n`),
    ).toBe(true);
    expect(judged(`${project}[tool.hatch.build.hooks.custom]\npath = "hook.py"\n`)).toBe(false);
    expect(judged('[project]\nname = "a"\ndependencies = ["b @ file:///tree/b"]\n')).toBe(false);
  });
});

describe("X24 every manifest without a lock file asks", () => {
  const asked = async (files: Readonly<Record<string, string>>) =>
    setUpText(await contextOf(folderWith(files)));

  it.each([
    [
      "pyproject.toml",
      '[project]\nname = "a"\ndependencies = ["b"]\n',
      "python3 -m pip install --user -e . (pyproject.toml)",
    ],
    ["setup.py", "setup()", "python3 -m pip install --user -e . (setup.py)"],
    ["requirements.txt", "b==1\n", "python3 -m pip install --user -r requirements.txt (requirements.txt)"],
    ["Gemfile", 'gem "b"\n', "bundle install (Gemfile)"],
    ["go.mod", "module a\n\nrequire b.org/c v1.0.0\n", "go mod download all (go.mod)"],
    ["Cargo.toml", '[package]\nname = "a"\n[dependencies]\nb = "1"\n', "cargo fetch (Cargo.toml)"],
    ["pom.xml", "<project><artifactId>a</artifactId></project>", "mvn -B dependency:go-offline (pom.xml)"],
    ["composer.json", '{"require":{"b/c":"1"}}', "composer install --no-interaction (composer.json)"],
    ["a.csproj", '<Project><PackageReference Include="b" /></Project>', "dotnet restore (a.csproj)"],
    ["package.json", '{"dependencies":{"b":"1"}}', "npm install --no-package-lock (package.json)"],
  ])("X24 %s", async (name, text, steps) => {
    expect(await asked({ [name]: text })).toBe(steps);
    expect(
      manifestsNear([{ path: name, name, blob: "1", isLink: false }], "").length > 0 ||
        name === "requirements.txt",
    ).toBe(true);
    expect(name === "requirements.txt" || listsPackages(name, text)).toBe(true);
  });

  it("X24 nothing is asked for where nothing is listed", async () => {
    for (const files of [
      { "pyproject.toml": "[tool.ruff]\nline-length = 100\n", "a.py": "" },
      { "Cargo.toml": '[package]\nname = "a"\n' },
      { "go.mod": "module a\n\ngo 1.22\n" },
      { Gemfile: 'source "https://rubygems.org"\n' },
      { "composer.json": '{"require":{"php":">=8","ext-json":"*"}}' },
      { "package.json": '{"scripts":{"test":"node --test"}}' },
    ])
      expect(await asked(files as Record<string, string>)).toBe("");
  });

  it("X24 a Python project is installed in place, with what its tests need", async () => {
    const toml = `[project]
name = "a"
dependencies = ["b"]
[project.optional-dependencies]
docs = ["sphinx"]
test = ["hypothesis"]
[dependency-groups]
dev = ["pytest>=8", {include-group = "lint"}, "x; rm -rf 'y'"]
lint = ["ruff"]
[tool.pytest.ini_options]
`;
    expect(await asked({ "pyproject.toml": toml, "src/a/__init__.py": "" })).toBe(
      `python3 -m pip install --user -e ".[test]" 'pytest>=8' ruff (pyproject.toml)`,
    );
    const alone = '[project]\nname = "a"\n[tool.pytest.ini_options]\n';
    expect(await asked({ "pyproject.toml": alone, "a.py": "" })).toBe(
      "python3 -m pip install --user pytest (pyproject.toml)",
    );
  });

  it("X24 a workspace asks for what its members list", async () => {
    expect(
      await asked({
        "go.work": "go 1.22\nuse (\n\t./a\n\t./b\n)\n",
        "a/go.mod": "module a\nrequire c.org/d v1.0.0\n",
        "a/go.sum": "",
        "b/go.mod": "module b\n",
      }),
    ).toBe("go mod download (a/go.sum)");
    expect(
      await asked({
        "Cargo.toml": '[workspace]\nmembers = ["a"]\n',
        "a/Cargo.toml": '[package]\nname = "a"\n[dependencies]\nb = "1"\n',
      }),
    ).toBe("cargo fetch (Cargo.toml)");
    expect(
      await asked({
        "pyproject.toml": '[tool.uv.workspace]\nmembers = ["a"]\n',
        "a/pyproject.toml": '[project]\nname = "a"\n',
      }),
    ).toBe("uv sync --all-packages (pyproject.toml)");
  });
});

describe("X24 a Python environment is used where it is laid", () => {
  it("X24 the files that name the folder in which it was made name the workspace", () => {
    const made = folderWith({
      ".venv/bin/pytest": "#!/made/tree/.venv/bin/python\n",
      ".venv/bin/plain": "#!/usr/bin/python3\n",
      ".venv/lib/python3.12/site-packages/a.pth": "/made/tree/src\n",
      ".venv/lib/python3.12/site-packages/other.py": "x = '/made/tree'\n",
      ".heddle-packages/python/lib/python3.12/site-packages/__editable___a_finder.py":
        "MAPPING = {'a': '/made/tree/a'}\n",
    });
    const files = namingFiles(made, [".venv", ".heddle-packages"], "/made/tree").sort();
    expect(files).toEqual([
      ".heddle-packages/python/lib/python3.12/site-packages/__editable___a_finder.py",
      ".venv/bin/pytest",
      ".venv/lib/python3.12/site-packages/a.pth",
    ]);
    relocate(made, { from: "/made/tree", to: "/work/T001", files });
    expect(readFileSync(join(made, ".venv/lib/python3.12/site-packages/a.pth"), "utf8")).toBe(
      "/work/T001/src\n",
    );
    expect(statSync(join(made, ".venv/bin/pytest")).mode & 0o111).toBe(0o111);
  });

  it("X24 G9 nothing is written through a link that set-up left", () => {
    const outside = folderWith({ pytest: "#!/made/tree/x\n" });
    const made = folderWith({ ".venv/keep": "" });
    symlinkSync(outside, join(made, ".venv/bin"));
    expect(namingFiles(made, [".venv"], "/made/tree")).toEqual([]);
    relocate(made, { from: "/made/tree", to: "/work/T001", files: [".venv/bin/pytest"] });
    expect(readFileSync(join(outside, "pytest"), "utf8")).toBe("#!/made/tree/x\n");
  });
});
