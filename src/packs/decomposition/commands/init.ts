// `heddle init`: a new plan, its directories and its journal; without a target the directories alone (D1).

import { join } from "node:path";
import { type Call, type Command, Usage } from "../../../command/command.ts";
import { toCall } from "../../../core/hint.ts";
import { problem } from "../../../core/problem.ts";
import { pathsIn } from "../../../engine/paths.ts";
import { createProject, makePlanning } from "../create.ts";
import { planFolders } from "../protocol.ts";

const about = "the directory that the code is written to";

const parts = {
  args: [{ name: "target", about }],
  flags: {
    force: { about: "archive the existing plan and start over" },
    stack: { about: "the tech stack, in your own words", takes: "TEXT", text: true },
  },
} as const;

async function create({ root, packs, journals, args: [target = ""], flags, warn }: Call) {
  const by = process.env.HEDDLE_ACTOR ?? "operator";
  const app = await createProject({
    root,
    packs,
    journals,
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
  summary: "begin a plan: directories, journal, state; without a target the directories alone",
  group: "run",
  ...parts,
  args: [{ name: "target", about, optional: true }],
  examples: ["heddle init ./app", "heddle init . --stack 'TypeScript, SQLite'", "heddle init"],
  run: async (call) => {
    if (call.args.length === 0) return makeDirectories(call);
    const json = await create(call);
    const lines = [`Initialized ${json.run} for ${json.target_dir}`, `PLANNING_DIR=${json.planning_dir}`];
    return { text: lines.join("\n"), json };
  },
};

/** The first step of somebody who plans by hand: the specification is put there before there is a plan. */
function makeDirectories({ root, flags }: Call) {
  for (const flag of ["force", "stack"])
    if (flags.has(flag))
      throw new Usage(
        problem("missing-argument", `\`--${flag}\` is about a plan, and a plan needs a target`, {
          hint: toCall(`init . --${flag}${flag === "stack" ? " <text>" : ""}`),
        }),
      );
  const paths = pathsIn(root);
  makePlanning(paths);
  const made = planFolders.map((name) => `Made ${join(paths.planning, name)}`);
  const json = { run: null, target_dir: null, planning_dir: paths.planning };
  return { text: [...made, `PLANNING_DIR=${paths.planning}`].join("\n"), json };
}

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
