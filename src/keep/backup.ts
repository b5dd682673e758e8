// Backups of the journal. A copy is proven before it counts, on the way out and on the way in.
import { copyFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { toCall } from "../core/hint.ts";
import { type Problem, problem } from "../core/problem.ts";
import { App, type Opening, Refused } from "../engine/app.ts";
import { silenceOf } from "../engine/ask-holder.ts";
import { pathsIn } from "../engine/paths.ts";
import { linkNew } from "../host/aside.ts";
import { systemClock, wallClock } from "../host/clock.ts";
import { isFile, isThere, makeFolder, remove } from "../host/files.ts";
import { note } from "../host/notes.ts";
import { isAlive, isElsewhere } from "../host/program/process.ts";
import { sync } from "../host/sync.ts";
import { turnIn } from "../host/underway.ts";
import type { Journal } from "../journal/journal.ts";
import { takeTurn } from "../journal/turn.ts";

/** Made beside, proven, and only then given its name: a file of that name is always a whole backup. */
export async function backUp(app: App, file: string): Promise<{ facts: number }> {
  const taken = () =>
    new Refused([problem("file-exists", `\`${file}\` exists already`, { hint: "name another file" })]);
  if (isThere(file)) throw taken();
  const fresh = `${file}.${process.pid}.new`;
  return withScratch(app.opening, fresh, async () => {
    await app.journal.copyTo(fresh);
    const { facts, problems } = await prove(app.opening, fresh);
    if (problems.length > 0) throw new Refused(problems);
    sync(fresh);
    if (!linkNew(fresh, file)) throw taken();
    sync(dirname(file));
    return { facts };
  });
}

/** A file that is gone afterwards, however this ends, unless it was handed over. */
async function withScratch<T>(
  opening: Opening,
  file: string,
  work: (handOver: () => void) => Promise<T>,
): Promise<T> {
  const all = opening.journals.copies.names(file);
  const release = note(pathsIn(opening.root).heddle, "scratch", { paths: all });
  let isOurs = true;
  try {
    return await work(() => {
      isOurs = false;
    });
  } finally {
    for (const path of all) if (isOurs || path !== file) remove(path);
    release();
  }
}

/** A protocol of the project's own that is broken says nothing about the copy: its chain is proven all the same. */
export async function prove(
  { root, packs, journals }: Opening,
  file: string,
): Promise<{ facts: number; problems: readonly Problem[] }> {
  const journal = await journals.copies.open({ file, protocols: packs.named, now: wallClock });
  const { heddle } = pathsIn(root);
  try {
    const runs = await journal.runs();
    for (const { protocol } of runs) await packs.load(protocol, heddle).catch(ifRefused);
    const problems = (await journal.verify()).filter(({ code }) => code !== "unknown-protocol");
    return { facts: runs.reduce((sum, run) => sum + run.position, 0), problems };
  } finally {
    journal.close();
  }
}

export async function restoreBackup(
  opening: Opening,
  file: string,
): Promise<{ facts: number; aside: string | null }> {
  const paths = pathsIn(opening.root);
  if (!isThere(file))
    throw new Refused([
      problem("no-file", `\`${file}\` does not exist`, { hint: ["name a file made by ", toCall("backup")] }),
    ]);
  if (!isFile(file))
    throw new Refused([
      problem("bad-file", `\`${file}\` is not a file`, { hint: ["name a file made by ", toCall("backup")] }),
    ]);
  makeFolder(paths.heddle);
  makeFolder(join(paths.heddle, "logs"));
  const incoming = opening.journals.copies.nameIn(opening.root, String(process.pid));
  return withScratch(opening, incoming, async (handOver) => {
    copyFileSync(file, incoming);
    const { facts, problems } = await prove(opening, incoming);
    if (problems.length > 0) throw new Refused(problems);
    sync(incoming);
    await refuseWhileHeld(opening);
    const aside = (await opening.journals.has(opening.root)) ? nextIn(join(paths.heddle, "replaced")) : null;
    const turn = takeTurn(turnIn(paths.heddle));
    try {
      const swap = { incoming: basename(incoming), aside: aside === null ? null : basename(aside) };
      const release = note(paths.heddle, "restore", swap);
      // Where the disk fails now, the old journal may be aside already: the next command needs the new one to go on.
      handOver();
      await finishRestore(opening, swap);
      release();
    } finally {
      turn?.close();
    }
    return { facts, aside };
  });
}

function nextIn(folder: string): string {
  let n = 1;
  while (isThere(join(folder, String(n)))) n++;
  return join(folder, String(n));
}

interface Swap {
  /** By their names in `.heddle/` and in `.heddle/replaced/`. */
  readonly incoming: string;
  readonly aside: string | null;
}

/**
 * The old journal goes aside, its log first, and the proven one takes its place. Repeatable at every step: as long as the
 * new one waits under its own name, what has the journal's name is the old one.
 */
export async function finishRestore(opening: Opening, swap: Swap): Promise<void> {
  const { heddle } = pathsIn(opening.root);
  const incoming = join(heddle, basename(swap.incoming));
  if (isThere(incoming)) {
    const aside = swap.aside === null ? null : join(heddle, "replaced", basename(swap.aside));
    if (aside !== null) makeFolder(aside);
    await opening.journals.copies.replace(opening.root, incoming, aside);
    if (aside !== null) sync(aside);
    sync(heddle);
  }
  await restoreViews(opening);
}

function ifRefused(error: unknown): void {
  if (!(error instanceof Refused)) throw error;
}

/** A journal that cannot be opened any more has no holder to ask. */
export async function refuseWhileHeld({ root, packs, journals }: Opening): Promise<void> {
  if (!(await journals.has(root))) return;
  let journal: Journal;
  try {
    journal = await journals.open({ root, protocols: packs.named, now: wallClock });
  } catch {
    return;
  }
  try {
    for (const { id, protocol } of await journal.runs()) {
      await packs.load(protocol, pathsIn(root).heddle).catch(ifRefused);
      const { epoch, holder } = await journal.read(id, (run) => ({ epoch: run.epoch, holder: run.holder }));
      if (!holder || !isAlive(holder)) continue;
      const asking = { journal, run: id, by: "cli", clock: systemClock };
      if (!isElsewhere(holder) || !(await silenceOf(asking, epoch)))
        throw new Refused([
          problem("held", `run \`${id}\` is orchestrated by process ${holder.pid}`, {
            hint: { do: "halt", now: true },
          }),
        ]);
    }
  } catch (error) {
    if (error instanceof Refused) throw error;
  } finally {
    journal.close();
  }
}

async function restoreViews(opening: Opening): Promise<void> {
  const app = await App.open({ ...opening, by: "restore" });
  try {
    for (const { id, archived } of await app.journal.runs()) {
      if (archived) continue;
      const one = await App.open({ ...opening, by: "restore", run: id });
      await one
        .restoreView()
        .catch(ifRefused)
        .finally(() => one.close());
    }
  } finally {
    app.close();
  }
}
