// Discovery of a repository of 50,000 files, in a fresh process, against `git ls-files` of it: at most twice as long,
// plus one second. In memory where there is such a place, so that the disk does not count.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "rolldown";
import { costsOf } from "./children.ts";
import type { Bench, Figure } from "./figure.ts";
import { estimate, median } from "./statistics.ts";

const shape = { folders: 1000, filesInEach: 50 };
const source = 'import { x } from "./other.ts";\n\nexport function useOther() {\n  return x;\n}\n';

interface Round {
  readonly listing: number;
  readonly discovery: number;
}

export const discover: Bench = {
  name: "discover",
  run: async ({ quick }) => {
    const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "heddle-bench-"));
    try {
      const child = await bundled(join(folder, "children"));
      const target = repository(join(folder, "target"));
      const rounds = Array.from({ length: quick ? 3 : 9 }, () => measure(target, child));
      return figuresOf(rounds);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function bundled(dir: string): Promise<string> {
  const input = join(import.meta.dirname, "discover-target.ts");
  const resolve = { mainFields: ["module", "main"] };
  await build({ input, platform: "node", resolve, output: { dir, format: "esm" }, logLevel: "silent" });
  return join(dir, "discover-target.js");
}

function repository(target: string): string {
  for (let folder = 0; folder < shape.folders; folder++) {
    const path = join(target, `packages/package-${folder % 100}/src/part-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < shape.filesInEach; file++)
      writeFileSync(join(path, `module-${file}.ts`), file % 10 === 0 ? source : "");
  }
  const manifest = { scripts: { test: "vitest run" }, workspaces: ["packages/*"] };
  writeFileSync(join(target, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(target, ".gitignore"), "*.log\n");
  git(target, "init", "-q");
  return target;
}

function git(target: string, ...args: string[]): void {
  const { status, stderr } = spawnSync("git", ["-C", target, ...args], {
    env: { PATH: process.env.PATH, HOME: target, GIT_CONFIG_NOSYSTEM: "1" },
    maxBuffer: 1 << 28,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}

function measure(target: string, child: string): Round {
  const started = performance.now();
  git(target, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  const listing = (performance.now() - started) / 1e3;
  const [cost] = costsOf([{ cwd: join(target, ".."), args: [child, target] }]);
  const { files } = JSON.parse(readFileSync(join(target, "../found.json"), "utf8")) as { files: number };
  if (!cost || files !== shape.folders * shape.filesInEach + 2) throw new Error(`bug: ${files} files found`);
  return { listing, discovery: cost.wallMs / 1e3 };
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const seconds = (pick: (round: Round) => number) => estimate(rounds, (drawn) => median(drawn.map(pick)));
  const allowed = ({ listing }: Round) => 2 * listing + 1;
  return [
    {
      name: "discover: 50,000 files, part of what is allowed (2 x git ls-files + 1 s)",
      unit: "",
      measured: seconds((round) => round.discovery / allowed(round)),
      goal: { most: 1 },
    },
    { name: "discover: 50,000 files, wall", unit: "s", measured: seconds(({ discovery }) => discovery) },
    { name: "discover: git ls-files of them, wall", unit: "s", measured: seconds(({ listing }) => listing) },
  ];
}
