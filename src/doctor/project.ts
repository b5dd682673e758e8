// What heddle needs of the project: a journal that is whole, a target it can open, set-up commands whose programs are there,
// and no setting of git that would surprise.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { toCall } from "../core/hint.ts";
import { isProblem, Refused } from "../core/problem.ts";
import { discoverProject } from "../discovery/discover.ts";
import { setUpSteps } from "../discovery/set-up-steps.ts";
import type { Opening } from "../engine/app.ts";
import { openApp } from "../engine/open.ts";
import { ownFolders, pathsIn } from "../engine/paths.ts";
import { findRepository } from "../host/git/find-repository.ts";
import { demandLine, fields, personsEnvironment, runProcess } from "../host/git/git.ts";
import { openPublic } from "../host/git/repository.ts";
import { distrustProject, locate } from "../host/program/programs.ts";
import { readConfig } from "../orders/config.ts";
import { distrustTargets } from "../orders/target-repository.ts";
import { type Finding, fail, ok, type TestBed, warn } from "./finding.ts";

async function withProject<T>(
  opening: Opening,
  work: (app: Awaited<ReturnType<typeof openApp>>) => Promise<T>,
): Promise<T | undefined> {
  if (!(await opening.journals.has(opening.root))) return undefined;
  const app = await openApp({ ...opening, by: "doctor" });
  try {
    return await work(app);
  } finally {
    app.close();
  }
}

/** A journal that cannot be read is found out by the trial of the project. */
export async function distrustWork(opening: Opening): Promise<void> {
  const { root } = opening;
  const paths = pathsIn(root);
  distrustProject(root, ownFolders(paths));
  await withProject(opening, distrustTargets).catch(() => {});
}

export async function tryPlan(bench: TestBed): Promise<Finding[]> {
  const found = await withProject(bench, async (app) => {
    const problems = await app.verify();
    const runs = await app.journal.runs();
    const ends = await Promise.all(
      // A run whose protocol cannot be read is named by what was proven above.
      runs.map(({ id, position }) => app.journal.entries(id, { after: position - 1 }).catch(() => [])),
    );
    const last = ends
      .flatMap((entries) => entries.map(({ at }) => at))
      .sort()
      .at(-1);
    return { problems, last };
  });
  if (!found)
    return [ok("project", "none here yet: heddle run <sentence> or heddle plan <spec.md> begins one")];
  const { problems, last } = found;
  if (problems.length > 0)
    return problems.map((each) => fail("project", each.message, each.hint ?? toCall("restore <backup>")));
  if (last !== undefined && Date.parse(last) > Date.now() + 60_000)
    return [
      warn("project", `its last fact is from the future (${last}): the clock was set back`, "timedatectl"),
    ];
  return [ok("project", "the journal is whole")];
}

/** Of the run that commands are about; nothing where there is none, or several, or one whose protocol is broken. */
async function targetOf(opening: Opening): Promise<string | undefined> {
  return withProject(opening, async (app) => {
    try {
      return await app.journal.read(await app.run(), (run) => run.targetDir);
    } catch (error) {
      ifRefused(error);
      return undefined;
    }
  });
}

/** Nothing, where no single run is meant: that is said of the commands that need one. */
function ifRefused(error: unknown): [] {
  if (error instanceof Refused) return [];
  throw error;
}

export async function tryTarget(bench: TestBed): Promise<Finding[]> {
  const target = await targetOf(bench);
  if (target === undefined || !existsSync(target)) return [];
  const place = await findRepository(target);
  if (isProblem(place)) return [fail("target", place.message, place.hint ?? `ls -a ${target}`)];
  if (place === null)
    return [ok("target", `${target}: without git, heddle keeps a private repository for it`)];
  const { checkoutGitDir: gitDir, flags } = await openPublic(place);
  const args = ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"];
  const dirty = await demandLine({ gitDir, flags }, { args, workTree: place.root });
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
export async function trySettings(bench: TestBed): Promise<Finding[]> {
  const { saySettings, settingsOf } = await import("../orders/steering.ts");
  const found = await withProject(bench, async (app) =>
    (await app.journal.runs()).some((run) => !run.archived) ? settingsOf(app).catch(ifRefused) : [],
  );
  return (found ?? []).map((each) => {
    const { what, hint } = saySettings(each);
    return each.state === "changed" ? warn("settings", what, hint) : { ...ok("settings", what), hint };
  });
}

/** Before there is a run: the repository in which doctor was asked, because that is what a run would work on. */
async function setUpTarget(bench: TestBed): Promise<string | undefined> {
  if (await bench.journals.has(bench.root)) return targetOf(bench);
  return existsSync(join(bench.root, ".git")) ? bench.root : undefined;
}

export async function trySetUp(bench: TestBed): Promise<Finding[]> {
  const { heddle } = bench;
  const { setup } = readConfig(heddle);
  if (setup)
    return [ok("set-up", setup.length === 0 ? "switched off in the configuration" : setup.join("; "))];
  const target = await setUpTarget(bench);
  if (target === undefined || !existsSync(target)) return [];
  const found = await discoverProject(target);
  if ("code" in found) return [];
  const steps = setUpSteps(found);
  if (steps.length === 0)
    return [
      ok("set-up", "nothing to install: no lock file, and no manifest with packages"),
      ...testFindings(found.commands),
    ];
  const seen = steps.map(({ run, because }) => {
    const program = missingProgram(run);
    if (program === undefined) return ok("set-up", `${because}: ${run}`);
    return warn(
      "set-up",
      `${because} asks for \`${run}\`, and \`${program}\` is not on the PATH`,
      `install ${program}, or say what to run instead: "setup" in .heddle/config.json, [] for nothing`,
    );
  });
  return [...seen, ...testFindings(found.commands)];
}

function missingProgram(command: string): string | undefined {
  const [program = ""] = command.split(/\s+/);
  return program.includes("/") || locate(program, process.env.PATH ?? "") ? undefined : program;
}

/** Work is checked with these where nobody says otherwise. */
function testFindings(commands: readonly { readonly run: string; readonly purpose: string }[]): Finding[] {
  const tests = [...new Set(commands.filter(({ purpose }) => purpose === "test").map(({ run }) => run))];
  if (tests.length === 0)
    return [
      {
        ...ok("tests", "no test command found here: each task needs a check of its own"),
        hint: 'name one for each run: heddle run "<task>" --check "<command>"',
      },
    ];
  return tests.slice(0, 4).map((run) => {
    const program = missingProgram(run);
    if (program === undefined) return ok("tests", run);
    return warn(
      "tests",
      `\`${run}\` checks the work here, and \`${program}\` is not on the PATH`,
      `install ${program}, or name another check: heddle run "<task>" --check "<command>"`,
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

export async function tryGitSettings(): Promise<Finding[]> {
  const args = ["config", "--global", "--null", "--list"];
  const { out } = await runProcess(args, { cwd: "/", env: personsEnvironment({ args }) });
  const set = new Map(fields(out).map((field) => field.split("\n", 2) as [string, string]));
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
      warn(name, `files that go through the filter ${names} are not landed by heddle`, [
        toCall("land"),
        " says what to type",
      ]),
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
