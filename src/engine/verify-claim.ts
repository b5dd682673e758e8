// `state complete-task --verify`: a host's claim, held against the acceptance commands before it is taken (X20). They run
// in the target as it lies there, boxed and without network, because that is where the host worked.
import { join } from "node:path";
import type { Check, Evidence } from "../core/parts.ts";
import { problem } from "../core/problem.ts";
import { runCheck } from "../effects/check-tree.ts";
import { makeFolder, remove } from "../host/files.ts";
import { type App, Refused } from "./app.ts";
import { findBox } from "./box.ts";
import { benchFor, readConfig } from "./config.ts";

export async function verifyClaim(app: App, id: string, asked: boolean): Promise<Evidence | undefined> {
  const config = readConfig(app.paths.heddle);
  if (!asked && config.verifyClaims !== true) return undefined;
  const { criteria, target, attempt } = await app.look((run) => {
    const task = run.tasks.get(id);
    return { criteria: task?.def.criteria ?? [], target: run.targetDir, attempt: task?.attempts ?? 0 };
  });
  const box = await findBox({ unconfined: config.unconfined === true });
  const bench = benchFor(config, box.kind === "boxed" ? box.sandbox : null);
  const place = join(app.paths.heddle, "attempts", await app.run(), `${id}-${attempt}`);
  const [logs, room] = [join(place, "checks"), join(place, "claim")];
  makeFolder(logs);
  const checks: Check[] = [];
  for (const [at, criterion] of criteria.entries())
    checks.push(
      await runCheck(
        { bench, network: config.network?.checks ?? false, mark: `claim ${place}` },
        {
          ...criterion,
          cwd: target,
          writable: [target],
          home: join(room, "home"),
          tmp: join(room, "tmp"),
          log: join(logs, `claim-${at + 1}`),
        },
        new AbortController().signal,
      ),
    );
  remove(room);
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
