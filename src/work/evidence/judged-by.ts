// Whether a task changed how it is judged: files that runners, build tools and interpreters read (`judging-files.ts`), modules
// that stand in for others, tests that were there before, scripts that its commands name. What the task declares is its
// own business and is named in the evidence; the rest is refused, unless a person allows it (`judging` in the configuration).
import { recordIn } from "../../core/json.ts";
import type { TaskDef } from "../../core/run.ts";
import type { Change } from "../../host/git/changes.ts";
import { fields, runGit } from "../../host/git/git.ts";
import type { Repository } from "../../host/git/repository.ts";
import { isTurnOver, nextTurn } from "../../host/turns.ts";
import { lockFiles, pythonModules, readerOf } from "./judging-files.ts";

export interface Judged {
  readonly repository: Repository;
  readonly base: string;
  readonly tree: string;
  readonly changes: readonly Change[];
  readonly def: TaskDef;
  /** What a person lets every task change: paths, folders with a slash at their end, names without one, or `*`. */
  readonly allowed: readonly string[];
}

export interface Judging {
  /** Of undeclared files, with what each of them decides. */
  readonly refused: readonly string[];
  /** Of declared and allowed ones. */
  readonly named: readonly string[];
}

const most = 20;

export async function judgedBy(judged: Judged): Promise<Judging> {
  const { repository, def, changes, allowed } = judged;
  const declared = new Set(def.files.map(({ path }) => repository.prefix + path));
  const [refused, named]: [string[], string[]] = [[], []];
  const newTests: string[] = [];
  for (const change of changes) {
    // A change may have 200,000 files, and other attempts are under way in this process.
    if (isTurnOver()) await nextTurn();
    const own = declared.has(change.path) || isAllowed(change.path, allowed);
    const why = await meaningOf(judged, change);
    if (why !== undefined) (own ? named : refused).push(`${change.path} (${why})`);
    // A test that the plan asks for and the plan's own command runs is the work itself.
    else if (!own && change.status === "added" && isNamed(judged, change.path))
      named.push(`${change.path} (added; its acceptance commands run it)`);
    else if (!own && change.status === "added" && isCode(change.path)) newTests.push(change.path);
    if (refused.length >= most) break;
  }
  if (newTests.length > 0 && refused.length < most) refused.push(...(await takingOver(judged, newTests)));
  return { refused: refused.slice(0, most), named: named.slice(0, most) };
}

function isAllowed(path: string, allowed: readonly string[]): boolean {
  return allowed.some(
    (each) =>
      each === "*" ||
      each === path ||
      (each.endsWith("/") && path.startsWith(each)) ||
      (!each.includes("/") && path.endsWith(`/${each}`)),
  );
}

/** What a change decides, by its path and, for manifests, by what is different in them. */
async function meaningOf(judged: Judged, change: Change): Promise<string | undefined> {
  const { path, status } = change;
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const reader = readerOf(path);
  if (name === "package.json" && reader !== undefined) return packageChange(judged, change);
  if (reader !== undefined)
    return (await isOnlyNeeds(judged, change)) ? undefined : `${status}; ${reader} reads it`;
  if (lockFiles[name] !== undefined) return lockChange(judged, change, lockFiles[name]);
  const shadow = shadowOf(judged, path);
  if (shadow !== undefined && status !== "deleted")
    return `${status}; python imports it in place of ${shadow}`;
  if (status === "added") return undefined;
  if (isTest(path)) return `${status}; a test that was there before`;
  return isNamed(judged, path) ? `${status}; its acceptance commands run it` : undefined;
}

const testFolder = /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\//i;
const testFile =
  /(?:[._-](?:test|spec|e2e|check)s?\.\w+|^test_.*\.py|_test\.\w+|Tests?\.(?:java|kt|cs|scala|php|swift))$|^(?:test|check|verify|ci)[\w-]*\.(?:sh|bash|js|mjs|cjs|ts|py|rb|pl)$/;

/** A test, or a script with the name of one. */
function isTest(path: string): boolean {
  if (path.endsWith(".md")) return false;
  return testFolder.test(path) || testFile.test(path.slice(path.lastIndexOf("/") + 1));
}

/** A test that a runner loads as a program. */
const isCode = (path: string) =>
  isTest(path) && /\.(?:[cm]?[jt]sx?|py|go|rb|exs?|php|java|kt|scala|cs|rs|dart|swift)$/.test(path);

/** A script, or a test, that an acceptance command names. */
function isNamed({ repository: { prefix }, def }: Judged, path: string): boolean {
  if (!isTest(path) && !/\.(?:sh|bash)$|(?:^|\/)[^./]+$/.test(path)) return false;
  return def.criteria.some(({ command }) => wordsIn(command).some((word) => prefix + word === path));
}

const wordsIn = (command: string) =>
  command.split(/[\s"'=;|&()<>]+/).map((word) => word.replace(/^\.\//, "").replace(/(?<!\/)\/+$/, ""));

/** Folders in which Python looks first: where a command runs, what it names, and where tests lie. */
function shadowOf({ repository: { prefix }, def }: Judged, path: string): string | undefined {
  const parts = path.split("/");
  const last = parts.pop() ?? "";
  const isPackage = /^__init__\.(?:py|pyc|so)$/.test(last);
  // A link without an ending may lead to a package.
  const module = isPackage
    ? (parts.pop() ?? "")
    : (/^(\w+)(?:(?:\.\S+)?\.(?:py|pyc|so|pyd))?$/.exec(last)?.[1] ?? "");
  if (!pythonModules.has(module)) return undefined;
  const folder = parts.join("/");
  const isRoot = folder === "" || `${folder}/` === prefix || /^(?:src|lib|python)$/.test(folder);
  const isBeside = def.criteria.some(({ command }) =>
    wordsIn(command).some((word) => word !== "" && isIn(prefix + word, folder)),
  );
  return isRoot || testFolder.test(`${folder}/`) || isBeside ? module : undefined;
}

/** Whether a path is this folder, or a file right in it. */
const isIn = (path: string, folder: string) =>
  path === folder || path.slice(0, Math.max(0, path.lastIndexOf("/"))) === folder;

/** What has no say in how tests are run. */
const harmless = new Set(
  "name version description keywords license author contributors maintainers repository homepage bugs funding files private readme dependencies devDependencies peerDependencies peerDependenciesMeta optionalDependencies bundledDependencies sideEffects engines publishConfig".split(
    " ",
  ),
);
const needs = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/** Which of its settings changed: one more dependency from a registry changes nothing, a script does. */
async function packageChange(judged: Judged, { path, status }: Change): Promise<string | undefined> {
  if (status === "deleted") return "deleted";
  const [was, is] = [
    recordIn(await textAt(judged, judged.base, path)),
    recordIn(await textAt(judged, judged.tree, path)),
  ];
  if (!is) return `${status}; it cannot be read`;
  const keys = new Set([...Object.keys(was ?? {}), ...Object.keys(is)]);
  const changed = [...keys].filter((key) => !harmless.has(key) && !isSame(was?.[key], is[key]));
  const scripts = changed.includes("scripts") ? within("scripts", was, is) : [];
  const local = needs.flatMap((key) =>
    within(key, was, is).filter(
      (each) => !/^[\w^~>=<*. |-]*$/.test(String(record(is[key])[each.slice(key.length + 1)] ?? "")),
    ),
  );
  const all = [...scripts, ...changed.filter((key) => key !== "scripts"), ...local];
  return all.length === 0 ? undefined : all.slice(0, 6).join(", ");
}

const record = (value: unknown) =>
  (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function within(
  key: string,
  was: Record<string, unknown> | undefined,
  is: Record<string, unknown>,
): string[] {
  const [before, after] = [record(was?.[key]), record(is[key])];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((each) => !isSame(before[each], after[each]))
    .map((each) => `${key}.${each}`);
}

/** A lock file that changes with its manifest follows it; alone it says which programs are installed. */
function lockChange({ changes }: Judged, { path, status }: Change, of: string): string | undefined {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const follows = changes.some((each) => each.path.toLowerCase() === (folder + of).toLowerCase());
  return follows ? undefined : `${status}; it decides which programs are installed`;
}

/** Of a manifest that was there: whether nothing but what it depends on is different. */
async function isOnlyNeeds(judged: Judged, { path, status }: Change): Promise<boolean> {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const strip =
    name === "go.mod" ? goNeeds : ["cargo.toml", "pyproject.toml"].includes(name) ? tomlNeeds : undefined;
  if (!strip || status !== "modified") return false;
  const [was, is] = [await textAt(judged, judged.base, path), await textAt(judged, judged.tree, path)];
  return was !== undefined && is !== undefined && strip(was) === strip(is);
}

const goNeeds = (text: string) =>
  text
    .split("\n")
    .filter((line) =>
      /^(?:module|go|toolchain|replace|exclude|tool|godebug|ignore|retract)\b|=>/.test(line.trim()),
    )
    .join("\n");

/** A dependency that lies in the tree is a program like any other of it. */
const tomlNeeds = (text: string) =>
  text
    .split(/^(?=\[)/m)
    .filter((section) => !/^\[[^\]\n]*dependenc/.test(section) || /\b(?:path|git|registry) *=/.test(section))
    .flatMap(withoutList)
    .filter((line) => line !== "")
    .join("\n");

/** Its lines, but for `dependencies = [ … ]`. */
function withoutList(section: string): string[] {
  let inside = false;
  return section.split("\n").flatMap((each) => {
    const line = each.trim();
    const began = inside || /^dependencies *= *\[/.test(line);
    inside = began && !line.endsWith("]");
    return began ? [] : [line];
  });
}

/** New tests that are loaded in place of others, or decide about all of them. */
async function takingOver(judged: Judged, paths: readonly string[]): Promise<string[]> {
  const standing = await standsIn(judged, paths);
  const texts = await textsAt(judged, paths);
  return paths.flatMap((path, at) => {
    const text = texts[at];
    const found = text === undefined ? undefined : ends.exec(text)?.[0];
    const other = standing.get(path);
    if (other !== undefined) return [`${path} (added; it may be loaded in place of ${other})`];
    if (text === undefined) return [`${path} (added; it is too large to be looked at)`];
    return found === undefined ? [] : [`${path} (added; \`${found}\` in it decides about all tests)`];
  });
}

/** A new file of the same name but another ending may be loaded before the one that is there. */
async function standsIn(
  { repository, base }: Judged,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const { out } = await runGit(repository, { args: ["ls-tree", "-r", "-z", "--name-only", base] });
  const wanted = new Map(paths.map((path) => [stemOf(path), path]));
  const found = new Map<string, string>();
  for (const there of fields(out)) {
    const path = wanted.get(stemOf(there));
    if (path !== undefined && path !== there && isCode(there)) found.set(path, there);
  }
  return found;
}

/** `test/a` of `test/a.mjs` and of `test/a/index.js`, `test/a.test` of `test/a.test.ts`. */
const stemOf = (path: string) => path.replace(/(?:\/(?:index|__init__|mod))?\.\w+$/, "");

/** A test that ends the whole run, or takes it over, decides about all the others. */
const ends =
  /\bfunc TestMain\s{0,99}\(|\bprocess\.(?:exit\s{0,99}\(\s{0,99}0?\s{0,99}\)|exitCode\s{0,99}=\s{0,99}0)|\bos\._exit\s{0,99}\(\s{0,99}0|\bpytest\.exit\s{0,99}\(|\bpytest_(?:collection|runtest|sessionfinish|configure)\w*\s{0,99}\(|\bos\.Exit\s{0,99}\(\s{0,99}0|\bSystem\.exit\s{0,99}\(\s{0,99}0|\bEnvironment\.Exit\s{0,99}\(\s{0,99}0|\bprocess::exit\s{0,99}\(\s{0,99}0|\bexit!\s{0,99}\(?\s{0,99}(?:0|true)/;

const limitBytes = 4 * 1024 * 1024;

async function textAt({ repository }: Judged, at: string, path: string): Promise<string | undefined> {
  const { out, code } = await runGit(repository, {
    args: ["cat-file", "blob", `${at}:${path}`],
    maxBytes: limitBytes,
  });
  return code === 0 ? out.toString("utf8") : undefined;
}

/** Many at once, by one process; undefined for those that do not fit. */
async function textsAt(
  { repository, tree }: Judged,
  paths: readonly string[],
): Promise<(string | undefined)[]> {
  const { out } = await runGit(repository, {
    args: ["cat-file", "--batch"],
    input: paths.map((path) => `${tree}:${path.replaceAll("\n", "")}\n`).join(""),
    maxBytes: 16 * limitBytes,
  });
  let at = 0;
  return paths.map(() => {
    const end = out.indexOf(10, at);
    const [, kind, size] = out.toString("utf8", at, Math.max(at, end)).split(" ");
    at = end < 0 ? out.length : end + 1;
    const bytes = Number(size);
    if (kind !== "blob" || at + bytes > out.length) return undefined;
    at += bytes + 1;
    return bytes > limitBytes ? undefined : out.toString("utf8", at - bytes - 1, at - 1);
  });
}
