// `heddle init`: a new plan, its directories and its journal (D1).
import { createProject } from "../../engine/create.ts";
import type { Call, Command } from "../command.ts";

const parts = {
  args: [{ name: "target", about: "the directory that the code is written to" }],
  flags: {
    force: { about: "archive the plan that is there and begin anew" },
    stack: { about: "the tech stack, in your own words", takes: "TEXT", text: true },
  },
} as const;

async function create({ root, args: [target = ""], flags, warn }: Call) {
  const by = process.env.HEDDLE_ACTOR ?? "operator";
  const app = await createProject({
    root,
    by,
    target,
    force: flags.has("force"),
    stack: flags.one("stack"),
    warn,
  });
  try {
    return await app.look((run) => ({
      run: run.id,
      target_dir: run.targetDir,
      planning_dir: run.planningDir,
    }));
  } finally {
    app.close();
  }
}

export const init: Command = {
  name: "init",
  summary: "begin a plan: directories, journal, state",
  group: "run",
  ...parts,
  examples: ["heddle init ./app", "heddle init . --stack 'TypeScript, SQLite'"],
  run: async (call) => {
    const json = await create(call);
    const lines = [`Initialized ${json.run} for ${json.target_dir}`, `PLANNING_DIR=${json.planning_dir}`];
    return { text: lines.join("\n"), json };
  },
};

export const stateInit: Command = {
  name: "state init",
  summary: "begin a plan; the same as `heddle init`",
  group: "state",
  ...parts,
  examples: ["heddle state init ./app"],
  run: async (call) => {
    const json = await create(call);
    return { text: `Initialized state for ${json.target_dir}`, json };
  },
};
