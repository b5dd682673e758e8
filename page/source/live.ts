// The server: pages by GET, changes by server-sent events (`line.ts`), orders by POST, each with the key of this page. A line that is
// cut is taken up again where it ended (`Last-Event-ID`, by the browser itself); one that the browser gave up is opened anew
// with what is on the screen as its beginning.
import type { OrderReply, SessionReply, SessionRequest } from "../../src/page/model.ts";
import { watch } from "./line.ts";
import { type At, type AtTask, Missing, SessionOver, type Source } from "./source.ts";

/** In the storage of this origin, which is one port: other servers on this machine do not see it. */
const keyName = "heddle-key";
const keyOf = () => localStorage.getItem(keyName) ?? "";

export function liveSource(): Source {
  return {
    live: true,
    writtenAt: null,
    leftOut: 0,
    project: (signal) => get("/api/project", signal),
    run: (at) => get(`${pathOf(at)}${search(at)}`, at.signal),
    task: (at) => get(`${taskPath(at)}${search(at)}`, at.signal),
    timeline: (at) => get(`${pathOf(at)}/timeline${search(at)}`, at.signal),
    money: (at) => get(`${pathOf(at)}/money${search(at)}`, at.signal),
    coverage: (at) => get(`${pathOf(at)}/coverage${search(at)}`, at.signal),
    report: (at) => get(`${pathOf(at)}/report${search(at)}`, at.signal),
    moments: (at) => get(`${pathOf(at)}/moments`, at.signal),
    transcript: (at) => get(`${taskPath(at)}/attempts/${at.attempt}/transcript?after=${at.after}`, at.signal),
    order: async (run, order) => {
      const response = await post(`${pathOf({ run })}/orders`, order);
      const reply = (await bodyOf(response)) as OrderReply | null;
      return reply ?? { ok: false, problem: `The server said ${response.status}.`, hint: null };
    },
    watch: (listener, seen) => watch(listener, { ...ways, seen }),
  };
}

const pathOf = ({ run }: Pick<At, "run">) => `/api/runs/${encodeURIComponent(run)}`;
const taskPath = (at: AtTask) => `${pathOf(at)}/tasks/${encodeURIComponent(at.task)}`;
const search = ({ at }: At) => (at === undefined ? "" : `?at=${at}`);

/** Hands the token over for a key. False when the server does not know it: it is good once. */
export async function opened(token: string): Promise<boolean> {
  const asked: SessionRequest = { token };
  const response = await post("/api/session", asked);
  if (!response.ok) return false;
  localStorage.setItem(keyName, ((await response.json()) as SessionReply).key);
  return true;
}

function post(path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json", "x-heddle-key": keyOf() };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin" });
}

const ask = (path: string, signal: AbortSignal | undefined) =>
  fetch(path, { signal: signal ?? null, credentials: "same-origin", headers: { "x-heddle-key": keyOf() } });

async function get<T>(path: string, signal: AbortSignal | undefined): Promise<T> {
  const response = await ask(path, signal);
  if (response.ok) return (await response.json()) as T;
  if (response.status === 401) throw new SessionOver();
  const said = (await bodyOf(response)) as { readonly problem?: string; readonly hint?: string } | null;
  throw new Missing(said?.problem ?? `The server said ${response.status}.`, said?.hint ?? null);
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

const ways = {
  address: (seen: string) => `/api/events?${new URLSearchParams({ key: keyOf(), seen })}`,
  isOver: () =>
    ask("/api/project", undefined).then(
      (response) => response.status === 401,
      () => false,
    ),
};
