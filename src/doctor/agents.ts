// Which agents are here, which version, and whether they start in a box; and on request whether they answer: a small piece
// of work goes the whole way, and what it took is shown.
import { writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Agent, AgentEvent, Order, Stopped } from "../agents/agent.ts";
import {
  claudeProgram,
  codexProgram,
  type FoundProgram,
  findNative,
  locateProgram,
} from "../agents/find-native.ts";
import {
  addressOf,
  compareVersions,
  isInstalled,
  type KnownAgent,
  keyOf,
  knownAgents,
  knownBy,
  offeredAgents,
  signIn,
} from "../agents/known.ts";
import { passageFor } from "../agents/passage.ts";
import { programFor } from "../agents/program.ts";
import type { Config } from "../config/config.ts";
import { type Hint, toCall } from "../core/hint.ts";
import { closest, isProblem, type Problem } from "../core/problem.ts";
import { findSandbox } from "../host/box/box.ts";
import { isThere, makeFolder } from "../host/files.ts";
import { readRecord } from "../host/handed-in.ts";
import { isExecutable, locate } from "../host/program/programs.ts";
import { runToEnd } from "../host/program/run.ts";
import { agentWords } from "../orders/agents.ts";
import { boxWish, type UsableBox } from "../orders/box.ts";
import { readConfig } from "../orders/config.ts";
import { makeAgent } from "../orders/make-agent.ts";
import { tokens, usd } from "../view/amount.ts";
import { type Finding, fail, ok, type TestBed, warn } from "./finding.ts";

/** Configured ones must be there; others are shown where they are. */
export async function tryAgents(bench: TestBed): Promise<Finding[]> {
  const config = readConfig(bench.heddle);
  const configured = [...new Set([...agentWords(config, undefined), ...Object.keys(config.agents ?? {})])];
  const here = knownAgents.filter(
    (each) => isInstalled(each) && !configured.some((word) => knownFor(config, word) === each),
  );
  if (configured.length === 0 && here.length === 0) return [noneAtAll()];
  const box = await boxFor(bench, config);
  const found = await Promise.all([
    ...configured.map((word) => configuredFinding(word, { bench, config, box })),
    ...here.map((known) => installedFinding(known, { bench, config, box })),
  ]);
  // A machine on which nobody could work is not in order, whatever else is.
  const [keyless] = configured.length === 0 && !here.some((each) => keyOf(each, config.logins)) ? here : [];
  if (keyless)
    found.push(warn("agents", "none of them has a key", signIn(keyless, choiceFor(keyless, config))));
  const absent = offeredAgents.filter((each) => !isInstalled(each));
  const more = absent.map(({ title, install }) => `${title} (${install})`).join(", ");
  return absent.length === 0 ? found : [...found, ok("more agents", `not installed: ${more}`)];
}

function noneAtAll(): Finding {
  const installs = offeredAgents.map(({ title, install }) => `${title} (${install})`);
  return warn(
    "agents",
    `no coding agent is installed or configured; heddle works with ${installs.join(", ")}, or a program of your own`,
    [
      `${offeredAgents[0]?.install}, then `,
      toCall("doctor --agent claude"),
      "; ",
      toCall("demo"),
      " works without any",
    ],
  );
}

interface TriedIn {
  readonly bench: TestBed;
  readonly config: Config;
  readonly box: UsableBox;
}

async function boxFor({ root }: TestBed, config: Config): Promise<UsableBox> {
  const found = await findSandbox(boxWish(config, root));
  return found.ok && config.unconfined !== true ? { kind: "boxed", sandbox: found } : { kind: "unconfined" };
}

/** Which of the known ones a word of the configuration means. */
function knownFor({ agents }: Config, word: string): KnownAgent | undefined {
  const { kind = "command", command: [program = ""] = [] } = agents?.[word] ?? {};
  if (!agents?.[word]) return knownBy(word);
  return knownBy(kind === "acp" ? `acp:${basename(program)}` : kind);
}

async function configuredFinding(word: string, place: TriedIn): Promise<Finding> {
  const name = `agent ${word}`;
  const known = knownFor(place.config, word);
  if (!known) return otherFinding(word, place);
  const made = makeAgent(word, { ...place, root: place.bench.root });
  if (isProblem(made)) return fail(name, made.message, made.hint ?? known.install);
  const { path, command: [first = ""] = [] } = place.config.agents?.[word] ?? {};
  const program = programOf(known, path ?? (first.includes("/") ? first : undefined), place.bench.root);
  if (isProblem(program)) return fail(name, program.message, program.hint ?? known.install);
  return versionFinding(name, known, { ...place, program });
}

async function installedFinding(known: KnownAgent, place: TriedIn): Promise<Finding> {
  const name = `agent ${known.word}`;
  const program = programOf(known, undefined, place.bench.root);
  if (isProblem(program)) return warn(name, program.message, program.hint ?? known.install);
  return versionFinding(name, known, { ...place, program });
}

function programOf(
  { command, install }: KnownAgent,
  path: string | undefined,
  root: string,
): FoundProgram | Problem {
  const native = [claudeProgram, codexProgram].find((each) => each.command === command);
  if (native) return findNative(native, path && resolve(root, path), process.env.PATH ?? "");
  return (
    locateProgram(path === undefined ? command : resolve(root, path)) ?? {
      code: "no-program",
      message: `\`${command}\` is not installed`,
      hint: install,
    }
  );
}

async function versionFinding(
  name: string,
  known: KnownAgent,
  { program, ...place }: TriedIn & { readonly program: FoundProgram },
): Promise<Finding> {
  const { said, problem: wrong } = await versionOf(program, known, place);
  const boxed = place.box.kind === "boxed" ? "starts in the box" : "starts, without a box";
  if (wrong !== undefined) return fail(name, `${known.title} does not start: ${wrong}`, known.install);
  const version = /(?<!\d)\d{1,6}\.\d{1,6}\.\d{1,6}\S*/.exec(said)?.[0];
  const title = `${known.title} ${version ?? said}`;
  if (version !== undefined && compareVersions(version, known.tried) < 0)
    return warn(
      name,
      `${title} is older than what heddle was tried with (${known.tried})`,
      `${known.install}@latest`,
    );
  const newer = version !== undefined && compareVersions(version, known.tried) > 0;
  const what = `${title}${newer ? ` (tried: ${known.tried})` : ""}, ${boxed}`;
  const key = keyOf(known, place.config.logins);
  if (key !== undefined)
    return {
      ...ok(name, `${what}, with ${key}`),
      hint: [toCall(`doctor --${name}`), " asks it something"],
    };
  return { ...ok(name, `${what}; it has no key`), hint: signIn(known, choiceFor(known, place.config)) };
}

/** Of those whose own login could be used. */
const choiceFor = ({ word }: KnownAgent, { logins = {} }: Config) =>
  word === "claude" || word === "codex" ? logins : undefined;

/** What is neither a vendor's nor a protocol's: a program of one's own, or a script. */
function otherFinding(word: string, { bench: { root }, config: { agents = {} } }: TriedIn): Finding {
  const name = `agent ${word}`;
  const [kind = "", rest = ""] = word.includes(":")
    ? [word.slice(0, word.indexOf(":")), word.slice(word.indexOf(":") + 1)]
    : [];
  const program = agents[word]?.command?.[0] ?? (kind === "command" || kind === "acp" ? rest : undefined);
  if (kind === "scripted" && program === undefined) {
    const file = resolve(root, rest);
    return isThere(file)
      ? ok(name, "its script is there")
      : fail(name, `\`${file}\` is not there`, `ls ${file}`);
  }
  if (program === undefined) {
    const meant = closest(word, Object.keys(agents));
    return fail(
      name,
      "is not an agent",
      meant ? `did you mean \`${meant}\`?` : '"agents": { … } in .heddle/config.json',
    );
  }
  return programFinding(name, program, root);
}

function programFinding(name: string, program: string, root: string): Finding {
  const path = program.includes("/") ? resolve(root, program) : locate(program, process.env.PATH ?? "");
  if (path === undefined) return fail(name, `\`${program}\` is not on the PATH`, `which ${program}`);
  if (!isThere(path)) return fail(name, `\`${path}\` is not there`, `ls -l ${path}`);
  return isExecutable(path)
    ? ok(name, path)
    : fail(name, `\`${path}\` is not executable`, `chmod +x ${path}`);
}

const limits = { wallMs: 120_000, silenceMs: 60_000, outputBytes: 16 * 1024 * 1024, lineBytes: 1024 * 1024 };

/** As it would be set to work, but for what it is asked. */
function orderIn(folder: string): Order {
  const [work, home, out] = ["work", "home", "out"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [work, home, out]) makeFolder(each);
  const [bundle, token, output] = [
    join(folder, "bundle.json"),
    join(folder, "token"),
    join(out, "answer.json"),
  ];
  const skill = `Write the file ${output} with exactly this content and do nothing else: {"answer":"heddle"}`;
  writeFileSync(bundle, JSON.stringify({ role: "doctor", skill, output: { path: output } }));
  writeFileSync(token, "none");
  const workspace = { cwd: work, home, tmp: work, writable: [out], readable: [], records: folder };
  return { role: "doctor", task: "", attempt: 1, bundle, token, output, workspace, limits };
}

async function versionOf(
  { program, readable }: FoundProgram,
  { command }: KnownAgent,
  { bench, box }: TriedIn,
) {
  const order = {
    ...orderIn(join(bench.folder, `version-${command}`)),
    limits: { ...limits, wallMs: 30_000, silenceMs: 30_000 },
  };
  const agent = { name: command, env: [], readable, network: false, box };
  const spec = programFor(agent, order, {
    argv: [program, "--version"],
    set: { GEMINI_CLI_NO_RELAUNCH: "true" },
  });
  const lines: string[] = [];
  const { how } = await runToEnd(spec, new AbortController().signal, (event) => {
    if (event.kind === "line" && event.text.trim() !== "") lines.push(event.text.trim());
  });
  if (how.kind === "exited" && how.code === 0)
    return { said: (lines.find((line) => /(?<!\d)\d{1,6}\.\d{1,6}/.test(line)) ?? "").slice(0, 60) };
  const last = lines.at(-1)?.slice(0, 200);
  return { said: "", problem: last ?? (how.kind === "exited" ? `exit code ${how.code}` : how.kind) };
}

/** Everybody who could be asked: configured, or installed and with a key. */
export function askable({ heddle }: TestBed): string[] {
  const config = readConfig(heddle);
  const configured = [...agentWords(config, undefined), ...Object.keys(config.agents ?? {})];
  const installed = knownAgents.filter(
    (each) => isInstalled(each) && keyOf(each, config.logins) !== undefined,
  );
  const others = installed.filter((each) => !configured.some((word) => knownFor(config, word) === each));
  return [...new Set([...configured, ...others.map(({ word }) => word)])].filter(
    (word) => !word.startsWith("scripted:"),
  );
}

/** A real round trip: a bundle, a model, a file. It costs what such an answer costs. */
export async function askAgent(word: string, bench: TestBed): Promise<Finding> {
  const config = readConfig(bench.heddle);
  const name = `ask ${word}`;
  const known = knownFor(config, word);
  const shop = { config, root: bench.root, box: await boxFor(bench, config) };
  const agent = makeAgent(word, shop, { maxTurns: 10, maxCostUsd: 0.5 });
  if (isProblem(agent)) return fail(name, agent.message, agent.hint ?? { do: "examine-machine" });
  const order = orderIn(join(bench.folder, `ask-${word.replaceAll(/\W/g, "-")}`));
  const began = performance.now();
  const heard = await listen(agent, order);
  const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const price = heard.costUsd === null ? "cost unknown" : usd(heard.costUsd);
  const spent = `${took}, ${tokens(heard.tokens)} tokens, ${price}`;
  if (readRecord(order.output)?.includes('"heddle"'))
    return ok(
      name,
      `answers, in ${shop.box.kind === "boxed" ? "its box" : "no box"}${agent.gate ? ", through the gateway" : ""}: ${spent}`,
    );
  const { what, hint } = whyNot(heard.stopped, heard.said, known);
  return fail(name, `${what} (${took})`, hint);
}

interface Heard {
  readonly stopped: Stopped;
  readonly said: string;
  readonly tokens: number;
  readonly costUsd: number | null;
}

async function listen(agent: Agent, order: Order): Promise<Heard> {
  let [stopped, said]: [Stopped, string] = [{ kind: "finished" }, ""];
  let [count, costUsd]: [number, number | null] = [0, 0];
  const spend = (event: Extract<AgentEvent, { kind: "spent" }>) => {
    count += event.inputTokens + event.outputTokens;
    costUsd = costUsd === null || event.costUsd === null ? null : costUsd + event.costUsd;
  };
  const passage = passageFor({ agent }, spend);
  const given = passage ? { ...order, gate: passage.gate } : order;
  const signal = passage?.over ?? new AbortController().signal;
  for await (const event of agent.work(given, signal)) {
    if (event.kind === "stopped") stopped = passage?.explained(event.how) ?? event.how;
    if (event.kind === "said") said = event.text;
    if (event.kind === "spent") passage ? passage.reported(event) : spend(event);
  }
  for (const event of (await passage?.close()) ?? []) if (event.kind === "spent") spend(event);
  return { stopped, said, tokens: count, costUsd };
}

/** What it says about itself, and what a person can do about that. */
function whyNot(stopped: Stopped, said: string, known: KnownAgent | undefined): { what: string; hint: Hint } {
  if (stopped.kind === "finished")
    return {
      what: `it ended without doing what it was asked${said === "" ? "" : `: ${said.slice(0, 200)}`}`,
      hint: "try another model",
    };
  const { message: what, limit, category } = stopped;
  if (limit) {
    const hint = '"fallback": ["codex"] in .heddle/config.json lets another go on meanwhile';
    const minutes = Math.ceil((limit.resetsInMs ?? 0) / 60_000);
    return { what: limit.resetsInMs === null ? what : `${what}; it resets in ${minutes} min`, hint };
  }
  if (/refused the key|not signed in|401|403|log ?in/i.test(what))
    return { what, hint: known ? signIn(known) : "sign in" };
  if (/could not be reached|ECONNREFUSED|connection/i.test(what))
    return {
      what,
      hint: `curl -I ${(known && addressOf(known)) ?? "<its address>"}; for a proxy: "env": ["HTTPS_PROXY", "NO_PROXY"] of the agent`,
    };
  if (category === "environment" && known) return { what, hint: known.install };
  return { what, hint: { do: "examine-machine" } };
}
