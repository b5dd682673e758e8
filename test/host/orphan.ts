// A small heddle for the tests that kill it: runs one program and stays until it is ended. `node orphan.ts WAY MARK
// WORKSPACE HOME SCRIPT`; says `go` when the run begins, and what the program says. Its box is the one that HEDDLE_TEST_SANDBOX
// names as JSON, or bubblewrap.

import { findSandbox } from "../../src/host/box/box.ts";
import { runProgram } from "../../src/host/program/run.ts";
import type { FoundSandbox, Sandbox } from "../../src/host/program/sandbox.ts";

const [way = "", mark = "", workspace = "", home = "", script = ""] = process.argv.slice(2);
const named = process.env.HEDDLE_TEST_SANDBOX;
const sandbox: FoundSandbox = named ? { ok: true, ...(JSON.parse(named) as Sandbox) } : await findSandbox();
if (way === "boxed" && !sandbox.ok) throw new Error(sandbox.problem.message);
const limits = { wallMs: 60_000, silenceMs: 60_000, outputBytes: 1e6, lineBytes: 1e4 };
process.stdout.write("go\n");
for await (const event of runProgram(
  {
    argv: ["/bin/sh", "-c", script],
    cwd: workspace,
    environment: { PATH: "/usr/bin:/bin" },
    limits,
    mark,
    box:
      way === "boxed" && sandbox.ok
        ? { sandbox, home, writable: [workspace], readOnly: [], network: false }
        : "unconfined",
  },
  new AbortController().signal,
))
  if (event.kind === "line") process.stdout.write(`${event.text}\n`);
