// Each command that was found in an existing project is run once on what is there, before it becomes something that must
// pass (D26): on the last commit with its set-up, as tasks will find it; where the target has no commit or changes beside it, in a
// copy of it. Boxed and without network, never among the person's own files. What needs network or changes files is not run.
import { join } from "node:path";
import { isProblem } from "../../../core/problem.ts";
import type { Command, ProjectContext } from "../../../discovery/project-context.ts";
import type { App } from "../../../engine/app.ts";
import { ownFolders } from "../../../engine/paths.ts";
import { makeFolder, makePrivateFolder } from "../../../host/files.ts";
import { findRepository } from "../../../host/git/find-repository.ts";
import { demandLine } from "../../../host/git/git.ts";
import { openPublic } from "../../../host/git/repository.ts";
import { removeTree } from "../../../host/remove-tree.ts";
import { type BoxChoice, findBox } from "../../../orders/box.ts";
import { benchFor, readConfig } from "../../../orders/config.ts";
import { sandboxOf, setUpOf } from "../../../orders/set-ups.ts";
import { repositoryOf } from "../../../orders/target-repository.ts";
import { runCheck } from "../../../work/evidence/check-tree.ts";
import {
  CleanRoom,
  copyOf,
  type Furnish,
  placeIn,
  treeWithSetUp,
} from "../../../work/evidence/clean-room.ts";
import { keyOf as keyOfSetUp } from "../../../work/set-up/key.ts";

const mostCommands = 12;
const eachMs = 2 * 60_000;
const allMs = 4 * 60_000;
/** Not there, or not a program: something must be set up first. */
const cannotStart = [126, 127];

export interface Seeing {
  readonly unconfined: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

export async function seeCommands(
  app: App,
  context: ProjectContext,
  seeing: Seeing,
): Promise<ProjectContext> {
  const commands = wanted(context);
  if (commands.length === 0) return context;
  const config = readConfig(app.paths.heddle);
  const box = await findBox(app, { unconfined: seeing.unconfined || config.unconfined === true, config });
  if (box.kind === "missing") {
    const note = "the project's commands were not run on the base: there is no box for them";
    return { ...context, notes: [...context.notes, note] };
  }
  const seen = await seenIn(app, commands, { ...seeing, box });
  const marked = (list: readonly Command[]) =>
    list.map((each) => ({ ...each, ...(seen.has(keyOf(each)) && { on_base: seen.get(keyOf(each)) }) }));
  const packages = context.packages?.map((each) => ({ ...each, commands: marked(each.commands) }));
  return { ...context, commands: marked(context.commands), ...(packages && { packages }) };
}

const keyOf = ({ run, cwd }: Pick<Command, "run" | "cwd">) => `${cwd}\n${run}`;

function wanted({ commands, packages = [] }: ProjectContext): Command[] {
  const all = [...commands, ...packages.flatMap((each) => each.commands)];
  const gates = all.filter((each) => each.declared && !each.network && !each.changes_files);
  return [...new Map(gates.map((each) => [keyOf(each), each])).values()].slice(0, mostCommands);
}

/** The last commit, set up; undefined where that is not what lies in the target, or cannot be set up. */
async function baseOf(
  app: App,
  { box, say, signal }: Seeing & { readonly box: BoxChoice },
): Promise<Furnish | undefined> {
  const place = await findRepository(await app.look((run) => run.targetDir));
  if (place === null || isProblem(place)) return undefined;
  const { checkoutGitDir: gitDir, flags } = await openPublic(place);
  const args = ["status", "--porcelain", "--ignore-submodules=all"];
  if ((await demandLine({ gitDir, flags }, { args, workTree: place.root })) !== "") return undefined;
  const repository = await repositoryOf(app);
  if (repository.head === null) return undefined;
  const setUp = setUpOf({ app, config: readConfig(app.paths.heddle), box });
  const asked = { commands: setUp.commands, reads: setUp.reads, repository, tree: repository.head };
  if ((await keyOfSetUp(asked)) !== null) say("setting the project up, as for the tasks");
  const furnish = treeWithSetUp({ repository, setUp, tree: repository.head });
  const folder = join(app.paths.heddle, "setup/tried");
  const failed = await furnish({ folder, files: join(folder, "tree") }, signal);
  await removeTree(folder);
  if (failed) say(`  ${failed.message}\n  the commands run in a copy of your files instead`);
  return failed ? undefined : furnish;
}

async function seenIn(
  app: App,
  commands: readonly Command[],
  { signal, say, box, ...seeing }: Seeing & { readonly box: BoxChoice },
): Promise<Map<string, "green" | "red">> {
  const target = await app.look((run) => run.targetDir);
  const place = join(app.paths.heddle, "logs/findings");
  makePrivateFolder(join(app.paths.heddle, "setup"));
  makeFolder(place);
  const own = ownFolders(app.paths);
  const bench = benchFor(readConfig(app.paths.heddle), sandboxOf(box));
  const wallMs = Math.min(eachMs, bench.limits.wallMs);
  const limits = { ...bench.limits, wallMs, silenceMs: wallMs };
  const base = await baseOf(app, { ...seeing, signal, say, box });
  const from = base ? "on the last commit" : `in a copy of ${target}`;
  say(`running ${commands.length} of the project's commands once, ${from}`);
  const prefix = base ? (await repositoryOf(app)).prefix : "";
  const tools = { ...bench, limits, readable: [...bench.readable, target], hidden: own };
  const how = { bench: tools, network: false, mark: `findings ${place}` };
  const room = new CleanRoom(join(app.paths.heddle, "setup/findings"), base ?? copyOf(target, own));
  const seen = new Map<string, "green" | "red">();
  const until = performance.now() + allMs;
  try {
    for (const [at, { purpose, run, cwd }] of commands.entries()) {
      if (signal.aborted || performance.now() > until) break;
      if (await room.freshen({ more: at + 1 < commands.length }, signal)) break;
      const one = { criterion: purpose, command: run, log: join(place, `${at + 1}`) };
      const check = await runCheck(how, { ...one, ...placeIn(room, join(prefix, cwd)) }, signal);
      if (check.exit === null || cannotStart.includes(check.exit)) say(`  ${run}: could not be run here`);
      else seen.set(keyOf({ run, cwd }), check.ok ? "green" : "red");
      const red = check.note === null ? `${check.log}.out` : `${check.note}; ${check.log}.out`;
      if (seen.has(keyOf({ run, cwd }))) say(`  ${run}: ${check.ok ? "green" : `red (${red})`}`);
    }
  } finally {
    await room.remove().catch(() => undefined);
  }
  return seen;
}
