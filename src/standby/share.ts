// What another coordinator needs of this machine's disk, kept beside the log where the journal is on a server: plan files, bundles,
// evidence, transcripts, and the commits of the run. Whatever a fact speaks of is there before the fact is written. Brought in is
// what is missing here, and what is here in an older version; what a person changed here stays.
import { lstatSync, readdirSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import type { Effect } from "../core/effect.ts";
import type { Outcome } from "../core/input.ts";
import { problem, Refused } from "../core/problem.ts";
import { taskOf } from "../core/run.ts";
import type { App } from "../engine/app.ts";
import type { Carriers, Carry } from "../engine/world.ts";
import { textDigest } from "../host/digest.ts";
import { makeFolder, makePrivateFolder, remove, replaceFile } from "../host/files.ts";
import { moveBranch } from "../host/git/integrate.ts";
import { pin, type Repository, tipOf } from "../host/git/repository.ts";
import { readBytes } from "../host/handed-in.ts";
import { IncomingPack, missingCommits, packFor } from "../host/packs.ts";
import { type SharedFile, type SharedFiles, StoreFailure } from "../journal/journal.ts";
import { pinOf } from "../work/merge.ts";

/** A log that is longer stays on the machine that wrote it. */
const mostBytes = 16 * 1024 * 1024;

/** Of an attempt's folder: what is for people and for the next attempt. Its token is a secret; how it began and ended counts only there. */
const keptOfAttempt =
  /^(?:bundle\.json|events\.jsonl|log\.jsonl|std(?:out|err)(?:-\d+)?\.log|checks\/.+|review.*)$/;

/** Views and requests of one machine. */
const ownOfMachine = /(?:^|\/)(?:state\.json|STOP|transcript\.jsonl|[^/]*\.new)$/;

const packName = /^commits\/([0-9a-f]{40,64})\.pack$/;

export class Share {
  readonly #app: App;
  readonly #run: string;
  readonly #files: SharedFiles;
  readonly #from: string;
  readonly #there = new Map<string, SharedFile>();
  /** Files that were looked at, by size and time: what has not changed is not read again. */
  readonly #looked = new Map<string, string>();
  /** Commits that are still to be sent. */
  readonly #owed = new Set<string>();
  #epoch: number | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(app: App, run: string, files: SharedFiles) {
    this.#app = app;
    this.#run = run;
    this.#files = files;
    this.#from = `${hostname()}:${app.paths.root}`;
  }

  /** Nothing where the journal is a file: whoever has that has the rest as well. */
  static async of(app: App): Promise<Share | undefined> {
    const { shared } = app.journal;
    if (!shared) return undefined;
    const share = new Share(app, await app.run(), shared);
    for (const file of await shared.list(share.#run)) share.#there.set(file.name, file);
    return share;
  }

  /** Files that others wrote. */
  async bringFiles(): Promise<void> {
    if (this.#there.size > 0) makePrivateFolder(join(this.#app.paths.heddle, "attempts"));
    for (const file of this.#there.values()) {
      if (packName.test(file.name) || !isInside(file.name)) continue;
      const path = join(this.#app.paths.root, file.name);
      const here = bodyOf(path, this.#app);
      const digest = here && textDigest(here);
      if (digest === file.digest) continue;
      if (digest !== undefined && !(await this.#files.wasThere(this.#run, { name: file.name, digest })))
        continue;
      const body = await this.#files.get(this.#run, file);
      if (body === undefined) continue;
      makeFolder(dirname(path));
      replaceFile(path, body);
    }
  }

  /** Commits that others made, each with a ref that keeps it, and the branch where they moved it. */
  async bringCommits(repository: Repository): Promise<void> {
    const packs = [...this.#there.values()].filter(({ name }) => packName.test(name));
    const { start, tip, name, running } = await this.#app.journal.read(this.#run, (run) => ({
      ...{ start: run.branch?.start, tip: run.branch?.tip, name: run.branch?.name },
      running: run.running.map((id) => {
        const { attempt, attempts } = taskOf(run, id);
        return { id, attempts, work: attempt?.work?.commit, candidate: attempt?.candidate?.commit };
      }),
    }));
    if (start === undefined || tip === undefined || name === undefined || packs.length === 0) return;
    if ((await missingCommits(repository, [start])).length > 0)
      throw new Refused([behind(repository, start)]);
    for (const file of packs) await this.#takePack(repository, file);
    for (const { id, attempts, work, candidate } of running) {
      const pins = [
        [pinOf(id, attempts), work],
        [`${pinOf(id, attempts)}-merge`, candidate],
      ] as const;
      for (const [pinName, commit] of pins)
        if (commit !== undefined && (await missingCommits(repository, [commit])).length === 0)
          await pin(repository, { run: this.#run, name: pinName, commit });
    }
    await this.#followBranch(repository, { name, tip });
  }

  async #takePack(repository: Repository, file: SharedFile): Promise<void> {
    const commit = packName.exec(file.name)?.[1] ?? "";
    if ((await missingCommits(repository, [commit])).length === 0) return;
    const body = await this.#files.get(this.#run, file);
    if (body === undefined) return;
    const pack = new IncomingPack(repository.objects, `shared-${commit}`);
    pack.add(body);
    await pack.take(repository, [commit]);
  }

  /** A branch that others moved is behind here; one that a person moved is not touched. */
  async #followBranch(
    repository: Repository,
    { name, tip }: { readonly name: string; readonly tip: string },
  ): Promise<void> {
    const here = await tipOf(repository, name);
    const made = this.#there.get(`commits/${tip}.pack`);
    const wasOurs = here !== null && this.#there.has(`commits/${here}.pack`);
    const isStart =
      here !== null && (await this.#app.journal.read(this.#run, ({ branch }) => branch?.start === here));
    if (here === null || here === tip || made === undefined || made.from === this.#from) return;
    if (wasOurs || isStart) await moveBranch(repository, { branch: name, from: here, to: tip });
  }

  /** Everything that another would need to begin. */
  async putAll(): Promise<void> {
    const { planningDir, attempts } = await this.#app.journal.read(this.#run, (run) => ({
      planningDir: run.planningDir,
      attempts: join(this.#app.paths.heddle, "attempts", run.id),
    }));
    await this.#putUnder(planningDir, (name) => !ownOfMachine.test(name));
    for (const name of namesIn(attempts)) await this.#putAttempt(join(attempts, name));
  }

  /** Carries effects out as before; what came of one is kept before it is answered. */
  around(carriers: Carriers, repository: Repository): Carriers {
    const kept = Object.entries(carriers).map(([kind, carry]) => {
      const plain = carry as Carry;
      const all: Carry = async (effect, signal) => {
        const outcome = await plain(effect, signal);
        if (!signal.aborted) await this.#inOrder(() => this.#keep(effect, outcome, repository));
        return outcome;
      };
      return [kind, all];
    });
    return Object.fromEntries(kept) as Carriers;
  }

  /** One after another: two would make the same pack, and what is under way is known to the next. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** Not by one who was replaced; what the server could not take is sent with the next that it can. */
  async #keep(effect: Effect, outcome: Outcome | undefined, repository: Repository): Promise<void> {
    const epoch = await this.#app.journal.read(this.#run, (run) => run.epoch);
    this.#epoch ??= epoch;
    if (epoch !== this.#epoch) return;
    if (outcome?.ok)
      for (const commit of [outcome.work?.commit, outcome.candidate?.commit])
        if (commit !== undefined) this.#owed.add(commit);
    try {
      for (const commit of this.#owed) {
        await this.#putCommit(repository, commit);
        this.#owed.delete(commit);
      }
      await this.#after(effect);
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
    }
  }

  async #after(effect: Effect): Promise<void> {
    const { heddle } = this.#app.paths;
    if ("task" in effect) {
      const planningDir = await this.#app.journal.read(this.#run, (run) => run.planningDir);
      await this.#putUnder(
        join(planningDir, "bundles"),
        (name) => name.split("/").at(-1)?.startsWith(`${effect.task}-`) === true,
      );
      await this.#putAttempt(join(heddle, "attempts", this.#run, `${effect.task}-${effect.attempt}`));
    } else if ("job" in effect || effect.kind === "check-baseline") await this.putAll();
  }

  #putAttempt(folder: string): Promise<void> {
    return this.#putUnder(folder, (name) =>
      keptOfAttempt.test(relative(folder, join(this.#app.paths.root, name))),
    );
  }

  async #putUnder(folder: string, isKept: (name: string) => boolean): Promise<void> {
    for (const path of filesIn(folder)) {
      const name = relative(this.#app.paths.root, path).split(sep).join("/");
      if (isInside(name) && isKept(name)) await this.#put(name, path);
    }
  }

  async #put(name: string, path: string): Promise<void> {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    const seen = `${stat?.size} ${stat?.mtimeMs} ${stat?.ino}`;
    if (!stat?.isFile() || stat.size > mostBytes || this.#looked.get(name) === seen) return;
    const body = bodyOf(path, this.#app);
    if (body === undefined) return;
    const digest = textDigest(body);
    if (this.#there.get(name)?.digest !== digest) await this.#send({ name, digest, from: this.#from }, body);
    this.#looked.set(name, seen);
  }

  async #send(file: SharedFile, body: Uint8Array): Promise<void> {
    await this.#files.put(this.#run, { ...file, body });
    this.#there.set(file.name, file);
  }

  /** What it adds to the commit that the run began from and to those that are kept already. */
  async #putCommit(repository: Repository, commit: string): Promise<void> {
    const name = `commits/${commit}.pack`;
    if (this.#there.has(name)) return;
    const start = await this.#app.journal.read(this.#run, ({ branch }) => branch?.start);
    const kept = [...this.#there.keys()].flatMap((each) => packName.exec(each)?.[1] ?? []);
    const known = [...(start === undefined ? [] : [start]), ...kept.slice(-mostKnown)];
    const folder = join(this.#app.paths.heddle, "sent", `pack-${process.pid}-${commit.slice(0, 12)}`);
    try {
      const file = await packFor(repository, { commits: [commit], known, folder });
      const body = bodyOf(file, this.#app, mostPacked);
      // Whoever takes over says which commit it lacks.
      if (body === undefined) return;
      await this.#send({ name, digest: textDigest(body), from: this.#from }, body);
    } finally {
      remove(folder);
    }
  }
}

const mostKnown = 16;
const mostPacked = 256 * 1024 * 1024;

/** What another machine says names a file of this project and no other. */
const isInside = (name: string) =>
  name !== "" && !name.startsWith("/") && !name.split("/").includes("..") && !name.includes("\0");

/** Through no link, and no more than is kept. */
function bodyOf(path: string, { paths: { root } }: App, most = mostBytes): Buffer | undefined {
  const read = readBytes(path, { bytes: most }, { within: root });
  return typeof read === "string" || read.size > most ? undefined : read.bytes;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Workspaces and homes hold an agent's own files, and as many as it likes. */
const notLooked = new Set(["work", "home", "tmp", "out", "room", "setups", "taken-away"]);

function filesIn(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return notLooked.has(name) || name.startsWith("room") ? [] : filesIn(path);
    return stat?.isFile() ? [path] : [];
  });
}

function behind(repository: Repository, start: string) {
  const place = repository.checkout ?? repository.gitDir;
  return problem("behind", `\`${place}\` lacks commit ${start.slice(0, 12)}, from which the run began`, {
    hint: `git -C ${place} fetch --all`,
  });
}
