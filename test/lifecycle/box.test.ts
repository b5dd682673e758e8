// The same task by a real program in a real box: it works in its workspace, reads its bundle, checks its own output, and
// reaches nothing else.
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { hasBox } from "../needs.ts";
import { Lifecycle, plan } from "./rig.ts";

const agent = (outside: string) => `#!${process.execPath}
const fs = require("node:fs"), { execSync } = require("node:child_process");
const bundle = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const documents = {
  planner: ${JSON.stringify(plan)},
  "plan-reviewer": { ok: true, blocking_issues: [] },
  coder: { status: "done", summary: "greets" },
  "code-reviewer": { ok: true, blocking_issues: [], reasons: [] },
  acceptor: { verdict: "accepted" },
};
try { fs.writeFileSync(${JSON.stringify(outside)}, "escaped"); } catch {}
if (bundle.role === "coder") fs.writeFileSync("greet.txt", "Hello from the box\\n");
if (bundle.role === "code-reviewer") documents["code-reviewer"].reasons.push(fs.readFileSync(bundle.inputs.diff.path, "utf8"));
fs.writeFileSync(bundle.output.path, JSON.stringify(documents[bundle.role]));
execSync(bundle.output.check, { stdio: "inherit" });
`;

it.runIf(hasBox)(
  "G9 L11 a program in its box takes a task to its end, and writes nowhere else (left out without bubblewrap)",
  async () => {
    const project = await Lifecycle.begun();
    project.write("agent.cjs", agent(project.path("app/README.md")));
    chmodSync(project.path("agent.cjs"), 0o755);
    const ran = await project.heddle("next", "--all", "--agent", "command:./agent.cjs");
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(readFileSync(project.path("app/greet.txt"), "utf8")).toBe("Hello from the box\n");
    expect(readFileSync(project.path("app/README.md"), "utf8")).toBe("# The person's project\n");
    expect(project.document("review/code-review.json").reasons[0]).toContain("+Hello from the box");
    expect(existsSync(project.path(".heddle/attempts/task-1/coder-1/home"))).toBe(false);
  },
);
