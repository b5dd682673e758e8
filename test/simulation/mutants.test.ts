// The simulation's teeth: every planted bug must be noticed within four thousand seeds, and mostly is within a hundred. Two run at a time, each in
// a process of its own, and a table at the end says which seed noticed. `npm test` tries one in twenty-four, others
// each day; `HEDDLE_MUTANTS=3`, as in CI, every third, and `all` all of them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mutants as every } from "./mutants.ts";
import { type Fate, Workbench } from "./mutate.ts";

const mostSeeds = 4000;
const atOnce = 2;

const day = Math.floor(Date.now() / 86_400_000);
const oneIn = process.env.HEDDLE_MUTANTS === "all" ? 1 : Number(process.env.HEDDLE_MUTANTS ?? 24);
const mutants = every.filter((_, at) => at % oneIn === day % oneIn);

const fates = new Map<string, Fate | Error>();

beforeAll(async () => {
  const waiting = [...mutants];
  const worker = async () => {
    const workbench = new Workbench();
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const fate = await workbench.try(mutant, mostSeeds).catch((error: unknown) => error as Error);
      fates.set(mutant.name, fate);
    }
    workbench.remove();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}, 1_200_000);

describe("every planted bug is noticed", () => {
  test.each(mutants)("$file: $name", ({ name }) => {
    const fate = fates.get(name);
    if (fate instanceof Error || !fate) throw fate ?? new Error("it was never tried");
    expect(fate.caught, `no invariant broke in ${mostSeeds} seeds`).toBeDefined();
  });

  test("no two have the same name", () => {
    expect(new Set(every.map(({ name }) => name)).size).toBe(every.length);
  });
});

afterAll(() => {
  const lines = mutants.map(({ name, file }) => {
    const fate = fates.get(name);
    const caught = fate && !(fate instanceof Error) ? fate.caught : undefined;
    const seed = caught ? `seed ${String(caught.seed).padStart(3)}` : "not noticed";
    return `${seed}  ${(caught?.invariant ?? "").padEnd(22)} ${file.split("/").at(-1)?.padEnd(16)} ${name}`;
  });
  console.log(lines.join("\n"));
});
