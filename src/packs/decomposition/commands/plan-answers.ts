// What `heddle plan` must know before it begins: given by flags, found, known from before, or asked for on a terminal
// (D2, D3, D5). Everything is asked before anything is written, so that Ctrl-C at a question leaves no trace. Where there
// is no terminal nothing is waited for: the flag that is missing is named.
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Call, Usage } from "../../../command/command.ts";
import { canAsk, type Prompts, prompts } from "../../../command/terminal/prompts.ts";
import { toCall } from "../../../core/hint.ts";
import { type Problem, problem } from "../../../core/problem.ts";
import type { Run } from "../../../core/run.ts";
import { Refused } from "../../../engine/app.ts";
import { isThere, readIfThere, readText } from "../../../host/files.ts";
import type { ProjectSurvey } from "../plan.ts";

export type ProjectKind = "new" | "existing";
export type Spec = { readonly path: string } | { readonly bytes: Buffer } | undefined;

/** What a plan that was begun knows already. */
export type Known = Pick<Run, "targetDir" | "planningDir" | "phase" | "metadata">;

export interface Answers {
  readonly target: string;
  /** Nothing when it is known from before. */
  readonly kind: ProjectKind | undefined;
  readonly stack: string | null | undefined;
  readonly spec: Spec;
  /** Confirmed findings in an existing project that are not saved yet. */
  readonly found: ProjectSurvey | undefined;
  readonly agent: string | undefined;
}

/** From here on there is a plan, and nobody needs to work on it. */
export const planned = new Set(["ready", "executing", "verifying", "gap_planning", "complete"]);

export async function answersFor(call: Call, planningDir: string, known?: Known): Promise<Answers> {
  const { flags, root } = call;
  const ask = canAsk(call) ? await prompts(call) : undefined;
  const target = known?.targetDir ?? flags.one("target") ?? (await targetFor(root, ask));
  const targetDir = resolve(root, target);
  const spec = await specFor(call, planningDir, ask);
  const kind = await kindFor(call, { known, targetDir, ask });
  const isExisting = (kind ?? known?.metadata.project_type) === "existing";
  const stack = await stackFor(call, { known, isExisting, ask });
  const needsSurvey = isExisting && !isThere(join(planningDir, "artifacts/project-context.json"));
  const found = needsSurvey ? await confirmed(call, { targetDir, planningDir, ask }) : undefined;
  const agent = flags.one("agent") ?? (await agentFor(call, known, ask));
  return { target, kind, stack, spec, found, agent };
}

type Ask = Prompts | undefined;

/** In a repository the plan is for that repository; only elsewhere a place is offered. */
async function targetFor(root: string, ask: Ask): Promise<string> {
  if (isInRepository(root)) return ".";
  if (ask) return ask.text("Where is the code written to?", { initial: "./app" });
  throw new Usage(
    problem("missing-flag", "`--target` is missing, and there is no terminal to ask on", {
      hint: toCall("plan --target ./app"),
    }),
  );
}

function isInRepository(folder: string): boolean {
  if (isThere(join(folder, ".git"))) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}

async function specFor({ args: [word], root }: Call, planningDir: string, ask: Ask): Promise<Spec> {
  if (word === "-") return { bytes: ask ? Buffer.from(await ask.paste(pasteHint)) : readFileSync(0) };
  if (word !== undefined) return readable(word);
  if (isThere(join(planningDir, "inputs/spec.md"))) return undefined;
  const { findSpecs } = await import("../plan.ts");
  const candidates = await findSpecs({ planningDir, workingDir: root });
  if (ask)
    return askSpec(
      candidates.map(({ path }) => shortest(path)),
      ask,
    );
  // A file that every repository has, such as README.md, is nothing to suggest.
  const found = candidates.filter(({ score }) => score > 0).map(({ path }) => shortest(path));
  throw new Usage(
    problem("no-spec", "there is no specification yet", {
      notes: found.slice(0, 5).map((path) => `found: ${path}`),
      hint: found[0]
        ? toCall(`plan ${found[0]}`)
        : [toCall("plan <spec.md>"), ", or without a specification: ", toCall('run "<task>"')],
    }),
  );
}

/** As a person who stands here would type it. */
function shortest(path: string): string {
  const from = relative(process.cwd(), path);
  return from === "" || from.startsWith("..") ? path : from;
}

const pasteHint = "Paste the specification, then press Ctrl-D";
const most = 12;

async function askSpec(found: readonly string[], ask: Prompts): Promise<Spec> {
  const [other, pasted] = ["another file", "paste it here"];
  const chosen = await ask.choose("Which specification?", [...found.slice(0, most), other, pasted]);
  if (chosen === pasted) return { bytes: Buffer.from(await ask.paste(pasteHint)) };
  if (chosen !== other) return readable(chosen);
  const check = (path: string) => unreadable(path)?.message;
  return { path: await ask.text("Its path?", { initial: "", check }) };
}

/** Better now than after something was written. */
function readable(path: string): Spec {
  const wrong = unreadable(path);
  if (wrong) throw new Refused([wrong]);
  return { path };
}

function unreadable(path: string): Problem | undefined {
  const read = readText(resolve(path));
  return "problem" in read ? read.problem : undefined;
}

interface KnownAnswers {
  readonly known: Known | undefined;
  readonly ask: Ask;
}

/** A target without files is new; one with files is most likely to be built on. */
async function kindFor(
  { flags }: Call,
  { known, targetDir, ask }: KnownAnswers & { readonly targetDir: string },
): Promise<ProjectKind | undefined> {
  if (flags.has("new")) return "new";
  if (flags.has("existing")) return "existing";
  if (known?.metadata.project_type !== undefined) return undefined;
  const { hasFiles } = await import("../target.ts");
  if (!hasFiles(targetDir)) return "new";
  if (!ask) return "existing";
  const [built, fresh] = [
    "an existing project: build on what is there",
    "a new project beside what is there",
  ];
  return (await ask.choose(`${targetDir} has files. What is it?`, [built, fresh])) === built
    ? "existing"
    : "new";
}

/** Asked once, for a new project: what an existing one is built with is found out. */
async function stackFor(
  { flags }: Call,
  { known, isExisting, ask }: KnownAnswers & { readonly isExisting: boolean },
): Promise<string | null | undefined> {
  const given = flags.one("stack");
  if (given !== undefined || !ask || isExisting || known?.metadata.tech_stack !== undefined) return given;
  if (known && known.phase !== "ingestion") return undefined;
  const said = await ask.text("Which tech stack? (Enter: the agents choose)", { initial: "" });
  return said.trim() === "" ? null : said;
}

interface Surveyed {
  readonly targetDir: string;
  readonly planningDir: string;
  readonly ask: Ask;
}

/** Shown, corrected line by line, and confirmed: what agents are told about an existing project comes from here (D5, D26). */
async function confirmed(
  { args, flags, say, root }: Call,
  { targetDir, planningDir, ask }: Surveyed,
): Promise<ProjectSurvey> {
  const { correctFindings, surveyTarget } = await import("../plan.ts");
  const written = readIfThere(join(planningDir, "inputs/findings.txt")) ?? "";
  let found: ProjectSurvey = await surveyTarget(targetDir, root);
  const correct = (text: string) => {
    const { unknown, ...now } = correctFindings(found, text);
    for (const line of unknown)
      say(`not understood: ${line} (write \`<name>: <what it is>\`, with a name from the list)`);
    found = now;
  };
  if (written !== "") correct(written);
  say(found.text);
  if (flags.has("yes")) return found;
  while (ask) {
    if (await ask.confirm("Plan with these findings?")) return found;
    const line = await ask.text(correctionHint, { initial: "" });
    if (line.trim() === "") break;
    correct(line);
    say(found.text);
  }
  throw new Usage(
    problem("not-confirmed", "what was found in the project is not confirmed", {
      notes: ["lines such as `test: npm run unit` in project-planning/inputs/findings.txt correct it"],
      hint: toCall(confirming(args, flags)),
    }),
  );
}

/** The same command once more, with everything that was said: nothing is kept of one that was refused. */
function confirming(args: Call["args"], flags: Call["flags"]): string {
  const said = ["target", "stack", "agent"].flatMap((name) => {
    const value = flags.one(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const bare = ["new", "existing", "beside", "review", "no-review", "unconfined"]
    .filter((name) => flags.has(name))
    .map((name) => `--${name}`);
  return ["plan", ...args, ...said, ...bare, "--yes"].map(shellWord).join(" ");
}

const shellWord = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

const correctionHint =
  "Which line should read otherwise? Such as `test: npm run unit`, or `lint: -` to leave it out (Enter: stop)";

/** Nothing when the configuration names somebody, or nobody is needed. */
export async function agentFor(
  { root }: Call,
  known: Known | undefined,
  ask: Ask,
): Promise<string | undefined> {
  if (known && planned.has(known.phase)) return undefined;
  const { agentNames, noAgent } = await import("../plan.ts");
  const { chosen, offered } = agentNames(root);
  if (chosen) return undefined;
  if (!ask) throw new Usage(noAgent());
  const program = "a program of mine";
  const named = offered.length > 0 ? await ask.choose("Which agent works?", [...offered, program]) : program;
  if (named !== program) return named;
  const check = (path: string) => (isThere(resolve(root, path)) ? undefined : `${path} is not there`);
  return `command:${await ask.text("Which program is the agent? (it gets a bundle's path)", { initial: "./agent", check })}`;
}
