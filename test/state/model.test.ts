// heddle against a model of the first implementation (C9–C12, D10, D14, X12, X13, X20). The program itself is not at
// hand, so the model (`model/first.ts`) was written from the documents and from the facts about it. Thousands of generated
// sequences of commands are given to both; where they differ, the difference must be one of the named ones
// (`model/differences.ts`), and each of the named ones must really make a difference.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Difference, decisions, defects, differences } from "./model/differences.ts";
import { First } from "./model/first.ts";
import { Heddle, throughProcesses } from "./model/heddle.ts";
import {
  Disk,
  filesOf,
  happen,
  prelude,
  type Scene,
  type Shape,
  scenes,
  shapes,
  unseen,
} from "./model/scenes.ts";
import { differ, type Seen } from "./model/seen.ts";

const seed = Number(process.env.MODEL_SEED ?? 20_261_115);
const sequences = Number(process.env.MODEL_SEQUENCES ?? 100);

/** In memory where there is such a place: what is compared is the state, not the disk. */
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "heddle-model-"));
const disks = new Map<Shape, Disk>();

beforeAll(async () => {
  for (const shape of Object.keys(shapes) as Shape[]) {
    const disk = new Disk(folder, shape);
    await disk.prepare();
    disks.set(shape, disk);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the model says to a scene, step by step. */
function told({ shape, begin, steps }: Scene, fixed: ReadonlySet<Difference>): (Seen | null)[] {
  const first = new First(filesOf(shape), fixed);
  const place = unseen(shape);
  for (const line of prelude[begin]) first.run(line);
  return steps.map((line) => {
    if (!line.startsWith("@")) return first.run(line);
    happen(line, first.files, place, first.state !== null);
    return null;
  });
}

async function shown(
  { shape, begin, steps }: Scene,
  make = (root: string) => new Heddle(root),
): Promise<(Seen | null)[]> {
  const disk = disks.get(shape) as Disk;
  disk.begin(begin);
  const heddle = make(disk.root);
  const files = filesOf(shape);
  const seen: (Seen | null)[] = [];
  for (const line of steps) {
    const begun = existsSync(join(disk.root, ".heddle/heddle.db"));
    if (line.startsWith("@")) happen(line, files, disk, begun);
    seen.push(line.startsWith("@") ? null : await heddle.run(line));
  }
  heddle.close();
  return seen;
}

interface Found {
  readonly at: number;
  readonly what: string;
}

/** The first step at which two tellings differ. */
function firstDifference(model: readonly (Seen | null)[], real: readonly (Seen | null)[]): Found | undefined {
  for (const [at, seen] of model.entries()) {
    const what = seen && differ(seen, real[at] as Seen);
    if (what) return { at, what };
  }
  return undefined;
}

const all: ReadonlySet<Difference> = new Set(differences);

/**
 * The named differences that lead from the first implementation to what heddle did. Where the two part for the first
 * time, one name that brings them together there is looked for; where it takes several, a set of them from which none
 * can be left out. Nothing when some difference has no name.
 */
function explain(scene: Scene, real: readonly (Seen | null)[]): Set<Difference> | undefined {
  let fixed: ReadonlySet<Difference> = new Set();
  const partsAt = (names: ReadonlySet<Difference>) =>
    firstDifference(told(scene, names), real)?.at ?? Number.POSITIVE_INFINITY;
  for (let at = partsAt(fixed); at < Number.POSITIVE_INFINITY; at = partsAt(fixed)) {
    const one = differences.find((name) => !fixed.has(name) && partsAt(new Set([...fixed, name])) > at);
    const more = one ? new Set([...fixed, one]) : fewest(fixed, (names) => partsAt(names) > at);
    if (!more) return undefined;
    fixed = more;
  }
  return new Set(fixed);
}

function fewest(
  fixed: ReadonlySet<Difference>,
  suffice: (names: ReadonlySet<Difference>) => boolean,
): Set<Difference> | undefined {
  if (!suffice(all)) return undefined;
  let names = new Set(all);
  for (const name of differences.filter((each) => !fixed.has(each))) {
    const fewer = new Set([...names].filter((each) => each !== name));
    if (suffice(fewer)) names = fewer;
  }
  return names;
}

const samples = fc.sample(scenes, { seed, numRuns: 4_000 });

describe("heddle against a model of the first implementation", () => {
  it(`X12 X20 D10 C10 ${sequences} generated sequences end the same, but for the named differences`, {
    timeout: 300_000,
  }, async () => {
    const tally = { sequences: 0, commands: 0, different: 0, by: new Map<Difference, number>() };
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const real = await shown(scene);
        tally.sequences++;
        tally.commands += real.filter((seen) => seen !== null).length;
        const wrong = firstDifference(told(scene, all), real);
        expect(wrong && `${scene.steps.slice(0, wrong.at + 1).join("\n")}\n${wrong.what}`).toBeUndefined();
        const names = explain(scene, real);
        expect(names, "a difference without a name").toBeDefined();
        if (names && names.size > 0) tally.different++;
        for (const name of names ?? []) tally.by.set(name, (tally.by.get(name) ?? 0) + 1);
      }),
      { seed, numRuns: sequences, endOnFailure: false },
    );
    const { by, ...sums } = tally;
    if (process.env.MODEL_SEQUENCES)
      console.log(JSON.stringify(sums), Object.fromEntries([...by].sort(([, a], [, b]) => b - a)));
    expect(tally.commands).toBeGreaterThan(sequences * 5);
    // Sequences that never touch what differs would prove nothing, and neither would ones that always do.
    expect(tally.different).toBeGreaterThan(sequences / 10);
    expect(tally.different).toBeLessThan(sequences);
  });

  it("X20 C14 some of them, through the real CLI, are just the same", { timeout: 180_000 }, async () => {
    const outside = (root: string) => new Heddle(root, throughProcesses(root));
    for (const scene of fc.sample(scenes, { seed: seed + 1, numRuns: Math.ceil(sequences / 40) })) {
      const short = { ...scene, steps: scene.steps.slice(0, 12) };
      const wrong = firstDifference(told(short, all), await shown(short, outside));
      expect(wrong && `${short.begin}\n${short.steps.join("\n")}\n${wrong.what}`).toBeUndefined();
    }
  });

  it.each(differences)("X20 %s makes a difference of its own", (name) => {
    const without = new Set(differences.filter((each) => each !== name));
    const found = samples.some((scene) => {
      const [ours, theirs] = [told(scene, all), told(scene, without)];
      return firstDifference(theirs, ours) !== undefined;
    });
    expect(found).toBe(true);
  });

  it("X20 every named difference is in docs/state-reference.md", () => {
    const text = readFileSync(join(import.meta.dirname, "../../docs/state-reference.md"), "utf8");
    for (const name of Object.keys(defects)) expect(text).toContain(`| ${name.replace("defect ", "")} |`);
    for (const [name, reason] of Object.entries(decisions)) expect(text).toContain(`| ${name} | ${reason} |`);
  });
});
