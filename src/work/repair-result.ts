// Effect `repair-result`: the fixer's one turn at a result that is no document (C6). Then what is there counts.

import { join } from "node:path";
import type { Agent, Stopped } from "../agents/agent.ts";
import type { Outcome, Spent } from "../core/input.ts";
import { failure } from "../core/outcome.ts";
import { isProblem, type Problem } from "../core/problem.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import { readHandedIn } from "../host/handed-in.ts";
import { repairDocument } from "../protocols/repair.ts";
import { converse } from "./converse.ts";
import { forgetHome } from "./given/agent-home.ts";
import type { Skill } from "./given/skill.ts";
import { schemaFile } from "./package.ts";
import { conclude, parkedBy, type TaskWork } from "./run-agent.ts";

export interface Repair extends TaskWork {
  readonly fixer: Agent | Problem;
  readonly skill: Skill;
}

export async function repairResult(repair: Repair, signal: AbortSignal): Promise<Outcome> {
  const { folder } = repair;
  const fixed = join(folder.folder, "fixer/out/result.json");
  const done = join(folder.folder, "fixer/ended");
  let usage: Spent | undefined;
  if (!isThere(done) && !isProblem(repair.fixer)) {
    const turned = await turn(repair, { agent: repair.fixer, fixed }, signal);
    if (signal.aborted) return failure("environment", "ended");
    usage = turned.usage;
    const parked = isThere(fixed) ? undefined : parkedBy(turned.stopped, repair.fixer, repair.park);
    if (parked) return { ...failure("environment", ""), ...parked, ...(usage && { usage }) };
    replaceFile(done, "");
    await forgetHome(join(folder.folder, "fixer/home"));
  }
  const read = readHandedIn(fixed, { most: 1024 * 1024 });
  const text = "text" in read ? repairDocument(read.text)?.text : undefined;
  if (text !== undefined) replaceFile(folder.proposed, text);
  const stopped = { kind: "finished" } as const;
  return conclude(repair, { stopped, asked: [], ...(usage && { usage }) });
}

async function turn(
  { folder, def, attempt, handIn, limits, mark, readable, skill, now, budgets }: Repair,
  { agent, fixed }: { agent: Agent; fixed: string },
  signal: AbortSignal,
): Promise<{ usage: Spent | undefined; stopped: Stopped }> {
  const home = join(folder.folder, "fixer");
  for (const name of ["home", "work", "out"]) makeFolder(join(home, name));
  const bundle = join(home, "bundle.json");
  const inputs = { broken: { path: folder.result }, schema: { path: schemaFile(handIn.schema) } };
  const text = {
    role: "fixer",
    skill: skill.text,
    inputs,
    output: { path: fixed, kind: "file" },
    task_id: def.id,
    problems: [],
  };
  replaceFile(bundle, JSON.stringify(text, null, 2));
  const workspace = {
    cwd: join(home, "work"),
    home: join(home, "home"),
    writable: [join(home, "out")],
    readable: [...readable, folder.outbox],
    records: home,
  };
  const order = { role: "fixer", task: def.id, attempt, bundle, token: folder.token, output: fixed };
  const kept = { file: join(home, "events.jsonl"), now };
  return converse({ agent, order: { ...order, workspace, limits, mark }, kept, budgets }, signal);
}
