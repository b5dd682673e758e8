// Keeps a context small. Lists have a most; what is cut is said in `notes`. If that is not enough, code samples give way
// first, down to what a normal project needs, and everything else after them, down to the cap.
import type { Limits } from "./limits.ts";
import type { ProjectContext } from "./project-context.ts";

const most = {
  stacks: 12,
  languages: 8,
  config_files: 30,
  commands: 20,
  setup: 12,
  dependencies: 40,
  entry_points: 12,
  workspaces: 30,
  packages: 40,
  integration_requirements: 30,
  notes: 20,
} as const;

type Listed = keyof typeof most;

function bytesOf(context: ProjectContext): number {
  return Buffer.byteLength(JSON.stringify(context, null, 2));
}

export function cutToSize(context: ProjectContext, limits: Limits): ProjectContext {
  let fitted = withinLists(context, 1);
  for (const lines of [40, 25, 15]) {
    if (bytesOf(fitted) <= limits.wishedBytes) return fitted;
    fitted = { ...fitted, samples: shortened(fitted.samples, lines) };
  }
  while (bytesOf(fitted) > limits.wishedBytes && fitted.samples.length > 0)
    fitted = { ...fitted, samples: fitted.samples.slice(0, -1) };
  for (let share = 2; bytesOf(fitted) > limits.contextBytes && share <= 64; share *= 2) {
    const tree = fitted.structure.tree.slice(0, Math.ceil(80 / share));
    fitted = {
      ...withinLists(fitted, share),
      structure: { ...fitted.structure, tree },
    };
  }
  return fitted;
}

function withinLists(context: ProjectContext, share: number): ProjectContext {
  const notes = [...context.notes];
  const cut = <T>(name: Listed, items: readonly T[]): T[] => {
    const length = Math.ceil(most[name] / share);
    if (items.length > length)
      notes.push(`${length} of ${items.length} ${name.replace("_", " ")} are listed`);
    return items.slice(0, length);
  };
  const fitted = {
    ...context,
    stacks: cut("stacks", context.stacks),
    languages: cut("languages", context.languages),
    config_files: cut("config_files", context.config_files),
    commands: cut("commands", context.commands),
    setup: cut("setup", context.setup),
    dependencies: cut("dependencies", context.dependencies),
    entry_points: cut("entry_points", context.entry_points),
    workspaces: cut("workspaces", context.workspaces),
    ...(context.packages && { packages: cut("packages", context.packages) }),
    integration_requirements: cut("integration_requirements", context.integration_requirements),
  };
  return { ...fitted, notes: notes.slice(0, Math.max(2, Math.ceil(most.notes / share))) };
}

function shortened(samples: ProjectContext["samples"], lines: number): ProjectContext["samples"] {
  return samples.map((sample) => ({ ...sample, text: sample.text.split("\n", lines).join("\n") }));
}
