// Where the pages' commands run: a small project in git, as a reader's own would be, and on the PATH `heddle` and a stand-in for
// Claude Code that does what the pages ask for. No model and no network.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cli, folder } from "../e2e/rig.ts";

const root = join(import.meta.dirname, "../..");

/** It answers as Claude Code 2.1 does in its headless mode; what it writes depends on the words of its task. */
const claude = `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path");
const after = (flag) => process.argv[process.argv.indexOf(flag) + 1];
const say = (value) => console.log(JSON.stringify(value));
if (process.argv.includes("--version")) { console.log("2.1.325 (Claude Code)"); process.exit(); }
say({ type: "system", subtype: "init", session_id: after("--session-id"), tools: [] });
const { HEDDLE_TASK: task, HEDDLE_OUTPUT: out, HEDDLE_ROLE: role } = process.env;
const asked = fs.readFileSync(0, "utf8");
const bundle = JSON.parse(fs.readFileSync(/\\S+\\.json/.exec(asked)[0], "utf8"));
const put = (file, content) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, content); };
const created = [];
const greeting = (name, word) => {
  created.push("src/" + name + ".js", "test/" + name + ".test.js");
  put("src/" + name + ".js", "export const " + name + " = (who) => \`" + word + ", \${who}\`;\\n");
  put("test/" + name + ".test.js", 'import { test } from "node:test";\\nimport assert from "node:assert";\\n' +
    "import { " + name + ' } from "../src/' + name + '.js";\\n' +
    "test('" + name + "', () => assert.equal(" + name + "('Ada'), '" + word + ", Ada'));\\n");
};
if (role === "task-verifier") {
  put(out, JSON.stringify({ task_id: task, verdict: "PASS", recommendation: "PROCEED", reasons: [] }));
} else {
  if (/German/.test(bundle.name)) greeting("german", "Hallo");
  else if (/goodbye/.test(bundle.name)) greeting("goodbye", "Goodbye");
  else { put("CHANGES.md", "Changes\\n"); created.push("CHANGES.md"); }
  put(out, JSON.stringify({ version: "1.0", task_id: task, status: "success", files: { created, modified: [] } }));
}
say({ type: "result", subtype: "success", is_error: false, num_turns: 3, result: "done", terminal_reason: "completed",
  total_cost_usd: 0.04, modelUsage: { "claude-sonnet": { inputTokens: 5000, outputTokens: 900, costUSD: 0.04 } } });
`;

const project: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "my-project", version: "1.0.0", type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
  "src/greet.js": 'export const greet = (who) => "Hello, " + who;\n',
  "test/greet.test.js":
    'import { test } from "node:test";\nimport assert from "node:assert";\n' +
    'import { greet } from "../src/greet.js";\ntest("greet", () => assert.equal(greet("Ada"), "Hello, Ada"));\n',
};

export interface Scratch {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `my-project` in git, and the examples of the package beside it. */
export function scratch(): Scratch {
  const place = folder("heddle-docs-");
  const bin = join(place, ".bin");
  write(join(bin, "claude"), claude);
  write(join(bin, "heddle"), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  for (const name of ["claude", "heddle"]) chmodSync(join(bin, name), 0o755);
  for (const [path, text] of Object.entries(project)) write(join(place, "my-project", path), text);
  cpSync(join(root, "examples"), join(place, "my-project/examples"), { recursive: true });
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "init.defaultBranch=main", ...words], {
      cwd: join(place, "my-project"),
      env: who,
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  return {
    root: place,
    env: {
      ...who,
      PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
      ANTHROPIC_API_KEY: "sk-ant-for-docs",
    },
  };
}

const who = {
  PATH: process.env.PATH ?? "",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
