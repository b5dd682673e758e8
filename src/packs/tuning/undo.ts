// Takes a fix of a tuning back, while the tuning goes on or after it (S7): the last one of that name that is still in.
import { problem } from "../../core/problem.ts";
import type { Json } from "../../core/run.ts";
import { App, type AppOptions, Refused } from "../../engine/app.ts";
import { type Applied, rollBack } from "./skill/apply.ts";
import { stateAt } from "./subjects.ts";

interface FoundFix {
  readonly run: string;
  readonly archived: boolean;
  readonly all: readonly Applied[];
  readonly at: number;
}

export async function takeFixBack(
  options: AppOptions & { readonly entry: string },
  id: string,
): Promise<Applied> {
  await options.packs.load("tuning");
  const app = await App.open(options);
  try {
    const found = await lastWith(app, options.entry, id);
    const applied = found?.all[found.at];
    if (!found || !applied)
      throw new Refused([
        problem("unknown-fix", `no fix \`${id}\` of this skill is in place`, {
          hint: "tuning-summary.md lists what was applied",
        }),
      ]);
    const back = rollBack(applied);
    if ("code" in back) throw new Refused([back]);
    const all = found.all.map((each, at) => (at === found.at ? back : each));
    const values = { applied_fixes: all as unknown as Json };
    if (!found.archived) await app.submitTo(found.run, { kind: "set", values });
    return back;
  } finally {
    app.close();
  }
}

async function lastWith(app: App, entry: string, id: string): Promise<FoundFix | undefined> {
  const runs = (await app.journal.runs()).filter(({ protocol }) => protocol === "tuning");
  for (const { id: run, archived } of runs.reverse()) {
    const all = await app.journal.read(run, (state) =>
      stateAt(state, "target_skill.path") === entry ? stateAt(state, "applied_fixes") : undefined,
    );
    const fixes = Array.isArray(all) ? (all as unknown as readonly Applied[]) : [];
    const at = fixes.findLastIndex((fix) => fix.fix_id === id && fix.rollback_available);
    if (at >= 0) return { run, archived, all: fixes, at };
  }
  return undefined;
}
