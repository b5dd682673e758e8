// Which image a devcontainer.json asks for, and what `box` in the configuration may say.
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { devcontainerImage } from "../../src/config/devcontainer.ts";

const file = ".devcontainer/devcontainer.json";
const of = (text: string, files: Readonly<Record<string, string>> = {}) =>
  devcontainerImage(file, text, (path) => files[path]);

describe("U16 the image of devcontainer.json", () => {
  it("U16 is its `image`, with comments and commas as people write them", () => {
    const text =
      '{ // ours\n "name": "a, }", "image": "mcr.microsoft.com/devcontainers/base:1", /* more */ }';
    expect(of(text)).toEqual({ image: "mcr.microsoft.com/devcontainers/base:1" });
  });

  it("U16 is named by its Dockerfile where it is built, with the command that builds it", () => {
    const files = { "docker/Dockerfile": "0123456789abcdef" };
    const text = '{"build": {"dockerfile": "../docker/Dockerfile", "context": ".."}}';
    const image = "localhost/heddle-devcontainer:0123456789ab";
    expect(of(text, files)).toEqual({ image, build: `build -t ${image} -f docker/Dockerfile .` });
    const old = of('{"dockerFile": "Dockerfile"}', { ".devcontainer/Dockerfile": "f".repeat(64) });
    expect(old).toMatchObject({
      build: expect.stringContaining("-f .devcontainer/Dockerfile .devcontainer"),
    });
  });

  it.for([
    ["an option", '{"image": "--privileged"}'],
    ["a variable", `{"image": "${"$"}{localEnv:IMAGE}"}`],
    ["services", '{"dockerComposeFile": "compose.yml", "service": "app"}'],
    ["nothing", "{}"],
    ["a list", "[]"],
    ["no JSON", "image: node"],
    ["a Dockerfile that is not there", '{"build": {"dockerfile": "Dockerfile"}}'],
    ["a Dockerfile outside", '{"build": {"dockerfile": "../../../etc/passwd"}}'],
    ["a command", '{"build": {"dockerfile": "x; rm -rf ~"}}'],
    ["an absolute place", '{"build": {"dockerfile": "/etc/passwd"}}'],
  ] as const)("U16 is refused with a sentence for %s", ([, text]) => {
    expect(of(text)).toMatchObject({
      problem: { code: "no-sandbox", hint: expect.stringContaining('"box"') },
    });
  });
});

describe("U16 `box` in the configuration", () => {
  const problemsOf = (box: unknown) =>
    parseConfig("config.json", JSON.stringify({ box })).problems.map(({ message }) => message);

  it("U16 is one of the boxes, or a container with its image and engine", () => {
    for (const box of [
      "bubblewrap",
      "container",
      "seatbelt",
      { container: {} },
      { container: { image: "node:24", engine: "docker" } },
    ])
      expect(problemsOf(box)).toEqual([]);
  });

  it("U16 is refused with a sentence for anything else", () => {
    for (const box of [
      "docker",
      1,
      {},
      { container: { image: "-v" } },
      { container: { engine: "lxc" } },
      { container: { privileged: true } },
    ])
      expect(problemsOf(box).length).toBeGreaterThan(0);
  });
});
