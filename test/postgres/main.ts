// `npm run postgres [files…]`: the journal in Postgres against its suite, lost connections, kills of the server and moves; then heddle's own
// stories with the real command line, every journal of theirs in one Postgres; then what a commit costs.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, trialBuild } from "../ports/trial-build.ts";
import { hasPostgres, Server } from "./server.ts";

const folder = join(root, ".tmp/postgres");

const stories = ["test/execute/run", "test/plan/story", "test/lifecycle/story", "test/mission/story"];

function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): boolean {
  const all = { ...process.env, ...env };
  return (
    spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: "inherit", env: all })
      .status === 0
  );
}

async function tellStories(files: readonly string[]): Promise<boolean> {
  const program = await trialBuild({ folder, composition: join(import.meta.dirname, "composition.ts") });
  const server = await Server.start(["max_connections=200"]);
  const passfile = join(folder, "passwords");
  writeFileSync(passfile, `*:*:*:*:${server.password}\n`, { mode: 0o600 });
  writeFileSync(
    join(folder, "server"),
    `postgres://heddle@127.0.0.1:${server.port}/postgres?passfile=${passfile}`,
  );
  const env = { HEDDLE_BUILT: "1", HEDDLE_CLI: program };
  try {
    return run("node_modules/vitest/vitest.mjs", ["run", ...files], env);
  } finally {
    await server.stop();
  }
}

async function main(files: readonly string[]): Promise<void> {
  if (!hasPostgres) {
    console.log("there is no Postgres here (initdb is neither on PATH nor in /usr/lib/postgresql): left out");
    return;
  }
  const own =
    files.length > 0 ||
    run("node_modules/vitest/vitest.mjs", ["run", "--config", "test/postgres/vitest.config.ts"]);
  const told = await tellStories(files.length > 0 ? files : stories);
  const isQuick =
    files.length > 0 || (run("test/postgres/bench.ts", []) && run("test/postgres/workers-bench.ts", []));
  if (!own || !told || !isQuick) process.exitCode = 1;
}

await main(process.argv.slice(2));
