// `state complete-task --verify`: a host's claim, held against the acceptance commands before it is taken (X20). They run
// in a copy of the target as it lies there, because that is where the host worked, boxed and without network; agents
// wrote them, so none of them ever runs among the person's own files.
import { join } from "node:path";
import { problem } from "../core/problem.ts";
import type { Check, Evidence } from "../core/run-parts.ts";
import { unchecked } from "../core/steps/attempt.ts";
import { type App, Refused } from "../engine/app.ts";
import { ownFolders } from "../engine/paths.ts";
import { makeFolder, makePrivateFolder } from "../host/files.ts";
import { benchFor, readConfig } from "../orders/config.ts";
import { sandboxOf } from "../orders/set-ups.ts";
import { boxFor } from "../orders/workers.ts";
import { runCheck } from "../work/evidence/check-tree.ts";
import { CleanRoom, copyOf, placeIn } from "../work/evidence/clean-room.ts";

export async function verifyClaim(app: App, id: string, asked: boolean): Promise<Evidence | undefined> {
  const config = readConfig(app.paths.heddle);
  if (!asked && config.verifyClaims !== true) return undefined;
  const { def, target, attempt } = await app.look((run) => {
    const task = run.tasks.get(id);
    return { def: task?.def, target: run.targetDir, attempt: task?.attempts ?? 0 };
  });
  const criteria = def?.criteria ?? [];
  if (def && criteria.length === 0)
    throw new Refused([problem("no-checks", unchecked(def).error, { hint: { do: "load-tasks" } })]);
  const bench = benchFor(config, sandboxOf(await boxFor(app, config)));
  const place = join(app.paths.heddle, "attempts", await app.run(), `${id}-${attempt}`);
  makePrivateFolder(join(app.paths.heddle, "attempts"));
  makeFolder(join(place, "checks"));
  // What was installed there names its own place (a virtual environment does): readable, and not to be changed.
  const own = ownFolders(app.paths);
  const tools = { ...bench, readable: [...bench.readable, target], hidden: own };
  const how = { bench: tools, network: config.network?.checks ?? false, mark: `claim ${place}` };
  const room = new CleanRoom(join(place, "claim"), copyOf(target, own));
  const { signal } = new AbortController();
  const checks: Check[] = [];
  try {
    for (const [at, criterion] of criteria.entries()) {
      await room.freshen({ more: at + 1 < criteria.length }, signal);
      const log = join(place, "checks", `claim-${at + 1}`);
      checks.push(await runCheck(how, { ...criterion, ...placeIn(room, ""), log }, signal));
    }
  } finally {
    await room.remove().catch(() => undefined);
  }
  refuseRed(id, checks);
  return { tree: "target", checks };
}

function refuseRed(id: string, checks: readonly Check[]): void {
  const red = checks.filter((check) => !check.ok);
  if (red.length === 0) return;
  throw new Refused(
    red.map(({ command, exit, note, log }) =>
      problem("red", `task \`${id}\` is not complete: \`${command}\` ${note ?? `exited with code ${exit}`}`, {
        hint: `cat ${log}.err ${log}.out`,
      }),
    ),
  );
}
