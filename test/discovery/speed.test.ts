// Discovery of a large repository, against what git itself needs to list it (the figure of the plan: at most twice
// `git ls-files`, plus one second).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { processorMs } from "../processor-time.ts";
import { contextOf, folderWith, git } from "./folders.ts";

const folders = 1000;
const perFolder = 50;
const source = 'import { x } from "./other.ts";\n\nexport function useOther() {\n  return x;\n}\n';
let target = "";

/** In memory where there is such a place: other tests keep the disk busy, and 50,000 files take it a minute then. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

beforeAll(() => {
  const files = {
    "package.json": JSON.stringify({ scripts: { test: "vitest run" }, workspaces: ["packages/*"] }),
    "package-lock.json": "{}",
    ".gitignore": "*.log\n",
  };
  target = folderWith(files, memory);
  for (let folder = 0; folder < folders; folder++) {
    const path = join(target, `packages/package-${folder % 100}/src/part-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < perFolder; file++)
      writeFileSync(join(path, `module-${file}.ts`), file % 10 === 0 ? source : "");
  }
  git(target, "init", "-q");
}, 120_000);

/** Of computing, git's included: how long others keep it waiting is not its doing. */
async function milliseconds(work: () => unknown): Promise<number> {
  const used = () => processorMs() + childMilliseconds();
  const started = used();
  await work();
  return used() - started;
}

/** Of the children that have ended, in hundredths of a second as the kernel counts them. */
function childMilliseconds(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

const list = () => git(target, "ls-files", "-z", "--cached", "--others", "--exclude-standard");

it("D5 discovers a repository of 50,000 files in at most twice the time of git ls-files plus a second", async () => {
  let found = await contextOf(target);
  const rounds: { listing: number; discovery: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const listing = await milliseconds(list);
    const discovery = await milliseconds(async () => {
      found = await contextOf(target);
    });
    rounds.push({ listing, discovery });
  }
  const listing = Math.min(...rounds.map((round) => round.listing));
  const discovery = Math.min(...rounds.map((round) => round.discovery));
  const ratio = (discovery / listing).toFixed(2);
  console.log(
    `50,000 files: git ls-files ${listing.toFixed(0)} ms, discovery ${discovery.toFixed(0)} ms, ratio ${ratio}`,
  );
  const { structure, workspaces } = found;
  expect(structure).toMatchObject({ listed_by: "git", files: folders * perFolder + 3, complete: true });
  expect(workspaces).toEqual([]);
  expect(discovery).toBeLessThan(2 * listing + 1000);
});

it("D5 discovers them in bounded time without git as well", async () => {
  git(target, "config", "core.repositoryFormatVersion", "99");
  let found = await contextOf(target);
  const walking = await milliseconds(async () => {
    found = await contextOf(target);
  });
  console.log(`50,000 files: discovery by a walk ${walking.toFixed(0)} ms`);
  expect(found.structure).toMatchObject({ listed_by: "walk", files: folders * perFolder + 3 });
  expect(walking).toBeLessThan(6000);
});
