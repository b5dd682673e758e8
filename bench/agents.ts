// What heddle adds to a coding agent: its CPU per attempt on top of the agent's own, its memory beside sixteen Claude Codes,
// and how soon a person sees what an agent says. The agent of the first is a stand-in that prints what Claude Code
// prints; that of the second is Claude Code itself where the live tests have installed it (`npm run live`).
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bash, inTurn, orderIn, write as writes } from "../test/live/answers.ts";
import { type Script, scriptedModel } from "../test/live/model.ts";
import { type Bench, exactly, type Figure } from "./figure.ts";
import { childCpuMs, cli, peakMb, project, write } from "./project.ts";
import { estimate, median } from "./statistics.ts";

export const agents: Bench = {
  name: "agents",
  run: async ({ quick }) => {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), "heddle-bench-agents-")));
    try {
      return [
        await overhead(scratch, { rounds: quick ? 3 : 7, tasks: 40 }),
        await sixteen(scratch),
        ...(await seen(scratch, quick ? 16 : 60)),
      ];
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};

/** Stands for Claude Code: prints a long conversation, does its task, and leaves its result. */
const standIn = `#!/bin/sh
cat > /dev/null
cat "\${0%/*}/stream.jsonl"
n=$(echo "$HEDDLE_TASK" | tr -dc 0-9 | sed 's/^0*//')
echo "$HEDDLE_TASK" > "lib/d$((n % 20))/f$((n % 20)).txt"
echo "{\\"task_id\\": \\"$HEDDLE_TASK\\", \\"status\\": \\"success\\"}" > "$HEDDLE_OUTPUT"
`;

const turns = 60;

/** Sixty turns, each a command of two lines and eight kilobytes of what it printed: half a megabyte. */
function stream(): string {
  const usage = { input_tokens: 1000, output_tokens: 50 };
  const said = (n: number) => [
    {
      type: "assistant",
      message: {
        id: `msg_${n}`,
        model: "claude-opus-5-5",
        content: [
          { type: "text", text: `Step ${n}: now the tests.` },
          { type: "tool_use", id: `toolu_${n}`, name: "Bash", input: { command: `node --test ${n}` } },
        ],
        usage,
      },
    },
    {
      type: "user",
      message: {
        content: [
          { type: "tool_result", tool_use_id: `toolu_${n}`, content: "ok 1 - it works\n".repeat(512) },
        ],
      },
    },
  ];
  const result = {
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: turns,
    total_cost_usd: 0.1,
  };
  const events = [
    { type: "system", subtype: "init", session_id: "a" },
    ...Array.from({ length: turns }, (_, n) => said(n)).flat(),
    result,
  ];
  return `${events.map((event) => JSON.stringify(event)).join("\n")}\n`;
}

interface Rounds {
  readonly rounds: number;
  readonly tasks: number;
}

async function overhead(scratch: string, { rounds, tasks }: Rounds): Promise<Figure> {
  const measured: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const root = project(scratch, { tasks, files: 20, program: standIn });
    write(join(root, "stream.jsonl"), stream());
    configure(root, { agents: { claude: { kind: "claude", path: "./agent.sh" } } });
    const whole = await cpuOf(() =>
      executed(root, ["--parallel", "2", "--agent", "claude"], { ANTHROPIC_API_KEY: "x" }),
    );
    const bare = await cpuOf(async () => {
      for (let n = 1; n <= tasks; n++) alone(root, n);
    });
    measured.push((whole - bare) / tasks);
    rmSync(root, { recursive: true, force: true });
  }
  return {
    name: `agents: cpu per attempt on top of the agent's, ${turns} turns, with its merge`,
    unit: "ms",
    measured: estimate(measured, median),
    goal: { most: 150 },
  };
}

/** The same program, started by nobody in particular. */
function alone(root: string, n: number): void {
  const HEDDLE_TASK = `T${String(n).padStart(3, "0")}`;
  const env = { PATH: process.env.PATH, HEDDLE_TASK, HEDDLE_OUTPUT: join(root, "alone.json") };
  const { status } = spawnSync(join(root, "agent.sh"), { cwd: join(root, "app"), env, input: "do it" });
  if (status !== 0) throw new Error(`the stand-in ended with ${status}`);
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = childCpuMs();
  await work();
  return childCpuMs() - before;
}

function configure(root: string, config: object): void {
  write(join(root, ".heddle/config.json"), JSON.stringify({ land: "never", ...config }));
}

/** Runs `heddle execute` to its end; tells the most memory that it had. */
async function executed(
  root: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<number> {
  const args = [cli, "execute", "--json", ...words];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: "ignore",
    env: { ...process.env, ...env },
  });
  const peak = peakMb(child.pid ?? 0);
  const code = await new Promise((settle) => child.on("exit", settle));
  const most = peak();
  if (code !== 0) throw new Error(`heddle execute ended with ${code} in ${root}`);
  return most;
}

const many = 16;

/** Nobody is answered before all of them have asked: so many there are at once. */
async function sixteen(scratch: string): Promise<Figure> {
  const installed = join(import.meta.dirname, "../.tmp/live/node_modules/.bin");
  const isReal = existsSync(join(installed, "claude"));
  const root = project(scratch, { tasks: many, files: 20, program: standIn });
  write(join(root, "stream.jsonl"), stream());
  const model = await scriptedModel(together(many));
  const own = { kind: "claude", ...(!isReal && { path: "./agent.sh" }) };
  configure(root, { agents: { claude: own } });
  const env = {
    PATH: `${installed}:${process.env.PATH}`,
    ANTHROPIC_API_KEY: "sk-ant-scripted",
    ANTHROPIC_BASE_URL: model.url,
    NO_PROXY: "127.0.0.1",
  };
  const most = await executed(root, ["--parallel", String(many), "--agent", "claude"], env);
  await model.close();
  const who = isReal ? "Claude Codes" : "stand-ins for Claude Code";
  return {
    name: `agents: memory of heddle beside ${many} ${who} at once`,
    unit: "MB",
    measured: exactly(most),
    goal: { most: 250 },
  };
}

/** Each does its task when the last of them has begun. */
function together(count: number): Script {
  const begun = new Set<string>();
  let open = () => {};
  const all = new Promise<void>((settle) => {
    open = settle;
  });
  return async (asked) => {
    const { task, output } = orderIn(asked);
    begun.add(task);
    if (begun.size === count) open();
    await all;
    const n = Number(task.slice(1)) % 20;
    const result = JSON.stringify({ task_id: task, status: "success" });
    return inTurn(
      asked.step,
      [[bash(`echo ${task} > lib/d${n}/f${n}.txt; seq 2000`)], [writes(output, result)]],
      "done",
    );
  };
}

/** Says when it speaks first, after a while that is never the same. */
const speaker = `#!/bin/sh
n=$(echo "$HEDDLE_TASK" | tr -dc 0-9 | sed 's/^0*//')
sleep 0.$((n * 37 % 90 + 10))
echo "at=$(date +%s%3N)="
sleep 0.3
echo "$HEDDLE_TASK" > "lib/d$((n % 20))/f$((n % 20)).txt"
echo "{\\"task_id\\": \\"$HEDDLE_TASK\\", \\"status\\": \\"success\\"}" > "$HEDDLE_OUTPUT"
`;

/** From an agent's first word to the terminal on which `heddle execute` shows it, with four of them at work. */
async function seen(scratch: string, tasks: number): Promise<Figure[]> {
  const root = project(scratch, { tasks, files: 20, program: speaker });
  configure(root, {});
  const words = [cli, "execute", "--parallel", "4", "--agent", "command:./agent.sh"];
  const pty = join(import.meta.dirname, "terminal.py");
  const watching = spawn("python3", [pty, process.execPath, ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TERM: "xterm-256color" },
  });
  let printed = "";
  watching.stdout.on("data", (bytes: Buffer) => {
    printed += bytes.toString();
  });
  const code = await new Promise((settle) => watching.on("exit", settle));
  const delays = printed
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
  if (code !== 0 || delays.length < tasks / 2)
    throw new Error(`heddle execute on a terminal ended with ${code}, and ${delays.length} words were seen`);
  return [
    {
      name: "agents: first word of an agent to the live view, median",
      unit: "ms",
      measured: estimate(delays, median),
      goal: { most: 50 },
    },
  ];
}
