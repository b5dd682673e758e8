// `heddle run`: a person's own list of tasks, straight to parallel, verified, merged work (X28). Without an argument it goes on
// with the run that is under way.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { agentFlags } from "../../../command/agent-flags.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../../../command/command.ts";
import { canAsk, prompts } from "../../../command/terminal/prompts.ts";
import { terminal } from "../../../command/terminal/terminal.ts";
import { type Hint, toCall } from "../../../core/hint.ts";
import { type Problem, problem, Refused } from "../../../core/problem.ts";
import type { App } from "../../../engine/app.ts";
import { isThere, readText } from "../../../host/files.ts";
import { hintText } from "../../../view/hint.ts";
import { statusDocument, statusText } from "../../../view/status.ts";
import type { Begun } from "../list/begin.ts";
import type { TaskList } from "../list/read-list.ts";
import { executeTasks, executionFlags } from "./execute.ts";

export const run: Command = {
  name: "run",
  summary: "have your own tasks done: a list in YAML or JSON, or one sentence each",
  brief: "have your own tasks done: a list, or one sentence each",
  group: "run",
  args: [
    {
      name: "task",
      about:
        "tasks.yaml, tasks.json, - for standard input, or sentences; nothing: goes on with the run under way",
      optional: true,
      many: true,
      text: true,
    },
  ],
  flags: {
    check: {
      about: "the command that checks every task without one of its own",
      takes: "COMMAND",
      text: true,
    },
    files: { about: "files that tasks given as sentences may change", takes: "PATH", many: true },
    unchecked: { about: "work on tasks that nothing checks; they are shown as unverified", byHand: true },
    again: { about: "start over, including what an earlier run of the same list has done" },
    target: { about: "the directory of the code; this one unless said otherwise", takes: "DIR" },
    ...executionFlags,
    ...agentFlags,
  },
  examples: [
    'heddle run "add a --version flag" "fix the typo in the help" --agent claude',
    'heddle run tasks.yaml --check "npm test" --parallel 4',
    "heddle run    # goes on with the run under way",
  ],
  interruptible: true,
  run: async (call) => (call.args.length === 0 ? goOn(call) : begin(call)),
};

async function begin(call: Call): Promise<Reply> {
  const { flags, root } = call;
  const { list, file } = await listFrom(call);
  const target = resolve(root, flags.one("target") ?? ".");
  if (!isThere(target))
    throw new Refused([
      problem("no-target", `the directory \`${target}\` does not exist`, { hint: `mkdir -p ${target}` }),
    ]);
  const agent = await agentOf(call);
  const { beginList, settleChecks } = await import("../list/begin.ts");
  const settled = await settleChecks({
    list,
    file: file === undefined ? undefined : relative(root, file),
    target,
    check: flags.one("check"),
    unchecked: flags.has("unchecked"),
    again: flags.has("again"),
  });
  const { makeProject } = await import("../../make-project.ts");
  await makeProject(call);
  const app = await call.app();
  const begun = await beginList(app, settled);
  for (const line of sayBegun(begun)) call.say(line);
  if (begun.how === "done")
    return finished(call, app, toCall(`run ${call.args.map(quoted).join(" ")} --again`));
  if (begun.how === "begun") await warnOfUnmerged(call, app);
  return work(call, app, agent);
}

/** A new run begins from the person's own branch. */
async function warnOfUnmerged({ warn }: Call, app: App): Promise<void> {
  const { unmergedBefore } = await import("../list/begin.ts");
  for (const branch of await unmergedBefore(app))
    warn(
      problem("unmerged", `${branch} is finished and not part of your branch: this run begins without it`, {
        hint: `git merge ${branch}`,
      }),
    );
}

/** Everything that can be refused is, before a project is made. */
async function listFrom({ args, flags }: Call): Promise<{ list: TaskList; file: string | undefined }> {
  const { listOf, readList } = await import("../list/read-list.ts");
  const [word = "", ...others] = args;
  const files = flags.all("files");
  if (!isList(word)) {
    const mixed = others.find(isList);
    if (mixed !== undefined) throw new Usage(oneAtATime(mixed));
    const blank = args.find((each) => each.trim() === "");
    if (blank !== undefined)
      throw new Usage(problem("no-text", "a task is blank", { hint: toCall('run "add a --version flag"') }));
    const [only = "", ...more] = args;
    if (more.length === 0 && /^(?:T\d+|plan-\d+)$/.test(only)) throw new Usage(notATask(only));
    return { list: listOf(args, { files }), file: undefined };
  }
  if (others.length > 0) throw new Usage(oneAtATime(word));
  if (files.length > 0)
    throw new Usage(
      problem("contradiction", "`--files` is for tasks given as sentences", {
        hint: `write \`files: [${files.join(", ")}]\` into ${word}`,
      }),
    );
  const file = word === "-" ? undefined : resolve(word);
  const read = file === undefined ? { text: readFileSync(0, "utf8") } : readText(file, 1024 * 1024);
  if ("problem" in read) throw new Refused([{ ...read.problem, hint: howToBegin }]);
  const list = readList(word === "-" ? "standard input" : word, read.text);
  if ("problems" in list) throw new Refused(list.problems);
  return { list, file };
}

/** An id is no sentence: somebody means a task or a run that is there. */
function notATask(id: string): Problem {
  const hint = id.startsWith("T") ? `heddle execute ${id}` : `heddle run --run ${id}`;
  return problem("not-a-task", `\`${id}\` says what is meant, not what to do`, { hint });
}

const quoted = (word: string) => (/^[\w./-]+$/.test(word) ? word : JSON.stringify(word));

const howToBegin: Hint = [toCall("run tasks.yaml"), ", or: ", toCall('run "add a --version flag"')];

/** A sentence has blanks; what ends like a list, or is a file, is one. */
function isList(word: string): boolean {
  if (word === "-") return true;
  return /\.(?:ya?ml|json)$/i.test(word) && (!/\s/.test(word) || isThere(resolve(word)));
}

function oneAtATime(word: string): Problem {
  return problem("several-lists", "a list cannot be mixed with other tasks", {
    hint: toCall(`run ${word === "-" ? "-" : word}`),
  });
}

function sayBegun({ run: id, how, tasks, leftOut, check, unchecked }: Begun): string[] {
  const count = (n: number) => `${n} task${n === 1 ? "" : "s"}`;
  const first = {
    begun: `${id}: ${count(tasks)}`,
    "goes-on": `${id} continues: ${count(tasks)}`,
    changed: `${id} goes on with the changed list: ${count(tasks)}`,
    done: `${id} has done all of this list`,
  }[how];
  if (how === "done") return [first];
  return [
    first,
    ...(leftOut > 0
      ? [
          `  ${count(leftOut)} of the list ${leftOut === 1 ? "is" : "are"} done already (--again includes them)`,
        ]
      : []),
    ...(check === undefined ? [] : [`  tasks without a check of their own are checked with \`${check}\``]),
    ...(unchecked > 0
      ? [`  UNCHECKED: nothing checks ${count(unchecked)}; what comes of them is merged unverified`]
      : []),
  ];
}

async function agentOf(call: Call): Promise<string | undefined> {
  const named = call.flags.one("agent") ?? (await agentBefore(call));
  if (named !== undefined) return named;
  const { agentFor } = await import("./plan-answers.ts");
  return agentFor(call, undefined, canAsk(call) ? await prompts(call) : undefined);
}

/** The agent that the run under way was begun with. */
async function agentBefore(call: Call): Promise<string | undefined> {
  if (!(await call.journals.has(call.root))) return undefined;
  const app = await call.app();
  if (!(await app.hasRun())) return undefined;
  const [{ agentFor }, { readConfig }] = await Promise.all([
    import("../../../orders/named-agent.ts"),
    import("../../../orders/config.ts"),
  ]);
  return agentFor(app, readConfig(app.paths.heddle), undefined);
}

const workedOn = new Set(["ready", "executing", "verifying", "gap_planning"]);

async function goOn(call: Call): Promise<Reply> {
  if (!(await call.journals.has(call.root))) throw new Usage(nothingYet());
  const app = await call.app();
  if (!(await app.hasRun())) throw new Usage(nothingYet());
  const { phase, id } = await app.look((state) => ({ phase: state.phase, id: state.id }));
  if (phase === "complete") return finished(call, app, howToBegin);
  if (!workedOn.has(phase))
    throw new Refused([
      problem("wrong-phase", `${id} is still being planned (phase \`${phase}\`)`, { hint: toCall("plan") }),
    ]);
  return work(call, app);
}

const nothingYet = () =>
  problem("nothing-to-run", "no run is under way here", {
    hint: howToBegin,
    notes: ["tasks.yaml:", ...sample],
  });

const sample = [
  "  check: npm test",
  "  tasks:",
  "    - add a --version flag",
  "    - task: fix the parser",
  "      check: npm test -- parser",
  "      files: [src/parser.ts]",
];

async function work(call: Call, app: App, agent?: string): Promise<Reply> {
  const { clearOwnHalt } = await import("../plan.ts");
  await clearOwnHalt(app);
  return executeTasks(call, app, agent);
}

async function finished({ manner }: Call, app: App, hint: Hint): Promise<Reply> {
  return app.look((state) => ({
    text: `${statusText(state, { ...terminal(), manner, stopFile: false, nowMs: Date.now() })}\nhint: ${hintText(hint, manner)}`,
    painted: true,
    json: statusDocument(state, { stopFile: false }),
    exit: exits.done,
  }));
}
