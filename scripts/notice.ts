// NOTICE: every package whose code is in `dist`, by the module graph of the build, with its version, its copyright and the
// text of its licence. The build writes it (`rolldown.config.ts`); `node scripts/notice.ts --check` builds in memory and
// exits 1 when NOTICE says something else.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const file = join(root, "NOTICE");

type Files = Readonly<Record<string, { readonly type: string; readonly moduleIds?: readonly string[] }>>;

/** Folders of the packages that something was taken from; rolldown's own runtime is part of no package. */
export function packagesIn(files: Files): string[] {
  const modules = Object.values(files).flatMap(({ moduleIds = [] }) => moduleIds);
  return [...new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))];
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly copyright: readonly string[];
  /** Without the lines that say whose it is. */
  readonly terms: string;
}

function packageAt(folder: string): Package {
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
  const [name, version, licence] = [String(about.name), String(about.version), licenceOf(folder, about)];
  const from = readdirSync(folder).find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each));
  const lines = from === undefined ? [] : readFileSync(join(folder, from), "utf8").split(/\r?\n/);
  const isOwner = (line: string) =>
    /^\W*(?:mit license\W+)?(?:copyright\b(?! (?:notice|holders?))|\(c\))/i.test(line);
  const copyright = lines.filter(isOwner).map((line) => line.trim());
  const terms = lines.filter(
    (line) =>
      !isOwner(line) && !/^\W*\(?the (mit|isc) licen[cs]e\)?\W*$|^\W*(mit|isc) licen[cs]e\W*$/i.test(line),
  );
  if (terms.join("").trim() === "" && copyright.length === 0)
    return { name, version, licence, copyright: [`by ${author(about)}`], terms: "" };
  return { name, version, licence, copyright, terms: paragraphs(terms) };
}

/** Older packages say it in a list, or in their readme alone. */
function licenceOf(folder: string, { license, licenses }: Record<string, unknown>): string {
  const [first] = Array.isArray(licenses) ? (licenses as { type?: unknown }[]) : [];
  const said = license ?? first?.type;
  if (said !== undefined) return String(said);
  const readme = readdirSync(folder).find((each) => /^readme/i.test(each));
  const text = readme === undefined ? "" : readFileSync(join(folder, readme), "utf8");
  const [, word] = /\b(MIT|ISC|BSD|Apache)\b[^\n]{0,20}licen[cs]e/i.exec(text) ?? [];
  if (word === undefined) throw new Error(`the package in ${folder} says nothing of its licence`);
  return word;
}

function author({ author: said, contributors }: Record<string, unknown>): string {
  const [first] = Array.isArray(contributors) ? contributors : [];
  const one = said ?? first ?? "its authors";
  return typeof one === "string" ? one : String((one as { name?: unknown }).name);
}

/** One line per paragraph, so that the same terms with other line breaks are the same terms. */
function paragraphs(lines: readonly string[]): string {
  const whole = lines.map((line) => line.trim()).join("\n");
  return whole
    .split(/\n{2,}/)
    .map((each) => each.replaceAll("\n", " ").trim())
    .filter((each) => each !== "")
    .join("\n\n");
}

export function noticeOf(folders: readonly string[]): string {
  const packages = folders.map(packageAt).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const unique = [...new Map(packages.map((each) => [`${each.name} ${each.version}`, each])).values()];
  const groups = new Map<string, Package[]>();
  for (const each of unique) {
    const key = each.terms === "" ? `The ${each.licence} licence, as its package says.` : each.terms;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const parts = [...groups].map(([terms, members]) => {
    const lines = members.map(({ name, version, licence, copyright }) =>
      [`  ${name} ${version} (${licence})`, ...copyright.map((line) => `    ${line}`)].join("\n"),
    );
    return `${lines.join("\n")}\n\n${wrapped(terms)}`;
  });
  const rule = "-".repeat(100);
  return `heddle's bundle contains code of these ${unique.length} packages. The build writes this file.\n\n${parts.join(`\n\n${rule}\n\n`)}\n`;
}

function wrapped(text: string): string {
  return text
    .split("\n\n")
    .map((paragraph) =>
      paragraph
        .split(" ")
        .reduce<string[]>((lines, word) => {
          const line = lines.at(-1);
          if (line !== undefined && line.length + word.length < 100)
            lines[lines.length - 1] = `${line} ${word}`;
          else lines.push(word);
          return lines;
        }, [])
        .join("\n"),
    )
    .join("\n\n");
}

/** Collects over all outputs of one build; what is only made in memory writes nothing. */
export function noticing(outputs: number) {
  const found = new Set<string>();
  let seen = 0;
  return {
    name: "notice",
    writeBundle(_: object, files: Files) {
      for (const folder of packagesIn(files)) found.add(folder);
      seen++;
      if (seen % outputs !== 0) return;
      const text = noticeOf([...found]);
      if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
    },
  };
}

/** What NOTICE should say now. */
export async function noticeNow(): Promise<string> {
  const [{ rolldown }, { default: builds }] = await Promise.all([
    import("rolldown"),
    import("../rolldown.config.ts"),
  ]);
  const folders = new Set<string>();
  for (const { output, ...input } of builds) {
    const build = await rolldown(input);
    const { output: chunks } = await build.generate(Array.isArray(output) ? output[0] : output);
    for (const folder of packagesIn(Object.fromEntries(chunks.map((each) => [each.fileName, each]))))
      folders.add(folder);
    await build.close();
  }
  return noticeOf([...folders]);
}

async function main(): Promise<void> {
  const text = await noticeNow();
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error("NOTICE is not current: npm run build");
    process.exitCode = 1;
  }
}

// Not awaited here: the configuration of the build imports this file.
if (process.argv[1] === import.meta.filename) {
  process.chdir(root);
  void main();
}
