// Taking over a `state.json` that a person edited (C3): what can be adopted becomes one recorded override; what
// cannot is named, and then nothing is taken.
import { type Problem, problem } from "../core/problem.ts";
import { type Run, statuses, type TaskState } from "../core/run.ts";
import { App, type Opening, Refused } from "../engine/app.ts";
import { textDigest } from "../host/digest.ts";
import { readIfThere } from "../host/files.ts";
import { note } from "../host/notes.ts";
import { adoptedTasks, type Difference, driftOf, editsOf, isAdoptable, parse } from "../published/drift.ts";

export interface Adopted {
  readonly path: string;
  readonly was: string;
  readonly is: string;
}

interface Settled {
  readonly run: string;
  readonly path: string;
  readonly digest: string;
  readonly position: number;
}

/** Decides about an edited view: once that is recorded, what the file says is no longer a person's word. */
export async function withViewNoted<T>(app: App, decide: () => Promise<T>): Promise<T> {
  const run = await app.run();
  const { view: path } = await app.placeOf(run);
  const position = await app.journal.read(run, (state) => state.position);
  const digest = textDigest(readIfThere(path) ?? "");
  const release = note(app.paths.heddle, "view", { run, path, digest, position } satisfies Settled);
  try {
    return await decide();
  } finally {
    release();
  }
}

/** Whoever was killed had recorded it, and not written the view: it is written now. */
export async function finishView(opening: Opening, { run, path, digest, position }: Settled): Promise<void> {
  if (textDigest(readIfThere(path) ?? "") !== digest) return;
  const app = await App.open({ ...opening, by: "operator", run });
  try {
    const now = await app.journal.read(await app.run(), (state) => state.position);
    if (now > position) await app.writeView();
  } finally {
    app.close();
  }
}

interface Edit {
  phase: string | null;
  readonly tasks: Record<string, TaskState>;
  readonly problems: Problem[];
}

export async function adoptEdit(app: App, reason: string): Promise<Adopted[]> {
  const run = await app.run();
  const { view: path } = await app.placeOf(run);
  const { text, events } = await app.outside(run);
  const { found, drift, edit } = await app.journal.read(run, (state) => {
    const document = text === undefined ? undefined : parse(text);
    const changed = document ? editsOf(state, document, events) : [];
    return { drift: driftOf(state, text, events), found: changed, edit: readEdit(state, changed) };
  });
  if (drift !== "edited")
    throw new Refused([
      problem("not-edited", "state.json was not edited", {
        place: { file: path },
        hint: { do: "show-status" },
      }),
    ]);
  if (edit.problems.length > 0) throw new Refused(edit.problems);
  const digests = await app.packs.digests(app);
  await withViewNoted(app, () =>
    app.submitOver({ kind: "adopt", reason, phase: edit.phase, tasks: edit.tasks, digests }),
  );
  const shown = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
  return found.map(({ path: at, was, is }) => ({ path: at.join("."), was: shown(was), is: shown(is) }));
}

const states = statuses.filter((status) => status !== "blocked");

function readEdit(run: Run, found: readonly Difference[]): Edit {
  const edit: Edit = { phase: null, tasks: {}, problems: [] };
  for (const difference of found) take(run, edit, difference);
  return edit;
}

function take(run: Run, edit: Edit, difference: Difference): void {
  const { path, is } = difference;
  const [top, second, third] = path;
  const at = path.join(".");
  if ((at === "phase.current" || at === "phase") && typeof is === "string") edit.phase = is;
  else if (at === "phase.completed" || at === "completed_phases" || top === "actors") return;
  else if (top === "tasks" && second !== undefined && third === "status") takeStatus(edit, second, is);
  else if (isAdoptable(run, difference)) Object.assign(edit.tasks, adoptedTasks(run, difference));
  else
    edit.problems.push(
      problem(
        "not-adoptable",
        `a change of \`${at}\` cannot be adopted: only the phase and a task's status can`,
        {
          hint: ["undo that change, or: ", { do: "restore-view" }],
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
          hint: { do: "restore-view" },
        },
      ),
    );
}
