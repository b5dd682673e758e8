// Each planted bug names the line that it spoils. When that line moves or is written twice, the bug proves nothing any more,
// and only a campaign would notice: so all of them are looked up here.
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import type { PlantedFile } from "./attack/planted.ts";
import { mutants } from "./simulation/mutants.ts";

const root = resolve(import.meta.dirname, "..");

interface Spoiled {
  readonly name: string;
  readonly file: string;
  readonly from: string;
}

const lost = (bugs: readonly Spoiled[]) =>
  bugs.flatMap(({ name, file, from }) => {
    const times = readFileSync(join(root, file), "utf8").split(from).length - 1;
    return times === 1 ? [] : [`${file}: ${name}: its line occurs ${times} times`];
  });

it("finds the line of every planted bug of the simulation, once", () => {
  expect(mutants.length).toBeGreaterThan(100);
  expect(lost(mutants)).toEqual([]);
});

it("finds the line of every planted bug of the attacks, once", async () => {
  const files = globSync("*.planted.ts", { cwd: join(import.meta.dirname, "attack") });
  const lists = await Promise.all(files.map((file) => import(`./attack/${file}`) as Promise<PlantedFile>));
  const planted = lists.flatMap((each) => each.planted);
  expect(planted.length).toBeGreaterThan(100);
  expect(lost(planted)).toEqual([]);
});
