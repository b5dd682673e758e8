// Which hosts a set-up may fetch from: those of the tools whose files a project has, and those that its files name.
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { hostsFor, registriesIn, registriesOf } from "../../src/work/set-up/registries.ts";
import { processorMs } from "../processor-time.ts";

const of = (path: string, text = "") => registriesIn([{ path, text }]);

describe("U11 the registries of a project", () => {
  it.each([
    ["package.json", "registry.npmjs.org"],
    ["apps/web/yarn.lock", "registry.yarnpkg.com"],
    ["requirements-dev.txt", "files.pythonhosted.org"],
    ["Cargo.lock", "index.crates.io"],
    ["go.sum", "sum.golang.org"],
    ["Gemfile", "rubygems.org"],
    ["composer.json", "repo.packagist.org"],
    ["pom.xml", "repo.maven.apache.org"],
    ["build.gradle.kts", "plugins.gradle.org"],
    ["src/App.csproj", "api.nuget.org"],
    ["mix.lock", "repo.hex.pm"],
    ["pubspec.yaml", "pub.dev"],
    ["deno.json", "jsr.io"],
  ])("%s asks %s", (path, host) => {
    expect(of(path).usual).toContain(host);
  });

  it("are found in each of several lists, and not in one without an end", () => {
    const list = (host: string) => `{"a":"https://${host}.example.org/a.tgz"`;
    const text = `{"dependencies":${list("one")}},"overrides" : ${list("two")}},"resolutions":${list("no")}`;
    expect(of("package.json", text).named).toEqual(["one.example.org", "two.example.org"]);
  });

  it("G10 are looked for in no time, however many lists without an end there are", () => {
    const began = processorMs();
    of("package.json", '"dependencies": { '.repeat(40_000));
    expect(processorMs() - began).toBeLessThan(1500);
  });

  it("are none where nothing is known", () => {
    expect(of("README.md", "see https://example.org")).toEqual({ usual: [], named: [] });
  });

  it.each([
    [
      ".npmrc",
      "registry=https://npm.example.org/all/\n@corp:registry = https://corp.example.org:8443/\n//npm.example.org/:_authToken=x",
      ["corp.example.org:8443", "npm.example.org"],
    ],
    [
      "package.json",
      '{"homepage":"https://me.example.org","dependencies":{"a":"^1.0.0","b":"git+https://git.example.org/b.git","c":"https://dl.example.org/c.tgz"}}',
      ["dl.example.org", "git.example.org"],
    ],
    ["package.json", '{"devDependencies":{"a":"user/repo#v1"}}', ["codeload.github.com", "github.com"]],
    [
      "package-lock.json",
      '{"x":{"resolved":"git+ssh://git@github.com/a/b.git#1","funding":"https://pay.example.org"}}',
      ["codeload.github.com", "github.com"],
    ],
    ["yarn.lock", 'a@1:\n  resolved "https://r.example.org/a.tgz#1"\n', ["r.example.org"]],
    ["pnpm-lock.yaml", "  resolution: {tarball: https://t.example.org/x.tgz}", ["t.example.org"]],
    [
      "requirements.txt",
      "# https://no.example.org\n--index-url https://u:p@pip.example.org/simple\na @ git+https://git.example.org/a.git@v1\n",
      ["git.example.org", "pip.example.org"],
    ],
    ["pip.conf", "[global]\nindex-url = https://pip.example.org/simple", ["pip.example.org"]],
    [
      "pyproject.toml",
      '[project.urls]\nurl = "https://no.example.org"\n[[tool.uv.index]]\nname = "x"\nurl = "https://uv.example.org/simple"\n[tool.poetry.dependencies]\na = { git = "https://git.example.org/a.git" }\n',
      ["git.example.org", "uv.example.org"],
    ],
    [
      "Cargo.lock",
      'source = "registry+https://github.com/rust-lang/crates.io-index"\nsource = "git+https://git.example.org/x?rev=1#2"',
      ["git.example.org"],
    ],
    [
      ".cargo/config.toml",
      '[source.corp]\nregistry = "sparse+https://cargo.example.org/index/"',
      ["cargo.example.org"],
    ],
    [
      "Gemfile",
      'source "https://gems.example.org"\ngem "a", git: "https://git.example.org/a.git"\n',
      ["gems.example.org", "git.example.org"],
    ],
    [
      "composer.lock",
      '{"dist":{"type":"zip","url":"https://api.github.com/repos/a/b/zipball/1"},"funding":[{"url":"https://no.example.org"}]}',
      ["api.github.com", "codeload.github.com"],
    ],
    [
      "pom.xml",
      "<url>https://no.example.org</url><repositories><repository><url>https://m.example.org/maven2</url></repository></repositories>",
      ["m.example.org"],
    ],
    [
      "build.gradle",
      'repositories { maven { url "https://g.example.org/m2" }\n google() }',
      ["dl.google.com", "g.example.org", "maven.google.com"],
    ],
    [
      "gradle/wrapper/gradle-wrapper.properties",
      "distributionUrl=https\\://dist.example.org/gradle.zip",
      ["dist.example.org"],
    ],
    [
      "nuget.config",
      '<packageSources><add key="x" value="https://nuget.example.org/v3/index.json" /></packageSources>',
      ["nuget.example.org"],
    ],
    [
      "Package.resolved",
      '{"location" : "https://github.com/apple/x.git"}',
      ["codeload.github.com", "github.com"],
    ],
  ])("%s names its own: %s", (path, text, hosts) => {
    expect(of(path, text).named).toEqual(hosts);
  });

  it("are never an address, loopback's name with a star, or nothing at all", () => {
    expect(
      of(".npmrc", "registry=http://10.0.0.1/\nregistry=$REGISTRY\nregistry=http://[::1]/\n").named,
    ).toEqual([]);
  });

  it("may be named by a variable of the person's as well, without its password", () => {
    expect(
      registriesOf({
        PIP_INDEX_URL: "https://u:p@pip.example.org/x",
        GOPROXY: "https://go.example.org|direct",
        PATH: "https://no.example.org",
      }),
    ).toEqual(["go.example.org", "pip.example.org"]);
  });

  it("stand for their word, beside hosts of the person's own, and within what an agent may reach", () => {
    const found = ["registry.npmjs.org", "npm.example.org"];
    expect(hostsFor(["registries"], found)).toEqual(["npm.example.org", "registry.npmjs.org"]);
    expect(hostsFor(["registries", "a.org"], ["b.org"])).toEqual(["a.org", "b.org"]);
    expect(hostsFor(["registries"], found, ["*.example.org"])).toEqual(["npm.example.org"]);
    expect(hostsFor(["registries"], found, false)).toBe(false);
    expect(hostsFor(false, found, true)).toBe(false);
    expect(hostsFor(true, [], ["a.org"])).toEqual(["a.org"]);
    expect(hostsFor(true, found)).toBe(true);
  });

  it("are a word that the configuration takes", () => {
    const config = { network: { setup: ["registries", "github.com"] } };
    expect(parseConfig("c.json", JSON.stringify(config))).toMatchObject({ problems: [], config });
  });
});
