// The rig of the live tests: the real CLI, real git, the real agent program in its box, and a scripted model on
// loopback in the place of a real one.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { planFiles, taskFile, taskId } from "../e2e/plan-files.ts";
import { ended, type Options, Project, planning, type Ran, start } from "../e2e/rig.ts";
import { bash, heddleTool, inTurn, orderIn, read, resultOf, use, write } from "./answers.ts";
import { type Script, type ScriptedModel, scriptedModel } from "./model.ts";

const live = process.env.HEDDLE_LIVE ?? join(import.meta.dirname, "../../.tmp/live");
const programs = join(live, "node_modules/.bin");
/** Where HEDDLE_LIVE names programs of other versions, not all of them need be there. */
export const isInstalled = (program: string) => existsSync(join(programs, program));
if (!isInstalled("claude") && !isInstalled("codex"))
  throw new Error("the agents are not installed: npm run live");

/** Long enough to be found wherever it should not be. */
export const key = "sk-ant-api03-scripted-0123456789abcdef0123456789abcdef";

const models: ScriptedModel[] = [];
afterAll(() => Promise.all(models.splice(0).map((model) => model.close())));

/** A model that is gone after the file's last test. */
export async function modelThat(script: Script): Promise<ScriptedModel> {
  const model = await scriptedModel(script);
  models.push(model);
  return model;
}

export class LiveProject extends Project {
  /** Who works in it. */
  agent = "claude";

  get app(): string {
    return this.path("app");
  }

  git(...args: readonly string[]): string {
    const who = ["-c", "user.name=person", "-c", "user.email=person@localhost"];
    return execFileSync("git", [...who, "-C", this.app, ...args], { encoding: "utf8" });
  }

  started(model: Pick<ScriptedModel, "url">, ...args: readonly string[]) {
    return start(args, { cwd: this.root, env: environment(model) });
  }

  execute(model: Pick<ScriptedModel, "url">, ...args: readonly string[]): Promise<Ran> {
    return ended(this.started(model, "execute", "--batch", "--agent", this.agent, ...args));
  }

  configure(config: object): void {
    this.write(".heddle/config.json", JSON.stringify(config));
  }

  /** The facts of one kind, in their order. */
  async facts(kind: string): Promise<Record<string, unknown>[]> {
    return (await this.history()).map(({ fact }) => fact).filter((fact) => fact.kind === kind);
  }
}

export function environment({ url }: Pick<ScriptedModel, "url">): NonNullable<Options["env"]> {
  return {
    PATH: `${programs}:${process.env.PATH}`,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_MAX_RETRIES: "1",
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    HEDDLE_CODEX_RETRIES: "1",
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: url,
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      provider: { anthropic: { options: { baseURL: `${url}/v1` } } },
    }),
    // Nothing on loopback goes through a proxy.
    NO_PROXY: "127.0.0.1",
  };
}

/** A plan of tasks in a chain, ready, for a small repository of a person's own. */
export async function liveProject(tasks: number, files: Readonly<Record<string, string>> = {}) {
  const project = new LiveProject();
  mkdirSync(project.app);
  project.git("init", "-q", "-b", "main");
  for (const [path, text] of Object.entries({ "README.md": "# Notes\n", ...files }))
    project.write(join("app", path), text);
  project.git("add", "-A");
  project.git("commit", "-qm", "a beginning");
  await project.must("init", "app");
  const after = (n: number) => (n === 1 ? [] : [n - 1]);
  for (const [path, text] of planFiles({ tasks, after }, project.app)) project.write(path, text);
  for (let n = 1; n <= tasks; n++) {
    const task = { ...taskFile(n, { after }), ...ownWork(n) };
    project.write(`project-planning/tasks/${taskId(n)}.json`, JSON.stringify(task, null, 2));
  }
  for (const words of planning) await project.must(...words);
  project.configure({ attempts: 1 });
  return project;
}

/** One attempt of this agent at one task, and how it failed. */
export const failuresOf =
  (agent: string) =>
  async (script: Script, config: object = {}) => {
    const project = await liveProject(1);
    project.agent = agent;
    project.configure({ attempts: 1, ...config });
    const model = await modelThat(script);
    expect((await project.execute(model)).code).toBe(1);
    const [failure] = await project.facts("task-failed");
    return { failure, project, model };
  };

function ownWork(n: number) {
  const id = taskId(n);
  const file = (path: string) => ({ path, action: "create", layer: "domain", purpose: "its part" });
  return {
    files: [file(`src/${id}.mjs`), file(`test/${id}.test.mjs`)],
    acceptance_criteria: [{ criterion: "it works", verification: `node --test test/${id}.test.mjs` }],
  };
}

/** A good executor: reads its bundle, writes code and test, runs the test, writes its result, says so. */
export const diligent: Script = (asked) => {
  const { bundle, workspace, output, task } = orderIn(asked);
  const [code, test] = [`src/${task}.mjs`, `test/${task}.test.mjs`];
  const turns = [
    [read(bundle)],
    [
      write(join(workspace, code), `export const name = "${task}";\n`),
      write(join(workspace, test), testOf(task)),
    ],
    // It looks at its environment too: what it sees there must not be kept.
    [bash(`node --test ${test} && env && echo all-green`)],
    [write(output, resultOf(task, [code, test]))],
  ];
  return inTurn(asked.step, turns, `${task}: SUCCESS`);
};

/** The same, but it proposes its work with heddle's own tool, where it has it. */
export const proposing: Script = (asked) => {
  const { task, hasTools } = orderIn(asked);
  if (!hasTools || asked.step !== 4) return diligent(asked);
  return use(heddleTool("complete_task", { created: [`src/${task}.mjs`, `test/${task}.test.mjs`] }));
};

const testOf = (task: string) => `import assert from "node:assert";
import { test } from "node:test";
import { name } from "../src/${task}.mjs";
test("its name", () => assert.equal(name, "${task}"));
`;

/** The processes whose command line has this in it. */
export function processesWith(marker: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => commandLine(pid).includes(marker))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
