// The paths of the API: what each shows of the project, and the one that takes orders.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { jsonIn } from "../../core/json.ts";
import { isProblem, type Problem } from "../../core/problem.ts";
import { Refused } from "../../engine/app.ts";
import { scratchPlace } from "../../host/scratch.ts";
import { hintText } from "../../view/hint.ts";
import { definitionsIn } from "../definition.ts";
import type { Order, OrderReply } from "../model.ts";
import { changingKinds, orderIn, staleness, wordsOf } from "../order.ts";
import type { Project } from "../project.ts";
import type { Performed } from "../surface.ts";
import { refuse, sendJson } from "./answer.ts";
import { bodyOf } from "./guard.ts";

type Show = (project: Project, parts: readonly string[], query: URLSearchParams) => Promise<unknown>;

const name = "([^/]{1,200})";
const isNumber = /^\d{1,15}$/;

function numberIn(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key);
  return text !== null && isNumber.test(text) ? Number(text) : undefined;
}

const of = (path: string, show: Show) => ({ path: new RegExp(`^/api/${path}$`), show });

const reads: readonly { readonly path: RegExp; readonly show: Show }[] = [
  of("project", (project) => project.projectPage()),
  of(`runs/${name}`, (project, [run = ""], query) => project.runPage(run, numberIn(query, "at"))),
  of(`runs/${name}/tasks/${name}`, (project, [run = "", task = ""], query) =>
    project.taskPage(run, task, numberIn(query, "at")),
  ),
  of(
    `runs/${name}/tasks/${name}/attempts/(\\d{1,6})/transcript`,
    (project, [run = "", task = "", attempt], query) =>
      project.transcriptPage(run, { task, attempt: Number(attempt) }, numberIn(query, "after") ?? 0),
  ),
  of(`runs/${name}/timeline`, (project, [run = ""], query) =>
    project.timelinePage(run, numberIn(query, "at")),
  ),
  of(`runs/${name}/money`, (project, [run = ""], query) => project.moneyPage(run, numberIn(query, "at"))),
  of(`runs/${name}/coverage`, (project, [run = ""], query) =>
    project.coveragePage(run, numberIn(query, "at")),
  ),
  of(`runs/${name}/report`, (project, [run = ""], query) => project.reportPage(run, numberIn(query, "at"))),
  of(`runs/${name}/moments`, (project, [run = ""]) => project.momentsPage(run)),
];

/** Whether there is such a path. */
export async function showPath(project: Project, url: URL, response: ServerResponse): Promise<boolean> {
  for (const { path, show } of reads) {
    const parts = path.exec(url.pathname)?.slice(1).map(decoded);
    if (!parts) continue;
    try {
      sendJson(response, await show(project, parts, url.searchParams));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(response, { status: 404, ...told(error.problems[0]) });
    }
    return true;
  }
  return false;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function told(found: Problem | undefined): { readonly problem: string; readonly hint: string | null } {
  return {
    problem: [found?.message ?? "it was refused", ...(found?.notes ?? [])].join("\n"),
    hint: found?.hint === undefined ? null : hintText(found.hint),
  };
}

const orders = new RegExp(`^/api/runs/${name}/orders$`);

/** Whether there is such a path. */
export async function takeOrder(
  project: Project,
  url: URL,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<boolean> {
  const [, part] = orders.exec(url.pathname) ?? [];
  if (part === undefined) return false;
  const body = await bodyOf(request);
  if (typeof body !== "string") refuse(response, body);
  else {
    const { status, reply } = await carriedOut(project, decoded(part), body);
    sendJson(response, reply, { status });
  }
  return true;
}

type Answered = { readonly status: 200 | 400 | 404 | 409 | 422; readonly reply: OrderReply };

async function carriedOut(project: Project, run: string, body: string): Promise<Answered> {
  const order = orderIn(jsonIn(body, { maxDepth: 10 }));
  if (!order) return refused(400, { code: "bad-order", message: "this is not an order that heddle knows" });
  const { surface } = project;
  const { journal } = surface.app;
  try {
    const words = await project.live(run).then((live) => wordsOf(live.run, order));
    if (isProblem(words)) return refused(422, words);
    const kinds = changingKinds(order);
    const since = kinds.length === 0 ? [] : await journal.entries(run, { after: order.seen, kinds });
    const stale = staleness(order, since);
    if (stale) return refused(409, stale);
    const done = await performed(project, { run, order, words });
    if (isProblem(done)) return refused(422, done);
    if (!done.ok) return { status: 422, reply: done };
    const { position } = await project.summary(run);
    return { status: 200, reply: { ok: true, position, said: done.said } };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return refused(404, error.problems[0]);
  }
}

interface Ordered {
  readonly run: string;
  readonly order: Order;
  readonly words: readonly string[];
}

/** A definition is handed over as a command takes it, in files that are gone afterwards. */
async function performed(project: Project, { run, order, words }: Ordered): Promise<Performed | Problem> {
  const { surface } = project;
  if (order.do !== "edit" && order.do !== "split") return surface.perform(words, run);
  const tasks = definitionsIn(order);
  if (isProblem(tasks)) return tasks;
  const live = await project.live(run);
  const folder = mkdtempSync(join(scratchPlace(), "heddle-page-"));
  try {
    const files = tasks.map(({ id, text }) => {
      const file = join(folder, `${id}.json`);
      writeFileSync(file, text, { mode: 0o600 });
      return file;
    });
    const named = wordsOf(live.run, order, files);
    return isProblem(named) ? named : await surface.perform(named, run);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const refused = (status: Answered["status"], found: Problem | undefined): Answered => ({
  status,
  reply: { ok: false, ...told(found) },
});
