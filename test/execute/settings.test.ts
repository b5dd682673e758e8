// Settings, hooks and MCP servers of a repository: off, unless a person approved them byte for byte. The agent is a
// stand-in that follows `--setting-sources` and `--settings` as Claude Code 2.1.325 does; test/live has the real one.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, folder, type Ran, start } from "../e2e/rig.ts";
import { Execution, hasBox } from "./rig.ts";

const standIn = `#!${process.execPath}
const fs = require("node:fs"), { execSync } = require("node:child_process");
const after = (flag) => process.argv[process.argv.indexOf(flag) + 1];
const say = (value) => console.log(JSON.stringify(value));
if (process.argv.includes("--version")) { console.log("2.1.325 (Claude Code)"); process.exit(); }
say({ type: "system", subtype: "init", session_id: after("--session-id"), tools: [] });
const sources = after("--setting-sources").split(","), given = JSON.parse(after("--settings"));
const own = sources.includes("project") && fs.existsSync(".claude/settings.json")
  ? JSON.parse(fs.readFileSync(".claude/settings.json", "utf8")) : {};
if (!given.disableAllHooks)
  for (const { hooks } of own.hooks?.SessionStart ?? []) for (const { command } of hooks) execSync(command);
const { HEDDLE_TASK: task, HEDDLE_OUTPUT: out } = process.env;
fs.mkdirSync("src", { recursive: true });
fs.writeFileSync("src/" + task + ".txt", task + "\\n");
if (task === "T002") fs.writeFileSync(".claude/settings.json", JSON.stringify({ ...own, more: true }));
const files = { created: ["src/" + task + ".txt"], modified: task === "T002" ? [".claude/settings.json"] : [] };
fs.writeFileSync(out, JSON.stringify({ version: "1.0", task_id: task, status: "success", files }));
say({ type: "result", subtype: "success", is_error: false, num_turns: 1, result: "done", terminal_reason: "completed",
  total_cost_usd: 0, modelUsage: {} });
`;

const hook = {
  hooks: {
    SessionStart: [{ hooks: [{ type: "command", command: 'touch "$(dirname "$HEDDLE_OUTPUT")/hooked"' }] }],
  },
};

class Steered extends Execution {
  readonly bin = folder();
  env = { PATH: `${this.bin}:${process.env.PATH}`, ANTHROPIC_API_KEY: "sk-ant-for-this-test" };

  static async made(): Promise<Steered> {
    const project = await Execution.ready({ tasks: 4, after: (n) => (n === 1 ? [] : [n - 1]) });
    const steered = new Steered(project.root);
    writeFileSync(join(steered.bin, "claude"), standIn, { mode: 0o755 });
    steered.write("app/.claude/settings.json", JSON.stringify(hook));
    steered.commit();
    steered.config({ scope: "any", attempts: 1 });
    return steered;
  }

  commit(): void {
    this.git("add", "-A");
    this.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "More");
  }

  task(id: string): Promise<Ran> {
    const words = ["execute", id, "--agent", "claude", ...(hasBox ? [] : ["--unconfined"])];
    return ended(start(words, { cwd: this.root, env: this.env }));
  }

  hooked(id: string): boolean {
    expect(existsSync(this.attempt(`${id}-1`, "out/result.json"))).toBe(true);
    return existsSync(this.attempt(`${id}-1`, "out/hooked"));
  }

  async doctor(): Promise<string> {
    return (await ended(start(["doctor"], { cwd: this.root, env: this.env }))).out;
  }
}

describe("settings of the repository", () => {
  it("U1 a hook runs only while it is what a person approved", async () => {
    const project = await Steered.made();
    await project.task("T001");
    expect(project.hooked("T001"), "nobody approved it").toBe(false);
    expect(await project.doctor()).toMatch(/ok +settings +\.claude\/settings\.json: off for Claude Code/);

    const shown = (await project.must("settings", "show", "claude")).out;
    expect(shown).toContain("SessionStart");
    const seen = /--seen (\w+)/.exec(shown)?.[1] ?? "";
    await project.must("settings", "approve", "claude", "--seen", seen);
    const second = await project.task("T002");
    expect(project.hooked("T002"), second.err + second.out).toBe(true);
    expect((await project.must("settings", "list")).out).toContain("changed since they were approved");

    // T002 itself changed them, which was its work; whoever comes after it does not follow.
    const third = await project.task("T003");
    expect(third.err).toContain("changed since you approved them, so they are off for Claude Code");
    expect(third.err).toContain("heddle settings show claude");
    expect(project.hooked("T003")).toBe(false);
    const said = readFileSync(project.attempt("T003-1", "events.jsonl"), "utf8");
    expect(said).toContain("they are not as you approved them (heddle settings show claude)");
    expect(await project.doctor()).toMatch(/warn +settings +.*changed since you approved them/);
    const stale = await project.heddle("settings", "approve", "claude", "--seen", seen);
    expect(stale.err).toContain("they are not as you saw them");

    await project.must("settings", "approve", "claude");
    await project.task("T004");
    expect(project.hooked("T004")).toBe(true);
    expect((await project.must("settings", "revoke", "claude")).out).toContain("off again");
    expect((await project.json("settings", "list"))[0].state).toBe("off");
  });

  it("an approval is not taken from the repository, not given over a link, and not by an agent", async () => {
    const project = await Steered.made();
    project.write("app/elsewhere/mine.md", "x");
    symlinkSync("../elsewhere", project.path("app/.claude/skills"));
    project.commit();
    const linked = await project.heddle("settings", "approve", "claude");
    expect(linked.err).toContain("`.claude/skills` is a link");
    expect((await project.heddle("settings", "approve", "cluade")).err).toContain("did you mean `claude`?");
    expect((await project.heddle("settings", "show", "codex")).err).toContain(
      "no file of the target steers Codex",
    );
    project.config({ mcp: { allow: ["settings approve"] } });
    expect((await project.heddle("mcp", "--list")).err).toContain("settings approve");
    expect((await project.heddle("mcp", "--list")).code).not.toBe(0);
  });
});
