// Taking over a `state.json` that a person edited (C3): what can be adopted becomes one recorded override; what
// cannot is named, and then nothing is taken.
import { type Problem, problem } from "../core/problem.ts";
import { statuses, type TaskState } from "../core/run.ts";
import { readIfThere } from "../host/files.ts";
import { digestsNow } from "../jobs/run-files.ts";
import { stateView } from "../view/state-json.ts";
import { type App, Refused } from "./app.ts";
import { type Difference, differences, driftOf, parse } from "./drift.ts";

export interface Adopted {
  readonly path: string;
  readonly was: string;
  readonly is: string;
}

interface Edit {
  phase: string | null;
  readonly tasks: Record<string, TaskState>;
  readonly problems: Problem[];
}

export async function adoptEdit(app: App, reason: string): Promise<Adopted[]> {
  const run = await app.run();
  const { path, found, drift } = await app.journal.read(run, (state) => {
    const file = app.viewPath(state);
    const text = readIfThere(file);
    const document = text === undefined ? undefined : parse(text);
    return {
      path: file,
      drift: driftOf(state, text),
      found: document ? differences(stateView(state), document) : [],
    };
  });
  if (drift !== "edited")
    throw new Refused([
      problem("not-edited", "state.json was not edited", { place: { file: path }, hint: "heddle status" }),
    ]);
  const edit = readEdit(found);
  if (edit.problems.length > 0) throw new Refused(edit.problems);
  await app.submitOver({
    kind: "adopt",
    reason,
    phase: edit.phase,
    tasks: edit.tasks,
    digests: await digestsOf(app),
  });
  const shown = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
  return found.map(({ path: at, was, is }) => ({ path: at.join("."), was: shown(was), is: shown(is) }));
}

async function digestsOf(app: App): Promise<Record<string, string | null>> {
  const isPlan = await app.journal.read(await app.run(), (run) => run.protocolName === "decomposition");
  if (!isPlan) return app.journal.read(await app.run(), digestsNow);
  const { observe } = await import("./planning.ts");
  return observe(app);
}

const states = statuses.filter((status) => status !== "blocked");

function readEdit(found: readonly Difference[]): Edit {
  const edit: Edit = { phase: null, tasks: {}, problems: [] };
  for (const difference of found) take(edit, difference);
  return edit;
}

function take(edit: Edit, { path, is }: Difference): void {
  const [top, second, third] = path;
  const at = path.join(".");
  if ((at === "phase.current" || at === "phase") && typeof is === "string") edit.phase = is;
  else if (at === "phase.completed" || at === "completed_phases" || top === "actors") return;
  else if (top === "tasks" && second !== undefined && third === "status") takeStatus(edit, second, is);
  else
    edit.problems.push(
      problem(
        "not-adoptable",
        `a change of \`${at}\` cannot be adopted: only the phase and a task's status can`,
        {
          hint: "undo that change, or: heddle state restore",
        },
      ),
    );
}

function takeStatus(edit: Edit, id: string, is: Difference["is"]): void {
  const state = states.find((each) => each === is);
  if (state) edit.tasks[id] = state;
  else
    edit.problems.push(
      problem(
        "bad-status",
        `task \`${id}\` cannot be set to ${JSON.stringify(is)}: it is one of ${states.join(", ")}`,
        {
          hint: "heddle state restore",
        },
      ),
    );
}
