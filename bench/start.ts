// What a one-shot command costs beside starting Node at all. Each round runs everything once, in random order; a
// second bare Node among them shows how much of a ratio is noise.
import { join } from "node:path";
import { type Command, type Cost, costsOf } from "./children.ts";
import type { Bench, Figure } from "./figure.ts";
import { builtHeddle, idOf, makeProject, withFolder } from "./plan.ts";
import { randomFrom, ratio, shuffled } from "./statistics.ts";

const sizes = [
  { size: 100, most: 1.5 },
  { size: 10_000, most: 1.6 },
  { size: 100_000, most: 2 },
];

interface Contender {
  readonly name: string;
  readonly most?: number;
  /** Has to happen before and is not counted. */
  readonly before?: (round: number) => Command;
  readonly command: (round: number) => Command;
}

type Round = Readonly<Record<string, Cost>>;

/** Fill the compile cache and the page cache; they are not counted. */
const warmUps = 3;

/** Tasks that are under way at any time, as with a few agents at work. */
const underWay = 4;

export const start: Bench = {
  name: "start",
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const rounds = quick ? 15 : 61;
      const contenders = await contendersIn(folder);
      return figuresOf(contenders, measure(contenders, rounds + warmUps).slice(warmUps));
    }),
};

async function contendersIn(folder: string): Promise<Contender[]> {
  const heddle = builtHeddle(folder);
  const bare = { cwd: folder, args: ["-e", "0"] };
  const contenders: Contender[] = [
    { name: "node -e 0", command: () => bare },
    { name: "control: node -e 0", command: () => bare },
    { name: "--version", most: 1.2, command: () => ({ cwd: folder, args: [heddle, "--version"] }) },
  ];
  for (const { size, most } of sizes) {
    const cwd = join(folder, String(size));
    await makeProject(cwd, { size, width: 20 }, underWay);
    const state = (...words: string[]) => ({ cwd, args: [heddle, "state", ...words] });
    const tasks = size.toLocaleString("en-US");
    contenders.push(
      { name: `ready-tasks, ${tasks} tasks`, most, command: () => state("ready-tasks") },
      {
        name: `complete-task, ${tasks} tasks`,
        most,
        before: (round) => state("start-task", idOf(round + underWay)),
        command: (round) => state("complete-task", idOf(round)),
      },
    );
  }
  return contenders;
}

function measure(contenders: readonly Contender[], rounds: number): Round[] {
  const random = randomFrom(2);
  return Array.from({ length: rounds }, (_, round) => {
    const order = shuffled(contenders, random);
    const before = order.flatMap((each) => each.before?.(round) ?? []);
    const costs = costsOf([...before, ...order.map(({ command }) => command(round))]);
    return Object.fromEntries(order.map(({ name }, at) => [name, costs[before.length + at] as Cost]));
  });
}

function figuresOf([bare, ...others]: readonly Contender[], rounds: readonly Round[]): Figure[] {
  const figure = ({ name, most }: Contender, kind: "wall" | "cpu"): Figure => {
    const cost = (of: string) => (round: Round) => round[of]?.[`${kind}Ms`] ?? Number.NaN;
    return {
      name: `start: ${name}, ${kind}`,
      unit: "x bare",
      measured: ratio(rounds, cost(name), cost(bare?.name ?? "")),
      ...(most !== undefined && { goal: { most } }),
    };
  };
  return others.flatMap((contender) => [figure(contender, "wall"), figure(contender, "cpu")]);
}
