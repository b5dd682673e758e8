// Whether anybody works on a run, as the machine sees it: from the hold and the life of its process, never from the last word.
import { canBeIdle, type Idle } from "../core/idle.ts";
import type { Run } from "../core/run.ts";
import type { App } from "../engine/app.ts";
import type { Journal } from "../journal/journal.ts";
import { isHeldNow } from "./coordinators.ts";

/** How far back the last sign of an orchestrator is looked for. */
const mostEntries = 2000;

export async function idleOf(app: App): Promise<Idle | undefined> {
  const seen = await app.look((run) => ({
    isIdle: canBeIdle(run),
    holder: run.holder,
    position: run.position,
    updatedAt: run.updatedAt,
  }));
  if (!seen.isIdle || (await isHeldNow(app, seen))) return undefined;
  return idleSince(app.journal, { id: await app.run(), ...seen });
}

/** Of a run that nobody holds. */
export async function idleSince(
  journal: Journal,
  { id, position, holder, updatedAt }: Pick<Run, "id" | "position" | "holder" | "updatedAt">,
): Promise<Idle> {
  const entries = await journal.entries(id, { after: Math.max(0, position - mostEntries), upTo: position });
  const last = entries.findLast(({ by, fact }) => by === "orchestrator" || fact.kind === "epoch-released");
  return { since: last?.at ?? updatedAt, killed: holder !== null };
}
