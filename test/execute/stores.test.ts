// Tools that keep packages in a home keep them beside the files here: what set-up fetched is there for the agent and for the
// checks, offline. The package manager is a stand-in that writes where the real one would.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ended, folder, start } from "../e2e/rig.ts";
import { Execution } from "./rig.ts";

const pip = `#!/bin/sh
test "$*" = "-m pip install --user -r requirements.txt" || exit 9
test "$PIP_BREAK_SYSTEM_PACKAGES" = 1 || { echo "externally-managed-environment" >&2; exit 1; }
mkdir -p "$PYTHONUSERBASE/lib" && cat requirements.txt > "$PYTHONUSERBASE/lib/installed"
`;
const cargo = `#!/bin/sh
test "$*" = "fetch --locked" || exit 9
mkdir -p "$CARGO_HOME/registry" && echo crate > "$CARGO_HOME/registry/crate"
`;

it("X24 gives agents and checks the packages that pip and cargo fetched, and no other store", async () => {
  const bin = folder();
  writeFileSync(join(bin, "python3"), pip, { mode: 0o755 });
  writeFileSync(join(bin, "cargo"), cargo, { mode: 0o755 });
  const more = () => ({
    acceptance_criteria: [
      {
        criterion: "python's",
        verification: 'grep demo "$PYTHONUSERBASE/lib/installed" && test -f src/T001.txt',
      },
      { criterion: "cargo's", verification: 'test -f "$CARGO_HOME/registry/crate"' },
      { criterion: "no other", verification: 'test -z "$GOMODCACHE$BUNDLE_PATH"' },
    ],
  });
  const project = await Execution.ready(
    { tasks: 1, more },
    { "*": ['fs.readFileSync(process.env.PYTHONUSERBASE + "/lib/installed"); good()'] },
  );
  project.write("app/requirements.txt", "demo==1.0\n");
  project.write("app/Cargo.toml", '[package]\nname = "demo"\nversion = "0.1.0"\n');
  project.write("app/Cargo.lock", "version = 4\n");
  project.git("add", "-A");
  project.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Ask for packages");
  project.config({ readable: [bin], attempts: 1 });
  const words = [...project.words, "--batch"];
  const ran = await ended(start(words, { cwd: project.root, env: { PATH: `${bin}:${process.env.PATH}` } }));
  expect(ran.out + ran.err).toContain("T001 done: verified and merged");
  expect(project.git("ls-tree", "-r", "--name-only", "heddle/plan-1")).not.toContain("packages");
});
