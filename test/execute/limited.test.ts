// Agents that may not, or cannot, be asked just now: what that costs a task, and who goes on. The agent that says so is a
// stand-in which prints what Claude Code prints.
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, folder, start, until } from "../e2e/rig.ts";
import { Execution, hasBox } from "./rig.ts";

/** Refuses with `status` as long as `refuses` holds, then does `work`. */
const standIn = (refuses: string, { status, words, work }: { status: number; words: string; work: string }) =>
  `#!${process.execPath}
const fs = require("node:fs");
const { HEDDLE_OUTPUT: out, HEDDLE_ROLE: role, HEDDLE_ATTEMPT: attempt } = process.env;
const say = (value) => console.log(JSON.stringify(value));
const result = (more) => say({ type: "result", subtype: "success", num_turns: 1, total_cost_usd: 0, modelUsage: {}, ...more });
say({ type: "system", subtype: "init", session_id: "s", tools: [] });
if (${refuses}) {
  result({ is_error: true, terminal_reason: "api_error", api_error_status: ${status}, result: ${JSON.stringify(words)} });
  process.exit(1);
}
${work}
result({ is_error: false, terminal_reason: "completed", result: "done" });
`;

const judges = `fs.writeFileSync(out, JSON.stringify({ verdict: "PASS", recommendation: "PROCEED" }));`;

/** Where a person installs programs: no folder of the project. */
const bin = folder();
const install = (claude: string) => writeFileSync(join(bin, "claude"), claude, { mode: 0o755 });

async function made(claude: string, config: object): Promise<Execution> {
  const project = await Execution.ready({ tasks: 1 });
  install(claude);
  project.config({ attempts: 1, ...config });
  return project;
}

function executed(project: Execution) {
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    ANTHROPIC_API_KEY: "sk-ant-for-this-test",
  };
  const words = ["execute", "--batch", ...(hasBox ? [] : ["--unconfined"])];
  return ended(start(words, { cwd: project.root, env }));
}

describe("an agent that may not be asked", () => {
  it("X9 C7 a reviewer's usage limit is waited for: it costs no try, and the work is not done again", async () => {
    const limited = { status: 429, words: "rate limited, try again in 2s", work: judges };
    const project = await made(standIn('!out.includes("review-2")', limited), {
      agent: "command:./agent.cjs",
      review: true,
      roles: { "task-verifier": { agent: "claude" } },
    });
    const ran = await executed(project);
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(await project.facts("task-started")).toHaveLength(1);
    expect(await project.facts("verification-recorded")).toMatchObject([{ verdict: "PASS" }]);
    expect(existsSync(project.attempt("T001-1", "review/limited"))).toBe(true);
  });

  it("X9 C7 a reviewer whose limit is long is not waited for where another can judge", async () => {
    const long = { status: 429, words: "limit reached, try again in 3 hours", work: judges };
    const project = await made(standIn("true", long), {
      agent: "command:./agent.cjs",
      review: true,
      roles: { "task-verifier": { agent: "claude", fallback: ["command:./judge.cjs"] } },
    });
    project.write(
      "judge.cjs",
      `#!${process.execPath}\nconst fs = require("node:fs"), out = process.env.HEDDLE_OUTPUT;\n${judges}\n`,
    );
    chmodSync(project.path("judge.cjs"), 0o755);
    const ran = await executed(project);
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(await project.facts("task-started")).toHaveLength(1);
  });

  it("C6 C7 a fixer's usage limit costs no try either", async () => {
    const fixes = `fs.writeFileSync(out, JSON.stringify({ version: "1.0", task_id: "T001", status: "success", files: { created: ["src/T001.txt"], modified: [] } }));`;
    const soon = { status: 429, words: "try again in 1s", work: fixes };
    const project = await made(standIn('attempt === "1"', soon), {
      agent: "command:./agent.cjs",
      roles: { fixer: { agent: "claude" } },
    });
    project.agent({ T001: ['write(); put(out, "I am done!")'] });
    const ran = await executed(project);
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(await project.facts("attempt-parked")).toHaveLength(1);
    expect(await project.facts("attempt-failed")).toEqual([]);
  });

  it("U1 C10 a key that is refused halts the run, costs no try, and says what finds out more and what goes on", async () => {
    const refused = { status: 401, words: "invalid x-api-key", work: "" };
    const project = await made(standIn("true", refused), { agent: "claude", attempts: 3 });
    const ran = await executed(project);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("the model's API refused the key (401): invalid x-api-key");
    expect(ran.out).toContain("to continue: heddle doctor, then: heddle execute");
    expect(await project.facts("task-started")).toHaveLength(1);
    expect((await project.status()).tasks).toMatchObject({ failed: 0, pending: 1 });
    expect((await executed(project)).out).toContain("heddle doctor");
    project.config({ agent: "command:./agent.cjs" });
    expect((await executed(project)).code).toBe(0);
    expect(await project.facts("attempt-failed")).toEqual([]);
  });

  it("U1 an API that is down costs no try where a fallback goes on at once", async () => {
    const down = { status: 500, words: "Internal server error", work: "" };
    const project = await made(standIn("true", down), { agent: "claude", fallback: ["command:./agent.cjs"] });
    const ran = await executed(project);
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(await project.facts("attempt-parked")).toMatchObject([
      { reason: expect.stringMatching(/answered 500.*command:\.\/agent\.cjs goes on/) },
    ]);
    expect(await project.facts("attempt-failed")).toEqual([]);
  });

  it("C7 an API that goes down in the middle of a run costs no try: it is waited for", async () => {
    const does = `const task = process.env.HEDDLE_TASK, file = "src/" + task + ".txt";
fs.mkdirSync("src", { recursive: true }); fs.writeFileSync(file, task + "\\n");
fs.writeFileSync(out, JSON.stringify({ version: "1.0", task_id: task, status: "success", files: { created: [file], modified: [] } }));`;
    const down = { status: 503, words: "Service unavailable", work: does };
    const project = await Execution.ready({ tasks: 2, after: (n) => (n === 1 ? [] : [1]) });
    install(standIn('process.env.HEDDLE_TASK === "T002" && attempt === "1"', down));
    project.config({ attempts: 1, agent: "claude" });
    const ran = await executed(project);
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(await project.facts("attempt-parked")).toMatchObject([
      { task: "T002", reason: expect.stringMatching(/answered 503.*goes on by itself/) },
    ]);
  });

  it("C7 every one of a chain limited: it says when it goes on, and goes on by itself", async () => {
    const soon = { status: 429, words: "try again in 5s", work: "" };
    const done = `fs.mkdirSync("src", { recursive: true }); fs.writeFileSync("src/T001.txt", "T001\\n");
fs.writeFileSync(out, JSON.stringify({ version: "1.0", task_id: "T001", status: "success", files: { created: ["src/T001.txt"], modified: [] } }));`;
    const project = await made(standIn("Number(attempt) < 4", { ...soon, work: done }), {
      agent: "claude:opus",
      fallback: ["claude"],
    });
    const running = executed(project);
    await until("both are parked", async () => (await project.facts("attempt-parked")).length > 1);
    const why = await project.must("why", "T001");
    const ran = await running;
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(why.out).toContain("is parked: the model's API limits its use (429)");
    const reasons = (await project.facts("attempt-parked")).map(({ reason }) => String(reason));
    expect(reasons[0]).toContain("claude goes on");
    expect(reasons[1]).toMatch(/goes on by itself \(tried again at \d{4}-\d\d-\d\dT/);
  });
});
