// What the page knows now: the project, the runs that were looked at, the line, where we are. Views read these signals;
// changes come in here and nowhere else.
import { computed, effect, signal } from "@preact/signals";
import type { ChangeEvent, InboxItem, Order, OrderReply, ProjectPage, RunPage } from "../src/page/model.ts";
import { hrefOf, momentOf, type Query, type Route, routeOf } from "./route.ts";
import { changed, projectChanged } from "./source/merge.ts";
import { type Line, Missing, SessionOver, type Source } from "./source/source.ts";

export const route = signal<Route>(routeOf(""));
export const line = signal<Line>("connecting");
export const project = signal<ProjectPage | null>(null);
export const trouble = signal<Missing | null>(null);
/** Said once, to eyes and screen readers. */
export const said = signal<{ readonly text: string; readonly at: number } | null>(null);
/** Runs by name, as they are now: a replay is no part of it. */
export const runs = signal<ReadonlyMap<string, RunPage>>(new Map());
/** How often the line was given back after a cut: what could not be had then is asked for again. */
export const reopened = signal(0);
/** The moment that a replay shows. */
export const replayedMs = signal<number | null>(null);
const ticks = signal(Date.now());
/** The clock that running times are shown by; a report's and a replay's stand still. */
export const nowMs = computed(() => replayedMs.value ?? ticks.value);

let source: Source;
export const theSource = (): Source => source;
export const leftOut = () => source.leftOut;
export const isReadOnly = computed(() => line.value === "inside" || momentOf(route.value) !== undefined);

export function begin(from: Source): void {
  source = from;
  route.value = routeOf(location.hash);
  addEventListener("hashchange", () => {
    route.value = routeOf(location.hash);
  });
  if (from.writtenAt === null) ticking();
  else ticks.value = Date.parse(from.writtenAt);
  const listener = {
    change: take,
    line: (state: Line) => {
      const wasCut = line.value === "cut";
      line.value = state;
      if (state !== "open" || !wasCut) return;
      reopened.value++;
      if (project.value === null) void loadProject();
    },
    level,
  };
  const seen = () => (project.value?.runs ?? []).map(({ id, position }) => `${id}@${position}`).join(",");
  // Beside the project, and before anything is drawn: it is the largest part of the way to the first task.
  const first = route.value;
  if ((first.at === "run" || first.at === "task") && momentOf(first) === undefined)
    void loadRun(first.run).catch(() => {});
  // Not before it is known what is on the screen: the line then begins there, and tells nothing twice.
  void loadProject().then(() => line.value !== "over" && from.watch(listener, seen));
  effect(() => {
    const waiting = inboxNow.value.length;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${project.value?.name ?? "heddle"} · heddle`;
  });
}

function ticking(): void {
  setInterval(() => {
    if (!document.hidden) ticks.value = Date.now();
  }, 1000);
}

export async function loadProject(): Promise<void> {
  try {
    project.value = await source.project();
    trouble.value = null;
  } catch (error) {
    trouble.value = asMissing(error);
    if (error instanceof SessionOver) line.value = "over";
  }
}

/** Asked for by whoever shows it; at most one request at a time for each run. */
const asked = new Map<string, Promise<void>>();
export function loadRun(id: string): Promise<void> {
  const under = asked.get(id);
  if (under) return under;
  const asking = source
    .run({ run: id })
    .then((page) => {
      const known = runs.value.get(id);
      if (!known || known.position <= page.position) put(page);
    })
    .finally(() => asked.delete(id));
  asked.set(id, asking);
  return asking;
}

const put = (page: RunPage) => {
  runs.value = new Map(runs.value).set(page.id, page);
};

function take(change: ChangeEvent): void {
  const known = runs.value.get(change.run);
  if (known) {
    const page = changed(known, change);
    if (page === null) void loadRun(change.run).catch(() => {});
    else if (page !== known) put(page);
  } else if (asked.has(change.run)) {
    // Its page is on the way and may be older than this change.
    void asked.get(change.run)?.then(
      () => take(change),
      () => {},
    );
  }
  if (project.value === null) return;
  const before = project.value;
  const next = projectChanged(before, change);
  if (next === null) void loadProject();
  else if (next !== before) {
    project.value = next;
    tellNew(next.inbox.filter((item) => !before.inbox.some((known) => isSame(known, item))));
  }
}

const isSame = (a: InboxItem, b: InboxItem) => a.run === b.run && a.id === b.id;

/** What needs a person is said once; all else that moves on is shown and not said. What an order led to was said by its answer. */
function tellNew([first, ...more]: readonly InboxItem[]): void {
  if (!first || said.value !== null) return;
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  say(`Needs you: ${[...first.title].slice(0, 160).join("")}${others}`);
}

/** What another page was told before this one listened. */
function level(seen: string): void {
  const known = new Map(project.value?.runs.map(({ id, position }) => [id, position]));
  const behind = seen.split(",").filter((each) => {
    const [, run = "", position] = /^(.*)@(\d+)$/.exec(each) ?? [];
    return run !== "" && Number(position) > (known.get(run) ?? -1);
  });
  if (behind.length === 0) return;
  void loadProject();
  for (const each of behind) {
    const run = each.slice(0, each.lastIndexOf("@"));
    if (runs.value.has(run)) void loadRun(run).catch(() => {});
  }
}

/** What needs a person, of the whole project. */
export const inboxNow = computed<readonly InboxItem[]>(() => project.value?.inbox ?? []);

export const asMissing = (error: unknown): Missing =>
  error instanceof Missing
    ? error
    : new Missing("The server does not answer.", "Look whether `heddle web` still runs.");

export function go(to: Route, { replace = false } = {}): void {
  const href = hrefOf(to);
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, "", href);
  route.value = routeOf(href);
}

/** The same view with other words behind its `?`; no step of the browser's history. */
export function query(change: Query): void {
  go({ ...route.value, query: { ...route.value.query, ...change } }, { replace: true });
}

export function say(text: string): void {
  said.value = { text, at: Date.now() };
}

export async function send(run: string, order: Order): Promise<OrderReply> {
  try {
    const reply = await source.order(run, order);
    if (reply.ok) say(reply.said);
    return reply;
  } catch {
    return {
      ok: false,
      problem: "The server does not answer: nothing was sent.",
      hint: "Look whether `heddle web` still runs.",
    };
  }
}
