// `heddle runs`: every run of a project, which of them commands are about, and putting one away (X29).

import { join, relative } from "node:path";
import type { Call, Command, Reply } from "../../command/command.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { toCall } from "../../core/hint.ts";
import { closest, problem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import { type App, Refused } from "../../engine/app.ts";
import { readHead } from "../../host/files.ts";
import { runTitle } from "../../view/run-title.ts";
import { oneLine } from "../../view/safe.ts";
import { cut } from "../../view/width.ts";

type RunSummary = Awaited<ReturnType<App["journal"]["runs"]>>[number];

interface Row {
  readonly run: string;
  readonly protocol: string;
  readonly phase: string;
  readonly archived: boolean;
  /** The one that commands are about which name none. */
  readonly current: boolean;
  readonly tasks: { readonly complete: number; readonly failed: number; readonly total: number };
  readonly about: string;
  readonly target: string;
  readonly branch: string | null;
  readonly working: boolean;
}

export const list: Command = {
  name: "runs",
  summary: "list the runs of this project, and which of them is current",
  group: "look",
  flags: { all: { about: "archived ones too" } },
  examples: ["heddle runs", "heddle runs use plan-2", "heddle runs archive plan-1"],
  run: listed,
};

export const listAgain: Command = {
  ...list,
  name: "runs list",
  old: true,
  examples: ["heddle runs list --all"],
};

async function listed({ app: open, flags, manner }: Call): Promise<Reply> {
  const app = await open();
  const all = await rowsOf(app);
  const rows = all.filter(({ archived }) => flags.has("all") || !archived);
  const hidden = all.length - rows.length;
  const { width } = terminal();
  const lines = rows.map((row) => cut(lineOf(row), width));
  const more = [
    ...(hidden > 0 ? [`${hidden} archived: heddle runs --all`] : []),
    ...(rows.some(({ current }) => current)
      ? []
      : rows.length > 1
        ? [`hint: ${manner(`runs use ${rows.at(-1)?.run}`)}`]
        : []),
  ];
  const text = rows.length === 0 ? [`no run is under way; hint: ${manner('run "<task>"')}`] : lines;
  return { text: [...text, ...more].join("\n"), json: rows };
}

function lineOf({ run, phase, tasks, about, current, archived, working }: Row): string {
  const count = tasks.total === 0 ? "" : `${tasks.complete}/${tasks.total}`;
  const failed = tasks.failed > 0 ? `  ${tasks.failed} failed` : "";
  const state = archived ? "archived" : phase;
  const busy = working ? "  (at work)" : "";
  return `${current ? "*" : " "} ${run.padEnd(10)} ${state.padEnd(12)} ${count.padStart(7)}  ${oneLine(about)}${failed}${busy}`;
}

async function rowsOf(app: App): Promise<Row[]> {
  const runs = await app.journal.runs();
  const current = await app.run().catch((error: unknown) => {
    if (error instanceof Refused) return undefined;
    throw error;
  });
  const rows: Row[] = [];
  for (const summary of runs) rows.push(await rowOf(app, summary, summary.id === current));
  return rows;
}

async function rowOf(app: App, summary: RunSummary, current: boolean): Promise<Row> {
  const { id, protocol, phase, archived } = summary;
  // A project's own protocol may be broken: its runs are listed all the same.
  const known = await app.packs.load(protocol, app.paths.heddle).catch(() => undefined);
  const none = {
    tasks: { complete: 0, failed: 0, total: 0 },
    about: "",
    target: "",
    branch: null,
    working: false,
  };
  const row = { run: id, protocol, phase, archived, current };
  if (!known) return { ...row, ...none };
  const { named, ...read } = await app.journal.read(id, (run) => readRow(run, app.paths.root));
  return { ...row, ...read, about: aboutOf(named) };
}

function readRow(run: Run, root: string) {
  const { counts, tasks, targetDir, branch, holder } = run;
  return {
    tasks: {
      complete: counts.complete + counts.skipped,
      failed: counts.failed + counts.blocked,
      total: tasks.size,
    },
    named: nameOf(run),
    target: relative(root, targetDir) || ".",
    branch: branch?.name ?? null,
    working: holder !== null,
  };
}

type Named = ReturnType<typeof nameOf>;

function nameOf({ metadata, protocolName, protocol, planningDir, archived }: Run) {
  const { spec } = protocol.artifacts;
  const file = archived || spec === undefined ? undefined : join(planningDir, spec);
  return { metadata: structuredClone(metadata), protocolName, file };
}

function aboutOf({ file, ...run }: Named): string {
  return runTitle(run, () => (file === undefined ? "" : readHead(file, 400)));
}

const id = { name: "which", about: "a run's id, as `heddle runs` lists it" } as const;

export const use: Command = {
  name: "runs use",
  summary: "choose the run that commands are about",
  group: "steer",
  args: [id],
  examples: ["heddle runs use plan-2"],
  run: async ({ app: open, args: [name = ""] }) => {
    const app = await open();
    const { archived, phase } = await known(app, name);
    if (archived)
      throw new Refused([
        problem("archived", `\`${name}\` is archived`, {
          hint: [toCall(`status --run ${name}`), " shows it"],
        }),
      ]);
    const { choose } = await import("../../engine/chosen.ts");
    choose(app.paths.heddle, { run: name, named: true });
    return { text: `Commands are about ${name} now (phase ${phase}).`, json: { run: name, phase } };
  },
};

export const archive: Command = {
  name: "runs archive",
  summary: "put a run away: its record and its branch stay, commands pass it over",
  group: "steer",
  args: [id],
  examples: ["heddle runs archive plan-1"],
  run: async ({ app: open, args: [name = ""] }) => {
    const app = await open();
    await known(app, name);
    app.choosing({ run: name });
    const { refuseWhileHeld } = await import("../../engine/hold.ts");
    const { putAsideArchived } = await import("../../keep/put-aside.ts");
    await refuseWhileHeld(app);
    await app.submitTo(name, { kind: "archive", reason: "heddle runs archive" });
    const { planning } = app.paths;
    const own = { view: join(planning, "state.json"), places: (to: string) => [[planning, to] as const] };
    await putAsideArchived(app, own);
    return { text: `Archived ${name}. heddle runs --all lists it.`, json: { run: name, archived: true } };
  },
};

async function known(app: App, name: string): Promise<RunSummary> {
  const runs = await app.journal.runs();
  const found = runs.find((run) => run.id === name);
  if (found) return found;
  const meant = closest(
    name,
    runs.map((run) => run.id),
  );
  throw new Refused([
    problem("unknown-run", `run \`${name}\` does not exist`, {
      hint: meant === undefined ? "heddle runs" : `did you mean \`${meant}\`?`,
    }),
  ]);
}
