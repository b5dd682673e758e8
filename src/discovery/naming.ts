// How files and functions are named. One word in small letters fits every style, so it counts for none; a style that
// less than three in five share is called mixed.
import type { Naming } from "./project-context.ts";
import type { Opened, Survey } from "./survey.ts";

const clearShare = 0.6;

const js = [
  /\bfunction\*?[ \t]+([A-Za-z_$][\w$]*)/g,
  /^[ \t]*(?:export[ \t]+)?const[ \t]+([A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:async[ \t]*)?(?:\([^()\n]{0,200}\)|\w+)[ \t]*(?::[^=\n]{1,80})?=>/gm,
];
const typed =
  /\b(?:public|private|protected|internal)[ \t]+(?:(?:static|final|async|override|virtual|abstract|synchronized)[ \t]+){0,4}[\w<>[\],.?]{1,80}[ \t]+(\w+)[ \t]*\(/g;
const c = [/^(?:[A-Za-z_]\w*[ \t*]+){1,5}(\w+)[ \t]*\([^;{}\n]{0,200}\)[ \t]*\{?$/gm];

const functionNames: Readonly<Record<string, readonly RegExp[]>> = {
  TypeScript: js,
  JavaScript: js,
  Python: [/^[ \t]*(?:async[ \t]+)?def[ \t]+([A-Za-z]\w*)/gm],
  Rust: [/\bfn[ \t]+(\w+)/g],
  Go: [/^func[ \t]+(?:\([^)\n]{0,100}\)[ \t]*)?(\w+)/gm],
  Java: [typed],
  "C#": [typed],
  Kotlin: [/\bfun[ \t]+(?:<[^>\n]{0,80}>[ \t]*)?(\w+)/g],
  Ruby: [/^[ \t]*def[ \t]+(?:self\.)?(\w+)/gm],
  PHP: [/\bfunction[ \t]+([A-Za-z]\w*)/g],
  Swift: [/\bfunc[ \t]+(\w+)/g],
  Elixir: [/^[ \t]*defp?[ \t]+(\w+)/gm],
  C: c,
  "C++": c,
};

export function namingOf({ sources, main, opened }: Survey): Naming[] {
  return main
    .map((language) => {
      const names = sources.filter((file) => file.language === language).map(({ path }) => stemOf(path));
      return { language, files: styleOf(names), functions: styleOf(functionsOf(language, opened)) };
    })
    .filter(({ files, functions }) => files !== null || functions !== null);
}

function functionsOf(language: string, opened: readonly Opened[]): string[] {
  const own = opened.filter((file) => file.language === language && !file.isTest);
  return own.flatMap(({ code }) =>
    (functionNames[language] ?? []).flatMap((pattern) =>
      [...code.matchAll(pattern)].map(([, name = ""]) => name),
    ),
  );
}

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.slice(0, name.indexOf(".") < 1 ? name.length : name.indexOf(".")).replace(/^_+|_+$/g, "");
}

function styleOf(names: readonly string[]): { style: string; share: number } | null {
  const counts = new Map<string, number>();
  let plain = 0;
  for (const name of names) {
    const style = classify(name);
    if (style === undefined) continue;
    if (style === "lower case") plain++;
    else counts.set(style, (counts.get(style) ?? 0) + 1);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const [style, count] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0] ?? [undefined, 0];
  if (style === undefined) return plain === 0 ? null : { style: "lower case", share: 1 };
  const share = Math.round((count / total) * 100) / 100;
  return { style: share >= clearShare ? style : `mixed, mostly ${style}`, share };
}

function classify(name: string): string | undefined {
  if (/^[a-z][a-z0-9]*$/.test(name)) return "lower case";
  if (/^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(name)) return "snake_case";
  if (/^[a-z0-9]+(?:-[a-z0-9]+)+$/.test(name)) return "kebab-case";
  if (/^[a-z][A-Za-z0-9]*$/.test(name)) return "camelCase";
  if (/^[A-Z][A-Za-z0-9]*$/.test(name)) return "PascalCase";
  return undefined;
}
