// What heddle needs of the project: a journal that is whole, a target it can open, set-up commands whose programs are there,
// and no setting of git that would surprise.

import { existsSync } from "node:fs";
import { discoverProject } from "../discovery/discover.ts";
import { isThere } from "../host/files.ts";
import { fields, git } from "../host/git.ts";
import { locate } from "../host/sandbox.ts";
import { readConfig } from "./config.ts";
import { type Bench, type Finding, fail, ok, warn } from "./finding.ts";
import { openApp } from "./open.ts";
import { pathsIn } from "./paths.ts";

async function withProject<T>(
  root: string,
  work: (app: Awaited<ReturnType<typeof openApp>>) => Promise<T>,
): Promise<T | undefined> {
  if (!isThere(pathsIn(root).database)) return undefined;
  const app = await openApp({ root, by: "doctor" });
  try {
    return await work(app);
  } finally {
    app.close();
  }
}

export async function tryPlan({ root }: Bench): Promise<Finding[]> {
  const found = await withProject(root, async (app) => {
    const problems = await app.verify();
    const last = (await app.journal.runs()).length === 0 ? undefined : (await app.history()).at(-1)?.at;
    return { problems, last };
  });
  if (!found) return [ok("project", "none here yet: heddle init <target> begins one")];
  const { problems, last } = found;
  if (problems.length > 0)
    return problems.map((each) => fail("project", each.message, each.hint ?? "heddle restore <backup>"));
  if (last !== undefined && Date.parse(last) > Date.now() + 60_000)
    return [
      warn("project", `its last fact is from the future (${last}): the clock was set back`, "timedatectl"),
    ];
  return [ok("project", "the journal is whole")];
}

async function targetOf(root: string): Promise<string | undefined> {
  return withProject(root, async (app) =>
    (await app.journal.runs()).some((run) => !run.archived)
      ? app.journal.read(await app.run(), (run) => run.targetDir)
      : undefined,
  );
}

export async function tryTarget({ root }: Bench): Promise<Finding[]> {
  const target = await targetOf(root);
  if (target === undefined || !existsSync(target)) return [];
  const inside = git(target, ["rev-parse", "--show-toplevel"]);
  if (/dubious ownership|unsafe repository/.test(inside.error))
    return [
      fail(
        "target",
        "its repository belongs to somebody else",
        `git config --global --add safe.directory ${target}`,
      ),
    ];
  if (!inside.ok) return [ok("target", `${target}: without git, heddle keeps a private repository for it`)];
  const dirty = git(target, ["status", "--porcelain", "--untracked-files=no"]).out.trim();
  if (dirty !== "")
    return [
      warn(
        "target",
        "the checkout has changes that are not committed: nothing will land in it",
        `git -C ${target} status`,
      ),
    ];
  return [ok("target", `${target}: a clean git checkout`)];
}

/** Off is how it should be; that something was approved and is not as it was, a person wants to know. */
export async function trySettings({ root }: Bench): Promise<Finding[]> {
  const { saySettings, settingsOf } = await import("./steering.ts");
  const found = await withProject(root, async (app) =>
    (await app.journal.runs()).some((run) => !run.archived) ? settingsOf(app) : [],
  );
  return (found ?? []).map((each) => {
    const { what, hint } = saySettings(each);
    return each.state === "changed" ? warn("settings", what, hint) : { ...ok("settings", what), hint };
  });
}

export async function trySetUp({ root, heddle }: Bench): Promise<Finding[]> {
  const { setup } = readConfig(heddle);
  if (setup)
    return [ok("set-up", setup.length === 0 ? "switched off in the configuration" : setup.join("; "))];
  const target = await targetOf(root);
  if (target === undefined || !existsSync(target)) return [];
  const found = await discoverProject(target);
  if ("code" in found) return [];
  const steps = found.setup.filter(({ lock_file }) => lock_file !== null);
  if (steps.length === 0) return [ok("set-up", "no lock file asks for one")];
  return steps.map(({ run, lock_file }) => {
    const [program = ""] = run.split(/\s+/);
    if (locate(program, process.env.PATH ?? "")) return ok("set-up", `${lock_file}: ${run}`);
    return warn(
      "set-up",
      `${lock_file} asks for \`${run}\`, and \`${program}\` is not on the PATH`,
      `which ${program}`,
    );
  });
}

/** What a person set for themselves and may wonder about later; heddle's own calls are not steered by it. */
const surprises: Readonly<Record<string, string>> = {
  "commit.gpgsign": "heddle's commits are not signed",
  "core.hookspath": "hooks are not run for heddle's commits",
  "core.fsmonitor": "heddle does not use it",
  "init.templatedir": "agents' workspaces are made without it",
};

export function tryGitSettings({ folder }: Bench): Finding[] {
  const { out } = git(folder, ["config", "--global", "--null", "--list"]);
  const set = new Map(fields(Buffer.from(out)).map((field) => field.split("\n", 2) as [string, string]));
  const name = "git settings";
  const found: Finding[] = [];
  if (set.get("core.autocrlf") === "true")
    found.push(
      warn(
        name,
        "core.autocrlf changes line ends of files that land",
        "git config --global core.autocrlf input",
      ),
    );
  const filters = [...set.keys()].filter((key) => /^filter\..*\.(process|clean|smudge)$/.test(key));
  if (filters.length > 0) {
    const names = [...new Set(filters.map((key) => key.split(".")[1]))].join(", ");
    found.push(
      warn(
        name,
        `files that go through the filter ${names} are not landed by heddle`,
        "heddle land says what to type",
      ),
    );
  }
  const quiet = [...set.keys()]
    .filter((key) => Object.hasOwn(surprises, key))
    .map((key) => `${key}: ${surprises[key]}`);
  const steering = Object.keys(process.env).filter((key) =>
    /^GIT_(DIR|WORK_TREE|INDEX_FILE|CONFIG.*)$/.test(key),
  );
  if (steering.length > 0) quiet.push(`${steering.join(", ")} in the environment: heddle does not follow it`);
  return found.length > 0 && quiet.length === 0
    ? found
    : [...found, ok(name, quiet.join("; ") || "nothing that surprises")];
}
