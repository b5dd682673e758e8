// One project in one place, put back before every kill or failing call, and what is wrong with it afterwards.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Chance } from "../e2e/random.ts";
import { folder, Project } from "../e2e/rig.ts";
import { type KillPoint, run } from "./kill-points.ts";
import type { Scene } from "./kill-scenes.ts";

/** `all`, or about so many for each command. */
export const wanted = process.env.HEDDLE_EXACT_KILLS ?? "5";

/** Everything that a killed command may leave, wherever it is. */
const leftover =
  /\.lock$|\.db-journal$|(?:^|\/)tmp_(?:obj|pack|idx|rev)_|gc\.pid|\.new(?:$|-|\/)|\.restored|heddle-land|\.heddle-|heddle-\d+-|underway\/\d/;

function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.includes("node-compile-cache"))
    .sort();
}

/** One project in one place, put back before every kill. */
export class Stage {
  readonly project = new Project(join(folder("heddle-exact-"), "project"));
  readonly around = join(this.project.root, "../around");
  readonly #saved = join(folder("heddle-exact-saved-"), "saved");

  async prepare({ make }: Scene): Promise<void> {
    mkdirSync(this.project.root, { recursive: true });
    mkdirSync(join(this.around, "tmp"), { recursive: true });
    await make(this.project);
    this.#copy(join(this.project.root, ".."), this.#saved);
  }

  back(): void {
    this.#copy(this.#saved, join(this.project.root, ".."));
  }

  /** With times and links: git's index remembers what files looked like. */
  #copy(from: string, to: string): void {
    rmSync(to, { recursive: true, force: true });
    execFileSync("cp", ["-a", from, to]);
  }

  order(words: readonly string[]) {
    return { words, cwd: this.project.root, around: this.around };
  }

  run(words: readonly string[]) {
    return run(this.order(words));
  }

  left(): string[] {
    return [this.project.root, join(this.around, "tmp")].flatMap((root) =>
      filesIn(root).filter((path) => leftover.test(path)),
    );
  }

  /** What the person has, and what heddle says of it. */
  async end(): Promise<unknown> {
    const { project } = this;
    const own = filesIn(project.root).filter(
      (path) => !/(?:^|\/)(?:\.git|\.heddle)(?:\/|$)/.test(path) && statSync(project.path(path)).isFile(),
    );
    const files = own
      .filter(
        (path) => !/(?:state|session)\.json$|transcript\.jsonl$|\.db$|bundle\.json$|reports\//.test(path),
      )
      .map(
        (path) =>
          `${path}: ${readFileSync(project.path(path), "utf8").replaceAll(/20\d\d-[\d:TZ.+-]+/g, "")}`,
      );
    const status = await this.run(["status", "--json"]);
    const { phase, tasks, archived } = status.code === 0 ? JSON.parse(status.out) : {};
    return { files, git: this.#git(), phase, tasks, archived };
  }

  #git(): unknown {
    if (!existsSync(this.project.path("app/.git"))) return null;
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", this.project.path("app"), ...words], { encoding: "utf8" });
    return {
      log: git("log", "--format=%s"),
      tree: git("rev-parse", "HEAD^{tree}"),
      status: git("status", "--porcelain"),
      fsck: git("fsck", "--strict", "--no-dangling", "--no-progress"),
    };
  }
}

export function sample(points: readonly KillPoint[], scene: string): KillPoint[] {
  if (wanted === "all") return [...points];
  const chance = new Chance([...scene].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  const open = [...points];
  const chosen: KillPoint[] = [];
  while (open.length > 0 && chosen.length < Number(wanted))
    chosen.push(...open.splice(chance.below(open.length), 1));
  return chosen;
}

const isHalted = (text: string) => /halted/i.test(text);

/** What is wrong after a kill, in words; nothing when all is well. */
export async function wrongAfter(
  stage: Stage,
  scene: Scene,
  { clean, ran }: { clean: unknown; ran: { err: string } },
) {
  const found: string[] = [];
  if (/heddle has a bug|^\s+at /m.test(ran.err)) found.push(`a bug: ${ran.err}`);
  let look = await stage.run(["status"]);
  // A disk that fails halts the run, with a sentence that says how to go on.
  if (isHalted(look.out)) await stage.run(["resume"]);
  look = await stage.run(["status"]);
  if (look.code !== 0 && !(scene.mayBeNothing && look.code === 1))
    found.push(`status: ${look.code} ${look.err}`);
  for (const words of scene.after) {
    const next = await stage.run(words);
    const refused = scene.done?.test(next.err + next.out) === true;
    const isNothing = scene.mayBeNothing && /there is no (?:heddle project|run yet)/.test(next.err);
    if (next.code !== 0 && !refused && !isNothing)
      found.push(`${words.join(" ")}: ${next.code} ${next.err}${next.out}`);
  }
  if (scene.shown) {
    const { by, as } = scene.shown;
    if (!as.test((await stage.run(by)).out)) await stage.run(scene.words);
  }
  const left = stage.left();
  if (left.length > 0) found.push(`left: ${left.join(", ")}`);
  const verify = await stage.run(["verify"]);
  if (verify.code !== 0) found.push(`verify: ${verify.err}`);
  const end = await stage.end();
  if (JSON.stringify(end) !== JSON.stringify(clean))
    found.push(`another end: ${JSON.stringify(end)}\n instead of ${JSON.stringify(clean)}`);
  return found;
}
