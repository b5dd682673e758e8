// Every console block of the README and of docs/ is run, page by page, in a scratch project, and what it prints is compared with
// what the page says. Blocks that cannot run here say why in the page's source; both kinds are counted. `npm test` runs those of
// the README; `npm run docs` runs all of them, as CI does.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { hasBox } from "../needs.ts";
import { isPrinted, type Page, pageAt, type Step } from "./blocks.ts";
import { type Scratch, scratch } from "./scratch.ts";

const root = join(import.meta.dirname, "../..");
const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
const names = [
  "README.md",
  ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
].sort();
const pages = new Map(names.map((name) => [name, pageAt(join(root, name))]));
const all = [...pages.values()].flatMap(({ blocks }) => blocks);

const runsAll = process.env.HEDDLE_DOCS === "all";

interface Shell extends Scratch {
  cwd: string;
}

/** Runs a line in the shell of a page: the next one begins in the folder where this one ended. */
function type(shell: Shell, command: string): Promise<{ code: number; printed: string }> {
  const place = join(shell.root, ".cwd");
  const line = `${command}\ncode=$?; pwd > '${place}'; exit $code`;
  const env = { ...shell.env, HOME: shell.root, LANG: "C.UTF-8" };
  return new Promise((settle) => {
    execFile(
      "sh",
      ["-c", `exec 2>&1\n${line}`],
      { cwd: shell.cwd, env, timeout: 120_000 },
      (error, printed) => {
        if (existsSync(place)) shell.cwd = readFileSync(place, "utf8").trim();
        settle({
          code: error ? Number(error.code ?? 1) : 0,
          printed: printed.replace(/^note: added .*\n/m, ""),
        });
      },
    );
  });
}

/** What is wrong with a step, if anything is. */
async function tried(shell: Shell, { command, printed, line }: Step): Promise<string[]> {
  const ran = await type(shell, command);
  const isMistake = printed.some((each) => each.startsWith("error:"));
  const wrong = `line ${line}: \`${command}\``;
  if (ran.code !== 0 && !isMistake && printed.length === 0)
    return [`${wrong} ended with ${ran.code} and printed:\n${ran.printed}`];
  if (printed.length > 0 && !isPrinted(printed, ran.printed))
    return [`${wrong} printed:\n${ran.printed}\nand the page says:\n${printed.join("\n")}`];
  return [];
}

async function runPage({ blocks, files }: Page): Promise<string[]> {
  const made = scratch();
  const shell = { ...made, cwd: made.root };
  const wrong: string[] = [];
  let from = 0;
  for (const { steps, notRun, line } of blocks) {
    if (notRun !== undefined) continue;
    for (const file of files.filter((each) => each.line > from && each.line < line)) {
      const path = join(shell.cwd, file.path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file.text, { mode: file.text.startsWith("#!") ? 0o755 : 0o644 });
    }
    from = line;
    for (const step of steps) wrong.push(...(await tried(shell, step)));
  }
  return wrong;
}

describe(`console blocks${hasBox ? "" : " (left out without bubblewrap)"}`, () => {
  for (const [name, page] of pages)
    if (page.blocks.some(({ notRun }) => notRun === undefined) && (runsAll || name === "README.md"))
      it(`C15 ${name} prints what it says`, {
        timeout: 240_000,
        skip: !hasBox,
        concurrent: runsAll,
      }, async () => {
        expect(await runPage(page)).toEqual([]);
      });

  it("C15 counts those that are run, and those that say why they are not", () => {
    const run = all.filter(({ notRun }) => notRun === undefined);
    expect({ run: run.length, notRun: all.length - run.length }).toEqual({ run: 23, notRun: 28 });
  });

  it("C15 leaves no command in a block that nothing tries", () => {
    const untried = [...pages].flatMap(([name, page]) => page.untried.map((line) => `${name}:${line}`));
    expect(untried).toEqual([]);
  });

  it("C15 understands `…` as any lines, and in a line as anything in it", () => {
    expect(isPrinted(["a", "…", "d…f"], "a\nb\nc\nd e f\n")).toBe(true);
    expect(isPrinted(["a", "…"], "a\n")).toBe(true);
    expect(isPrinted(["a", "d"], "a\nb\nd\n")).toBe(false);
    expect(isPrinted(["a…"], "b\n")).toBe(false);
  });
});

describe("links", () => {
  const packed = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] }).files;
  const isPacked = (path: string) =>
    ["README.md", "LICENSE", "package.json", ...packed].some(
      (part) => path === part || path.startsWith(`${part}/`),
    );

  it("C15 every relative link of README and docs leads to a file of the package, and to a heading that is there", () => {
    const wrong = names.flatMap((name) => {
      const text = readFileSync(join(root, name), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to);
      return links.filter((to) => !/^[a-z]+:/.test(to) && !leads(name, to)).map((to) => `${name}: ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  function leads(from: string, to: string): boolean {
    const [path = "", anchor] = to.split("#");
    const file = path === "" ? from : normalize(join(dirname(from), path));
    if (!existsSync(join(root, file)) || !isPacked(file)) return false;
    return anchor === undefined || anchorsOf(file).has(anchor);
  }

  /** As GitHub makes them. */
  function anchorsOf(file: string): Set<string> {
    const headings = readFileSync(join(root, file), "utf8").matchAll(/^#+ (.*)$/gm);
    const anchor = (text: string) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-");
    return new Set([...headings].map(([, text = ""]) => anchor(text)));
  }
});
