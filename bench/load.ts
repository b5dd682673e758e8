// A plan of 100,000 tasks: into the journal from memory, and from its files by the whole command. Reading and
// parsing the same files with nothing else stands beside it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import { type Command, type Cost, costsOf } from "./children.ts";
import type { Bench, Figure } from "./figure.ts";
import { builtHeddle, emptyProject, planOf, taskText, withFolder } from "./plan.ts";
import { estimate, median } from "./statistics.ts";

const shape = { size: 100_000, width: 100 };
const goals = { seconds: 5, rssMb: 500 };

interface Round {
  readonly inside: { readonly wall: number; readonly cpu: number };
  readonly transact: Cost;
  readonly command: Cost;
  readonly reading: Cost;
}

export const load: Bench = {
  name: "load",
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const heddle = builtHeddle(folder);
      const children = await bundled(join(folder, "children"));
      const root = join(folder, "project");
      writeTasks(join(root, "project-planning/tasks"));
      const rounds: Round[] = [];
      for (let round = 0; round < (quick ? 2 : 7); round++)
        rounds.push(await measure(root, { heddle, children }));
      return figuresOf(rounds);
    }),
};

function writeTasks(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const def of planOf(shape)) writeFileSync(join(folder, `${def.id}.json`), taskText(def));
}

/** As plain JavaScript: Node's own TypeScript support would count as forty megabytes. */
async function bundled(dir: string): Promise<string> {
  const input = ["load-transact", "load-reading"].map((name) => join(import.meta.dirname, `${name}.ts`));
  await build({ input, platform: "node", output: { dir, format: "esm" }, logLevel: "silent" });
  return dir;
}

async function measure(root: string, programs: { heddle: string; children: string }): Promise<Round> {
  const { heddle, children } = programs;
  const journal = join(children, "journal");
  mkdirSync(journal);
  const transact = costOf({ cwd: journal, args: [join(children, "load-transact.js"), String(shape.size)] });
  const inside = JSON.parse(readFileSync(join(journal, "seconds.json"), "utf8")) as Round["inside"];
  rmSync(journal, { recursive: true });

  const reading = costOf({ cwd: root, args: [join(children, "load-reading.js")] });
  rmSync(join(root, ".heddle"), { recursive: true, force: true });
  rmSync(join(root, "project-planning/state.json"), { force: true });
  (await emptyProject(root)).close();
  return { inside, transact, reading, command: costOf({ cwd: root, args: [heddle, "state", "load-tasks"] }) };
}

function costOf(command: Command): Cost {
  const [cost] = costsOf([command]);
  if (!cost) throw new Error("bug: no cost");
  return cost;
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const of = (pick: (round: Round) => number) => estimate(rounds, (drawn) => median(drawn.map(pick)));
  const time = { unit: "s", goal: { most: goals.seconds } };
  const memory = { unit: "MB", goal: { most: goals.rssMb } };
  const definitions = "load: 100,000 definitions into the journal";
  const files = "load: state load-tasks, 100,000 files";
  const reading = "load: reading and JSON.parse of them alone";
  return [
    { name: `${definitions}, wall`, ...time, measured: of(({ inside }) => inside.wall) },
    { name: `${definitions}, cpu`, ...time, measured: of(({ inside }) => inside.cpu) },
    { name: `${definitions}, memory`, ...memory, measured: of(({ transact }) => transact.rssMb) },
    { name: `${files}, wall`, ...time, measured: of(({ command }) => command.wallMs / 1000) },
    { name: `${files}, cpu`, ...time, measured: of(({ command }) => command.cpuMs / 1000) },
    { name: `${files}, memory`, ...memory, measured: of(({ command }) => command.rssMb) },
    { name: `${reading}, wall`, unit: "s", measured: of((round) => round.reading.wallMs / 1000) },
    { name: `${reading}, cpu`, unit: "s", measured: of((round) => round.reading.cpuMs / 1000) },
    { name: `${reading}, memory`, unit: "MB", measured: of((round) => round.reading.rssMb) },
  ];
}
