// One page that a view asks for by itself (a task, a timeline): kept on the screen while it is asked for again, and asked
// again when the run has moved, at most twice a second.
import { useEffect, useRef, useState } from "preact/hooks";
import type { RunPage } from "../src/page/model.ts";
import { momentOf } from "./route.ts";
import { type At, Missing } from "./source/source.ts";
import { asMissing, loadRun, reopened, route, runs, theSource } from "./store.ts";

export interface Loaded<T> {
  readonly page: NonNullable<T> | null;
  readonly missing: Missing | null;
}

const atMostEveryMs = 500;

interface Ask<T> {
  /** Another key is another page: what was shown goes. */
  readonly key: string;
  /** Another version is the same page, later. */
  readonly version: string;
  readonly everyMs?: number;
  readonly load: (signal: AbortSignal) => Promise<T>;
}

export function useLoaded<T>({ key, version, everyMs = atMostEveryMs, load }: Ask<T>): Loaded<T> {
  const [shown, setShown] = useState<Loaded<T> & { readonly key: string }>({
    key,
    page: null,
    missing: null,
  });
  const last = useRef({ key: "", at: 0, asked: 0, shown: 0 });
  const ending = useRef(new AbortController());
  useEffect(() => {
    last.current = { key, at: Number.NEGATIVE_INFINITY, asked: 0, shown: 0 };
    const end = new AbortController();
    ending.current = end;
    return () => end.abort();
  }, [key]);
  useEffect(() => {
    // A request under way is not given up for a newer one: a run that moves all the time would never be shown.
    const { signal } = ending.current;
    const timer = setTimeout(
      () => {
        const number = ++last.current.asked;
        last.current.at = performance.now();
        const show = (what: Loaded<T>) => {
          if (signal.aborted || number < last.current.shown) return;
          last.current.shown = number;
          setShown({ key, ...what });
        };
        load(signal).then(
          (page) => show({ page: page ?? null, missing: null }),
          (error) => {
            const missing = asMissing(error);
            // Nobody answered: what was known stays, and the line says that it is cut.
            if (error instanceof Missing) show({ page: null, missing });
            else if (!signal.aborted)
              setShown((was) => (was.key === key && was.page ? was : { key, page: null, missing }));
          },
        );
      },
      Math.max(0, everyMs - (performance.now() - last.current.at)),
    );
    return () => clearTimeout(timer);
  }, [key, version]);
  return shown.key === key ? shown : { page: null, missing: null };
}

/** The run of the present address, now or at the moment of a replay. */
export function useRun(id: string): Loaded<RunPage> {
  const at = momentOf(route.value);
  const now = runs.value.get(id) ?? null;
  const isNow = at === undefined;
  const then = useLoaded<RunPage | undefined>({
    key: isNow ? `now ${id}` : `replay ${id}`,
    version: `${isNow ? "now" : at} ${reopened.value}`,
    everyMs: 60,
    load: async (signal) => {
      if (!isNow) return theSource().run({ run: id, at, signal });
      if (!runs.value.has(id)) await loadRun(id);
      return undefined;
    },
  });
  return isNow
    ? { page: now, missing: now ? null : then.missing }
    : { page: then.page ?? null, missing: then.missing };
}

/** A page of a run that follows it: asked again when the run has moved. */
export function useOfRun<T>(run: RunPage, what: string, load: (at: At) => Promise<T>): Loaded<T> {
  const at = momentOf(route.value);
  return useLoaded({
    key: `${run.id} ${what} ${at === undefined ? "now" : "then"}`,
    version: `${run.position} ${reopened.value}`,
    ...(at !== undefined && { everyMs: 100 }),
    load: (signal) => load({ run: run.id, at, signal }),
  });
}
