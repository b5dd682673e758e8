// An agent is asked about a skill: it may read the skill and what is put beside it, and leaves one JSON document. Like
// the effect `run-role`, a try that has ended is not paid for again; an answer that will not do goes back to the same
// agent with what is wrong, three tries in all (C6, S10).
import { join } from "node:path";
import type { Agent, AgentEvent, Stopped } from "../agents/agent.ts";
import type { Spent } from "../core/input.ts";
import { jsonIn, ownRecord } from "../core/json.ts";
import { textDigest } from "../host/digest.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import { readHandedIn, readRecord } from "../host/handed-in.ts";
import type { Limits } from "../host/program/limits.ts";
import { repairDocument } from "../protocols/repair.ts";
import { converse } from "./converse.ts";
import { forgetHome } from "./given/agent-home.ts";
import type { Skill } from "./given/skill.ts";
import { addUsage } from "./usage.ts";

const tries = 3;

export interface Consultation<T extends object> {
  readonly agent: Agent;
  readonly limits: Limits;
  readonly role: string;
  readonly skill: Skill;
  /** Which time this role is asked. */
  readonly time: number;
  /** Where it happens; each try has a folder of its own below. */
  readonly folder: string;
  /** What is tuned; it may be read, not written. */
  readonly target: string;
  /** The state's path and its key fields, not the state (S11). */
  readonly state: { readonly text: string; readonly fields: object };
  /** Documents that it is given, each as a file of that name. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The answer as it counts, or what is wrong with it. */
  readonly read: (answer: unknown) => T | readonly string[];
  readonly watch: (role: string, event: AgentEvent) => void;
}

export interface Consulted<T> {
  readonly value?: T;
  readonly error?: string;
  readonly usage?: Spent;
}

interface Ended {
  readonly stopped: Stopped;
  readonly usage?: Spent;
}

export async function consult<T extends object>(
  asked: Consultation<T>,
  signal: AbortSignal,
): Promise<Consulted<T>> {
  let usage: Spent | undefined;
  let problems: readonly string[] = [];
  for (let n = 1; n <= tries; n++) {
    const folder = join(asked.folder, `try-${n}`);
    const end = await tried(asked, { folder, n, problems }, signal);
    if (signal.aborted) return { error: "it was ended" };
    if (end.usage) usage = addUsage(usage, asked.agent.name, { kind: "spent", ...end.usage });
    const { stopped } = end;
    const read = stopped.kind === "failed" ? [stopped.message] : answerIn(folder, asked.read);
    if (!Array.isArray(read)) return { value: read as T, ...(usage && { usage }) };
    problems = read;
    // A crossed limit of time is not crossed three times.
    if (stopped.kind === "failed" && (!stopped.retryable || stopped.category === "timeout")) break;
  }
  return { error: problems[0] ?? "the reason is not known", ...(usage && { usage }) };
}

function answerIn<T extends object>(folder: string, take: Consultation<T>["read"]): T | readonly string[] {
  const output = join(folder, "out/answer.json");
  const read = readHandedIn(output, { most: 1024 * 1024 });
  const text = "text" in read ? repairDocument(read.text)?.text : undefined;
  if (text === undefined) return ["it left no JSON document"];
  return take(jsonIn(text));
}

interface Try {
  readonly folder: string;
  readonly n: number;
  /** What was wrong with the answer before. */
  readonly problems: readonly string[];
}

async function tried<T extends object>(
  asked: Consultation<T>,
  { folder, n, problems }: Try,
  signal: AbortSignal,
): Promise<Ended> {
  const ended = join(folder, "ended.json");
  const known = ownRecord<Ended>(ended, readRecord(ended));
  if (known !== undefined) return known;
  const end = await turn(asked, { folder, n, problems }, signal);
  if (signal.aborted) return end;
  replaceFile(ended, JSON.stringify(end));
  await forgetHome(join(folder, "home"));
  return end;
}

async function turn<T extends object>(
  asked: Consultation<T>,
  { folder, n, problems }: Try,
  signal: AbortSignal,
): Promise<Ended> {
  const { agent, limits, role, skill, time, target, state, watch } = asked;
  const place = (name: string) => join(folder, name);
  for (const name of ["work", "home", "out"]) makeFolder(place(name));
  const inputs = Object.entries(asked.inputs).map(([name, value]) => {
    replaceFile(place(`${name}.json`), `${JSON.stringify(value, null, 2)}\n`);
    return [name, place(`${name}.json`)] as const;
  });
  replaceFile(place("token"), textDigest(crypto.getRandomValues(new Uint8Array(32))));
  // A copy: the view is replaced while others work, and a box cannot show a file that goes away as it starts.
  replaceFile(place("state.json"), state.text);
  const [bundle, output] = [place("bundle.json"), place("out/answer.json")];
  const told = {
    role,
    skill: { path: skill.path, text: skill.text },
    inputs: { target, ...Object.fromEntries(inputs), state: place("state.json") },
    key_fields: state.fields,
    output: { path: output },
    ...(problems.length > 0 && { previous_problems: problems }),
  };
  replaceFile(bundle, `${JSON.stringify(told, null, 2)}\n`);
  const readable = [target, skill.path, ...inputs.map(([, path]) => path), bundle, place("state.json")];
  const workspace = {
    cwd: place("work"),
    home: place("home"),
    writable: [place("out")],
    readable: readable.filter(isThere),
    records: folder,
  };
  const attempt = (time - 1) * tries + n;
  const order = { role, task: "", attempt, bundle, token: place("token"), output, workspace, limits };
  const { stopped, usage } = await converse({ agent, order, watch: (event) => watch(role, event) }, signal);
  return { stopped, ...(usage && { usage }) };
}
