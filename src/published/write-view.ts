// Effect `write-view`: brings `state.json` and the logs up to the newest state. Its writers take turns, and a view bears the position that it shows: one
// that already shows as much is left alone, whoever comes late (C3).

import { type Run, type TaskId, taskOf } from "../core/run.ts";
import { isUsable, readHead, readIfThere, replaceFile } from "../host/files.ts";
import type { Journal, Range } from "../journal/journal.ts";
import { briefEventsOf, type Details, lastEvents, notEvents } from "../view/events.ts";
import {
  hasEvents,
  isIntact,
  openText,
  readSeal,
  restated,
  type Seal,
  sealedWith,
  sealWithin,
  showsPlace,
} from "../view/state-json.ts";
import { isAway, type RunPlace } from "./outside.ts";
import { type LogFiles, writeLogs } from "./write-log.ts";

/** A view that was level with the run just before `position`, and the tasks that were changed on the way there. */
export interface Before {
  readonly text: string;
  readonly position: number;
  readonly touched: readonly TaskId[];
}

const sealAt = (path: string): Seal | undefined => readSeal(readHead(path, sealWithin));

/** Whether the view bears as much as the state has: then all of it must be looked at. */
const seemsShown = (run: Run, seal: Seal | undefined) =>
  seal?.run === run.id && seal.position >= run.position;

/** Whether a view that bears as much really is what it says. */
function isShown(run: Run, text: string, seal: Seal): boolean {
  return isIntact(text, seal) && (seal.position > run.position || showsPlace(run, text));
}

/** A view as far as the state tells it, and up to where its events go. */
interface Opened {
  readonly text: string;
  readonly position: number;
  readonly hasEvents: boolean;
}

function opened(run: Run, text: string): Opened {
  return { text, position: run.position, hasEvents: hasEvents(run) };
}

function viewText(run: Run, seal: Seal | undefined, before?: Before): Opened {
  return opened(run, (before && seal && fromBefore(run, before, seal)) ?? openText(run));
}

/** The whole view as it should be. */
export async function wholeView(journal: Journal, run: string): Promise<string> {
  return finished(journal, run, await journal.read(run, (state) => opened(state, openText(state))));
}

async function finished(journal: Journal, run: string, { text, position, ...view }: Opened): Promise<string> {
  return sealedWith(text, view.hasEvents ? await eventsUpTo(journal, run, position) : undefined);
}

/** Of a view that somebody changed, as they were written: nothing for one that is as it was, or never had any. */
export async function eventsFor(journal: Journal, run: string, text = ""): Promise<Details[] | undefined> {
  const seal = readSeal(text);
  if (!seal || seal.run !== run || isIntact(text, seal)) return undefined;
  const now = await journal.read(run, (state) => (hasEvents(state) ? state.position : 0));
  return text.includes('"events"') ? eventsUpTo(journal, run, Math.min(now, seal.position)) : undefined;
}

interface LastEvents {
  readonly position: number;
  readonly events: readonly Details[];
}

/** Whoever writes a view again and again reads each entry once. */
const written = new WeakMap<Journal, Map<string, LastEvents>>();

async function eventsUpTo(journal: Journal, run: string, position: number): Promise<Details[]> {
  const ofJournal = written.get(journal) ?? new Map<string, LastEvents>();
  written.set(journal, ofJournal);
  const before = ofJournal.get(run);
  const events =
    before && before.position <= position
      ? [...before.events, ...(await eventsIn(journal, run, { after: before.position, upTo: position }))]
      : await lastUpTo(journal, run, position);
  ofJournal.set(run, { position, events: events.slice(-lastEvents) });
  return events.slice(-lastEvents);
}

async function eventsIn(journal: Journal, run: string, range: Range): Promise<Details[]> {
  return (await journal.entries(run, { ...range, without: notEvents })).flatMap(briefEventsOf);
}

/** Looks back in growing steps: a large plan that was just loaded lies between. */
async function lastUpTo(journal: Journal, run: string, position: number): Promise<Details[]> {
  let events: Details[] = [];
  let upTo = position;
  for (let step = 2 * lastEvents; upTo > 0 && events.length < lastEvents; step *= 8) {
    const after = Math.max(0, upTo - step);
    events = [...(await eventsIn(journal, run, { after, upTo })), ...events];
    upTo = after;
  }
  return events;
}

/** Another process may have come between: then nothing is known of what was changed. */
function fromBefore(run: Run, { text, position, touched }: Before, seal: Seal): string | undefined {
  if (position !== run.position || readSeal(text)?.digest !== seal.digest) return undefined;
  return restated(
    run,
    text,
    touched.map((id) => taskOf(run, id)),
  );
}

/** What is brought up to the journal, and where it is. */
export interface Publication {
  readonly journal: Journal;
  readonly run: string;
  readonly place: RunPlace;
  readonly logs: LogFiles;
  readonly before?: Before | undefined;
}

/** Writes the view and the logs of a run. Callers have the lease: writers take turns. */
export async function publishRun(publication: Publication): Promise<void> {
  const { journal, run, place, logs, before } = publication;
  const seal = sealAt(place.view);
  const isFolderUsable = isUsable(place.planningDir);
  const now = await journal.read(run, (state) => {
    // The place belongs to the active run: an archived one must not write over its view.
    const isOurs = !state.archived && !isAway(state, { isFolderUsable });
    const isSeen = isOurs && seemsShown(state, seal);
    return {
      ...{ position: state.position, isSeen, noTranscript: state.protocol.own?.noTranscript === true },
      text: isOurs && !isSeen ? viewText(state, seal, before) : undefined,
    };
  });
  const text = now.isSeen ? await textAnew(publication, seal) : now.text;
  if (text !== undefined) replaceFile(place.view, await finished(journal, run, text));
  await writeLogs(publication, { position: now.position, noTranscript: now.noTranscript, logs });
}

/** A view that bears the newest position and was damaged all the same, or shows another place. */
async function textAnew({ journal, run, place }: Publication, seal: Seal | undefined) {
  const shown = readIfThere(place.view) ?? "";
  return journal.read(run, (state) =>
    seal && isShown(state, shown, seal) ? undefined : viewText(state, undefined),
  );
}
