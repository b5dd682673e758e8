import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { knownAgents } from "../../src/agents/known.ts";

it("U1 doctor calls those versions tried that the live tests try", () => {
  const file = join(import.meta.dirname, "../live/package.json");
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, "utf8"));
  const tried = Object.values({ ...dependencies, ...optionalDependencies });
  expect(knownAgents.map(({ tried: version }) => version).sort()).toEqual(tried.sort());
});
