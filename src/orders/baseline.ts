// The look at the base, put together: which commands the plan asks for, and where what they print is kept.
import type { Effect } from "../core/effect.ts";
import type { Outcome } from "../core/input.ts";
import type { Run, TaskId } from "../core/run.ts";
import type { Carriers } from "../engine/world.ts";
import { attemptFolder } from "../work/attempt-folder.ts";
import type { BaselineChecking } from "../work/check-baseline.ts";
import { checkingOf, type Execution, markOf } from "./attempts.ts";
import { outcomeOf } from "./carrier.ts";

type CheckBaseline = Extract<Effect, { kind: "check-baseline" }>;

export function baselineCarriers(execution: Execution): Carriers {
  return { "check-baseline": (effect, signal) => lookAtBaseline(execution, effect, signal) };
}

async function lookAtBaseline(
  execution: Execution,
  { commit, number }: CheckBaseline,
  signal: AbortSignal,
): Promise<Outcome> {
  const { app } = execution;
  const run = await app.run();
  const about = { task: "baseline", attempt: number };
  const plan = await app.journal.read(run, planOf);
  const folder = attemptFolder(app.paths.heddle, run, about);
  const mark = markOf(app, run, about);
  const order = { ...checkingOf(execution), ...plan, folder, mark, commit };
  return outcomeOf(execution, { kind: "check-baseline", ...order }, signal);
}

const manifest =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|Pipfile|Gemfile|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|mix\.exs|[^/]*\.(?:csproj|gemspec|lock))$/;

function planOf({ tasks }: Run): Pick<BaselineChecking, "commands" | "open" | "mayInstall"> {
  const commands = new Set<string>();
  const open: { id: TaskId; commands: string[] }[] = [];
  let mayInstall = false;
  for (const { def, state } of tasks.all()) {
    mayInstall ||= def.files.some(({ path }) => manifest.test(path));
    const own = def.criteria.map(({ command }) => command);
    if (state !== "skipped") for (const command of own) commands.add(command);
    if (state !== "skipped" && state !== "complete" && !def.unchecked)
      open.push({ id: def.id, commands: own });
  }
  return { commands: [...commands], open, mayInstall };
}
