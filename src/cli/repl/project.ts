// What the REPL itself knows of the project: whether there is a run, what it asks, and names for completion. Commands
// never go through here: each opens the project for itself, as from a shell.

import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isAtRest } from "../../core/idle.ts";
import type { Run } from "../../core/run.ts";
import { openQuestions, statusOf } from "../../core/task.ts";
import { App } from "../../engine/app.ts";
import { Watch } from "../../journal/watch.ts";
import { packNamed } from "../../packs/packs.ts";
import { questionText } from "../../view/question.ts";
import { oneLine } from "../../view/safe.ts";
import { composition } from "../composition.ts";
import type { Offer, Question } from "./complete.ts";

export interface Standing {
  readonly phase: string;
  readonly halted: boolean;
  readonly phases: readonly string[];
  /** Open ones, oldest first. */
  readonly questions: readonly Question[];
}

const offered = 50;

export class Project {
  readonly #root: string;
  readonly #run: string | undefined;
  #app: App | undefined;
  #watch: Watch | undefined;
  #standing: Standing | undefined;

  constructor(root: string, run: string | undefined) {
    this.#root = root;
    this.#run = run;
  }

  get standing(): Standing | undefined {
    return this.#standing;
  }

  /** Looks again if somebody wrote; tells whether anything may have changed. */
  async look(): Promise<boolean> {
    const before = this.#standing;
    try {
      await this.#open();
      if (this.#watch?.hasChanged() === false) return false;
      this.#standing = await this.#read(standingOf);
    } catch {
      // No run, several, or one that cannot be read: commands say so in their own words.
      this.#standing = undefined;
    }
    return before !== this.#standing;
  }

  /** After a command: it may have put another journal or another run in the place of this one. */
  forget(): void {
    this.#watch?.stop();
    this.#app?.close();
    [this.#app, this.#watch] = [undefined, undefined];
  }

  /** Whether an orchestrator would find something to do, and there is none. */
  async couldGoOn(): Promise<boolean> {
    const found = this.#read((run) => run.holder === null && run.halt === null && !isAtRest(run));
    return (await found.catch(() => false)) ?? false;
  }

  /** Of the plan, and those that go from a brief to a commit. */
  async tasks(prefix: string): Promise<readonly Offer[]> {
    const isMeant = (id: string) => id.toLowerCase().startsWith(prefix.toLowerCase());
    const planned = this.#read((run) => {
      const found: Offer[] = [];
      for (const task of run.tasks.all()) {
        if (!isMeant(task.def.id)) continue;
        found.push({ word: task.def.id, about: `${statusOf(task)}: ${oneLine(task.def.name)}` });
        if (found.length >= offered) break;
      }
      return found.sort((a, b) => (a.word < b.word ? -1 : 1));
    });
    const runs = (await this.#app?.journal.runs().catch(() => [])) ?? [];
    const single = runs.filter(
      ({ id, protocol, archived }) =>
        packNamed(protocol)?.runsAsTasks !== undefined && !archived && isMeant(id),
    );
    const offers = single.slice(0, offered).map(({ id, phase }) => ({ word: id, about: phase }));
    return [...((await planned.catch(() => [])) ?? []), ...offers];
  }

  files(prefix: string): readonly string[] {
    const folder = prefix.endsWith("/") ? prefix : dirname(prefix);
    const start = prefix.endsWith("/") ? "" : basename(prefix);
    try {
      return readdirSync(resolve(this.#root, folder), { withFileTypes: true })
        .filter(({ name }) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
        .slice(0, offered)
        .map((entry) => {
          const path = prefix.includes("/") ? join(folder, entry.name) : entry.name;
          return entry.isDirectory() ? `${path}/` : path;
        });
    } catch {
      return [];
    }
  }

  async #open(): Promise<void> {
    if (this.#app || !(await composition.journals.has(this.#root))) return;
    this.#app = await App.open({ ...composition, root: this.#root, by: "operator", run: this.#run });
    this.#watch = new Watch(this.#app.journal);
  }

  async #read<T>(look: (run: Run) => T): Promise<T | undefined> {
    await this.#open();
    const app = this.#app;
    return app?.journal.read(await app.run(), look);
  }
}

function standingOf(run: Run): Standing {
  return {
    phase: run.phase,
    halted: run.halt !== null,
    phases: run.protocol.phases.map(({ name }) => name),
    questions: openQuestions(run).map((question) => ({
      ...{ id: question.id, options: question.options },
      text: questionText(run, question),
    })),
  };
}
