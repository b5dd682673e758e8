// What a change makes of what is shown. Pure, and idempotent: what came twice changes nothing.
import type { ChangeEvent, InboxItem, ProjectPage, RunPage, TaskRow } from "../../src/page/model.ts";

/** The page after it; the same one when it is old; null when the whole page must be asked for again. */
export function changed(page: RunPage, change: ChangeEvent): RunPage | null {
  const { run, since, page: rest, tasks } = change;
  if (run !== page.id || !isNews(change, page.position)) return page;
  // Rows that changed between this page and `since` are not in it.
  if (tasks === null || since > page.position) return null;
  return { ...rest, tasks: withRows(page.tasks, tasks) };
}

/** What is written later; or, at the same position, what lies beside the journal: a process that was killed, an edited file. */
const isNews = ({ position, since }: ChangeEvent, known: number) =>
  position > known || (position === known && since === position);

function withRows(all: readonly TaskRow[], rows: readonly TaskRow[]): readonly TaskRow[] {
  if (rows.length === 0) return all;
  const fresh = new Map(rows.map((row) => [row.id, row]));
  const next = all.map((row) => {
    const given = fresh.get(row.id);
    if (given) fresh.delete(row.id);
    return given ?? row;
  });
  return [...next, ...fresh.values()];
}

/** The project after it; null when it names a run that the project does not know. */
export function projectChanged(project: ProjectPage, change: ChangeEvent): ProjectPage | null {
  const { run, page } = change;
  const entry = project.runs.find(({ id }) => id === run);
  if (!entry) return null;
  if (!isNews(change, entry.position)) return project;
  const { title, phase, position, standing, updatedAt, inbox } = page;
  const next = { ...entry, title, phase, position, standing, updatedAt, needsYou: inbox.length };
  return {
    ...project,
    runs: project.runs.map((each) => (each === entry ? next : each)),
    inbox: oldestFirst([...project.inbox.filter((item) => item.run !== run), ...inbox]),
  };
}

export const oldestFirst = (items: readonly InboxItem[]): InboxItem[] =>
  [...items].sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
