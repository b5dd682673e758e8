// What the mutations and the hostile texts must catch, when it is taken out again.
import type { Planted } from "./planted.ts";

const deepView = "C14 in project-planning/state.json costs one sentence";

export const planted: readonly Planted[] = [
  {
    name: "JSON may nest without end",
    file: "src/core/json.ts",
    from: "if (++depth > maxDepth) return { deepAt: at, keys };",
    to: "depth++;",
    caughtBy: ["mutations.attack.ts", deepView],
  },
  {
    name: "a bundle is printed as it is found",
    file: "src/packs/decomposition/commands/bundle.ts",
    from: "const bundle = recordIn(text);",
    to: "const bundle = JSON.parse(text) as Record<string, unknown>;",
    caughtBy: ["mutations.attack.ts", "C14 in project-planning/bundles/T001-bundle.json costs one sentence"],
  },
  {
    name: "a message of MCP may nest without end",
    file: "src/mcp/server.ts",
    from: "const read = readJson(line.text);",
    to: "const read = { value: JSON.parse(line.text) as unknown } as ReturnType<typeof readJson>;",
    caughtBy: ["mutations.attack.ts", "C14 never make a parser throw, wait or change what all objects share"],
  },
  {
    name: "YAML may contain itself",
    file: "src/protocols/yaml.ts",
    from: "if (isBounded(value)) return",
    to: "if (isBounded(1)) return",
    caughtBy: [
      "mutations.attack.ts",
      "U8 contains itself: stops the runs that follow it and no other command",
    ],
  },
  {
    name: "a broken protocol stops every command",
    file: "src/engine/choose-run.ts",
    from: "if (error instanceof Refused) return error;",
    to: "",
    caughtBy: [
      "mutations.attack.ts",
      "U8 contains itself: stops the runs that follow it and no other command",
    ],
  },
  {
    name: "Markdown goes to its parser as it is",
    file: "src/packs/tuning/skill/markdown.ts",
    from: "fromMarkdown(tamed(text), {",
    to: "fromMarkdown(text, {",
    caughtBy: ["slow-texts.attack.ts", "S3 a skill"],
  },
  {
    name: "a run of blanks is counted at once",
    file: "src/packs/tuning/skill/tokens.ts",
    from: "const longRun = /\\S{400}|\\s{400}/g;",
    to: "const longRun = /\\S{400}/g;",
    caughtBy: ["slow-texts.attack.ts", "S3 a run of blanks"],
  },
  {
    name: "every wrong line of TOML costs another reading",
    file: "src/discovery/stacks/toml.ts",
    from: "wrong <= maxWrongLines && performance.now() < until",
    to: "wrong <= lines.length",
    caughtBy: ["slow-texts.attack.ts", "D5 a manifest"],
  },
  {
    name: "a pattern searches from every blank",
    file: "src/host/git/commit-object.ts",
    from: "/(?<!\\n)\\n*$/",
    to: "/\\n*$/",
    caughtBy: ["patterns.attack.ts", "C14 every regular expression of the sources takes linear time"],
  },
];
