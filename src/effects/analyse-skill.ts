// The deep analysis of a skill by an agent (S5): it reads the skill and what heddle found, and leaves one document.
// Runs inside the effect `run-role`; an analysis that has ended is not paid for again.
import { join } from "node:path";
import * as z from "zod";
import type { Agent, AgentEvent, Stopped } from "../agents/agent.ts";
import type { Spent } from "../core/input.ts";
import { textDigest } from "../host/digest.ts";
import { isPlainFile, isThere, makeFolder, readIfThere, readText, replaceFile } from "../host/files.ts";
import type { Limits } from "../host/limits.ts";
import type { Skill } from "../planning/planning-bundle.ts";
import { repairDocument } from "../protocols/repair.ts";
import { forgetHome } from "./agent-home.ts";
import { addUsage } from "./usage.ts";

const analysisShape = z.looseObject({
  root_causes: z
    .array(z.looseObject({ description: z.string(), severity: z.string().optional() }))
    .default([]),
  recommendations: z.array(z.looseObject({ action: z.string() })).default([]),
  edits: z
    .array(
      z.looseObject({
        pattern: z.string(),
        file: z.string(),
        old: z.string().min(1),
        new: z.string(),
        reason: z.string().default(""),
      }),
    )
    .max(50)
    .default([]),
});

export type Analysis = z.infer<typeof analysisShape>;

export interface AnalystWork {
  readonly agent: Agent;
  readonly limits: Limits;
  readonly attempt: number;
  readonly role: Skill;
  /** Where this attempt happens. */
  readonly folder: string;
  /** The skill that is analysed; it may be read, not written. */
  readonly target: string;
  /** The state's path and its key fields, not the state (S11). */
  readonly state: { readonly path: string; readonly fields: object };
  readonly findings: object;
  readonly watch: (role: string, event: AgentEvent) => void;
}

export interface Analysed {
  readonly analysis?: Analysis;
  readonly error?: string;
  readonly usage?: Spent;
}

export async function analyseSkill(work: AnalystWork, signal: AbortSignal): Promise<Analysed> {
  const [ended, output] = [join(work.folder, "ended.json"), join(work.folder, "out/deep-analysis.json")];
  let usage: Spent | undefined;
  if (!isThere(ended)) {
    const end = await turn(work, output, signal);
    usage = end.usage;
    if (signal.aborted) return { error: "it was ended" };
    replaceFile(ended, JSON.stringify(end.stopped));
    forgetHome(join(work.folder, "home"));
  }
  const stopped = JSON.parse(readIfThere(ended) ?? "{}") as Stopped;
  const spent = usage && { usage };
  if (stopped.kind === "failed") return { error: stopped.message, ...spent };
  const read = isPlainFile(output) ? readText(output, 1024 * 1024) : undefined;
  const text = read && "text" in read ? repairDocument(read.text)?.text : undefined;
  const parsed = analysisShape.safeParse(text === undefined ? undefined : JSON.parse(text));
  return parsed.success
    ? { analysis: parsed.data, ...spent }
    : { error: "the analyst left no analysis that can be read", ...spent };
}

async function turn(
  work: AnalystWork,
  output: string,
  signal: AbortSignal,
): Promise<{ stopped: Stopped; usage?: Spent }> {
  const { agent, limits, attempt, role, folder, target, state, findings, watch } = work;
  const place = (name: string) => join(folder, name);
  for (const name of ["work", "home", "out"]) makeFolder(place(name));
  replaceFile(place("findings.json"), `${JSON.stringify(findings, null, 2)}\n`);
  replaceFile(place("token"), textDigest(crypto.getRandomValues(new Uint8Array(32))));
  const bundle = {
    role: "deep-analyst",
    skill: { path: role.path, text: role.text },
    inputs: { target, findings: place("findings.json"), state: state.path },
    key_fields: state.fields,
    output: { path: output },
  };
  replaceFile(place("bundle.json"), `${JSON.stringify(bundle, null, 2)}\n`);
  const readable = [target, role.path, place("findings.json"), place("bundle.json"), state.path].filter(
    isThere,
  );
  const workspace = {
    cwd: place("work"),
    home: place("home"),
    writable: [place("out")],
    readable,
    records: folder,
  };
  const order = {
    role: "deep-analyst",
    task: "",
    attempt,
    bundle: place("bundle.json"),
    token: place("token"),
    output,
    workspace,
    limits,
  };
  let [usage, stopped]: [Spent | undefined, Stopped] = [undefined, { kind: "finished" }];
  for await (const event of agent.work(order, signal)) {
    watch("deep-analyst", event);
    if (event.kind === "spent") usage = addUsage(usage, agent.name, event);
    if (event.kind === "stopped") stopped = event.how;
  }
  return { stopped, ...(usage && { usage }) };
}
