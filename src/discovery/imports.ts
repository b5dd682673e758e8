// How files of the project name each other: relative or from a root, with or without extension, ES modules or CommonJS.
// Packages from outside are left aside where they can be told apart: they are the same in every style.
import { plain } from "./plain.ts";
import type { Imports } from "./project-context.ts";
import type { Opened, Survey } from "./survey.ts";

const maxExamples = 4;

interface Count {
  relative: number;
  absolute: number;
  written: number;
  omitted: number;
  esm: number;
  cjs: number;
  readonly examples: Map<"relative" | "absolute", string[]>;
}

type Look = (file: Opened, count: Count, roots: ReadonlySet<string>) => void;

const looks: Readonly<Record<string, Look>> = {
  TypeScript: javascript,
  JavaScript: javascript,
  Vue: javascript,
  Svelte: javascript,
  Python: python,
  Rust: lines(
    /^[ \t]*(?:pub[ \t]+)?use[ \t]+(?:super|self)::.*$/gm,
    /^[ \t]*(?:pub[ \t]+)?use[ \t]+crate::.*$/gm,
  ),
  Ruby: lines(/^[ \t]*require_relative[ \t].*$/gm, /^[ \t]*require[ \t].*$/gm),
  PHP: lines(/^[ \t]*(?:require|include)(?:_once)?\b.*$/gm, /^use[ \t]+[A-Z\\].*$/gm),
  Go: lines(
    /^[ \t]*(?:import[ \t]+)?"\.\.?\/.*"$/gm,
    /^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?"[\w-]+\.[\w.-]+\/.*"$/gm,
  ),
  Java: lines(/^import[ \t]+\.$/gm, /^import[ \t]+(?!javax?\.)[\w.*]+;$/gm),
  Kotlin: lines(/^import[ \t]+\.$/gm, /^import[ \t]+(?!javax?\.|kotlin)[\w.*]+$/gm),
  "C#": lines(/^using[ \t]+\.$/gm, /^using[ \t]+(?!System)[\w.]+;$/gm),
  C: lines(/^#[ \t]*include[ \t]*"[^"]+"/gm, /^#[ \t]*include[ \t]*<[^>\n]{0,200}\/[^>\n]{0,200}>/gm),
  "C++": lines(/^#[ \t]*include[ \t]*"[^"]+"/gm, /^#[ \t]*include[ \t]*<[^>\n]{0,200}\/[^>\n]{0,200}>/gm),
};

export function importsOf({ opened, sources, main }: Survey): Imports[] {
  const roots = packageRoots(sources.map(({ path }) => path));
  return main.flatMap((language) => {
    const look = looks[language];
    const all = opened.filter((file) => file.language === language);
    const own = all.some(({ isTest }) => !isTest) ? all.filter(({ isTest }) => !isTest) : all;
    if (look === undefined || own.length === 0) return [];
    const count: Count = {
      ...{ relative: 0, absolute: 0, written: 0, omitted: 0, esm: 0, cjs: 0 },
      examples: new Map(),
    };
    for (const file of own) look(file, count, roots);
    return count.relative + count.absolute === 0 ? [] : [summed(language, count)];
  });
}

function summed(language: string, count: Count): Imports {
  const paths = majority(["relative", count.relative], ["absolute", count.absolute]);
  const [first, second] =
    paths === "absolute" ? (["absolute", "relative"] as const) : (["relative", "absolute"] as const);
  const modules = count.esm + count.cjs > 0 ? majority(["esm", count.esm], ["cjs", count.cjs]) : undefined;
  const extensions =
    count.written + count.omitted > 0
      ? majority(["written", count.written], ["omitted", count.omitted])
      : undefined;
  const examples = [...(count.examples.get(first) ?? []), ...(count.examples.get(second) ?? [])];
  return {
    language,
    paths,
    ...(modules === undefined ? {} : { modules }),
    ...(extensions === undefined ? {} : { extensions }),
    examples: examples.slice(0, maxExamples).map((line) => plain(line, 100)),
  };
}

/** A fifth of exceptions is still a habit. */
function majority<A extends string, B extends string>(
  a: readonly [A, number],
  b: readonly [B, number],
): A | B | "mixed" {
  const total = a[1] + b[1];
  if (a[1] >= total * 0.8) return a[0];
  return b[1] >= total * 0.8 ? b[0] : "mixed";
}

function note(count: Count, how: "relative" | "absolute", line: string): void {
  count[how]++;
  const kept = count.examples.get(how) ?? [];
  const text = line.trim();
  if (kept.length < maxExamples && text.length <= 100 && !kept.includes(text)) kept.push(text);
  count.examples.set(how, kept);
}

function javascript({ code }: Opened, count: Count): void {
  for (const [line, esm, cjs] of code.matchAll(
    /^[^\n]{0,300}?(?:\bfrom[ \t]*["']([^"'\n]+)["']|\brequire\([ \t]*["']([^"'\n]+)["'][ \t]*\)).*$/gm,
  )) {
    const from = esm ?? cjs ?? "";
    if (esm === undefined) count.cjs++;
    else count.esm++;
    if (/^\.\.?(?:\/|$)/.test(from)) {
      note(count, "relative", line);
      if (/\.(?:[cm]?[jt]sx?|json|vue|svelte)$/.test(from)) count.written++;
      else count.omitted++;
    } else if (/^(?:@\/|~\/?|#|src\/|\$lib)/.test(from)) note(count, "absolute", line);
  }
}

/** An absolute import counts when its first part is a folder or a file of the project. */
function python({ code }: Opened, count: Count, roots: ReadonlySet<string>): void {
  for (const [line, from, plainly] of code.matchAll(
    /^[ \t]{0,40}(?:from[ \t]{1,40}([\w.]{1,400})[ \t]{1,40}import\b|import[ \t]{1,40}([\w.]{1,400})).*$/gm,
  )) {
    const name = from ?? plainly ?? "";
    if (name.startsWith(".")) note(count, "relative", line);
    else if (roots.has(name.split(".")[0] ?? "")) note(count, "absolute", line);
  }
}

function packageRoots(paths: readonly string[]): Set<string> {
  const roots = new Set<string>();
  for (const path of paths) {
    const [first = "", second] = path.split("/", 2);
    if (path.endsWith(".py")) roots.add(second === undefined ? first.slice(0, -3) : first);
    if (second !== undefined && path.endsWith(".py")) roots.add(second.replace(/\.py$/, ""));
  }
  return roots;
}

function lines(relative: RegExp, absolute: RegExp): Look {
  return ({ code }, count) => {
    for (const [line] of code.matchAll(relative)) note(count, "relative", line);
    for (const [line] of code.matchAll(absolute)) note(count, "absolute", line);
  };
}
