// A whole planning run of the example with a program for every role, against the same programs spawned bare, one after
// another, on the bundles of that run. heddle's own process, its checks and its journal are the difference.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Figure } from "./figure.ts";
import { builtHeddle, withFolder } from "./plan.ts";
import { estimate, median, ratio } from "./statistics.ts";

const roles = ["logic-architect", "physical-architect", "task-author", "task-plan-verifier", "plan-auditor"];

interface Round {
  readonly bare: number;
  readonly unconfined: number;
  /** Nothing where there is no bubblewrap. */
  readonly boxed: number;
}

export const planning: Bench = {
  name: "planning",
  run: ({ quick }) =>
    withFolder((folder) => {
      const heddle = builtHeddle(folder);
      for (const name of ["schemas", "roles", "examples"])
        cpSync(join(import.meta.dirname, "..", name), join(folder, name), { recursive: true });
      cpSync(join(import.meta.dirname, "planning-agent.cjs"), join(folder, "examples/agent.cjs"));
      const hasBox = spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0;
      const rounds = Array.from({ length: quick ? 5 : 15 }, () => measure(folder, heddle, hasBox));
      return figuresOf(rounds, hasBox);
    }),
};

function measure(folder: string, heddle: string, hasBox: boolean): Round {
  const boxed = hasBox ? planned(folder, heddle, []) : 0;
  const unconfined = planned(folder, heddle, ["--unconfined"]);
  return { boxed, unconfined, bare: bare(folder) };
}

function planned(folder: string, heddle: string, words: readonly string[]): number {
  const root = join(folder, "project");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, ".heddle"), { recursive: true });
  cpSync(join(folder, "examples/notes/spec.md"), join(root, "spec.md"));
  const command = agent(folder);
  writeFileSync(join(root, ".heddle/config.json"), JSON.stringify({ agents: { copier: { command } } }));
  const args = [heddle, "plan", "spec.md", "--target", "app", "--new", "--agent", "copier", ...words];
  mkdirSync(join(root, "app"));
  return timed(root, [process.execPath, ...args]);
}

const agent = (folder: string) => [
  process.execPath,
  join(folder, "examples/agent.cjs"),
  join(folder, "examples/notes"),
];

/** On the bundles that the run before left. */
function bare(folder: string): number {
  const root = join(folder, "project");
  return roles
    .map((role, index) => {
      const bundle = join(root, `.heddle/attempts/plan-1/${role}-1/bundle.json`);
      const env = { HEDDLE_ROLE: role, HEDDLE_OUTPUT: join(folder, `bare-${index}`) };
      return timed(root, [...agent(folder), bundle], env);
    })
    .reduce((sum, each) => sum + each);
}

function timed(cwd: string, [program = "", ...args]: readonly string[], env: object = {}): number {
  const { PATH, HOME } = process.env;
  const started = performance.now();
  const { status, stderr } = spawnSync(program, args, { cwd, env: { PATH, HOME, ...env }, encoding: "utf8" });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`\`${args.join(" ")}\` failed: ${stderr}`);
  return took;
}

function figuresOf(rounds: readonly Round[], hasBox: boolean): Figure[] {
  const against = (pick: (round: Round) => number) => ratio(rounds, pick, ({ bare }) => bare);
  const name = "planning: a whole run of five roles, against its programs bare";
  const unconfined = against((round) => round.unconfined);
  return [
    { name: `${name}, unconfined`, unit: "x", measured: unconfined, goal: { most: 3 } },
    ...(hasBox
      ? [
          {
            name: `${name}, in the box`,
            unit: "x",
            measured: against(({ boxed }) => boxed),
            goal: { most: 3 },
          },
        ]
      : []),
    {
      name: "planning: the programs bare, one after another",
      unit: "ms",
      measured: estimate(rounds, (drawn) => median(drawn.map((round) => round.bare))),
    },
  ];
}
