// What a file offers to others: its exported declarations, by the look of their first line. It is a help for the
// agent that builds on it, not a parser: bounded, and wrong at worst by leaving something out.

const declarations: Readonly<Record<string, RegExp>> = {
  js: /^export\s+(?:default\s+)?(?:async\s+)?(?:function|class|const|let|abstract|interface|type|enum)\b.*/,
  py: /^(?:async\s+def|def|class)\s+[A-Za-z]\w*.*/,
  go: /^(?:func\s+(?:\([^)]*\)\s*)?[A-Z]\w*.*|type\s+[A-Z]\w*.*)/,
  rs: /^pub(?:\([^)]*\))?\s+(?:async\s+)?(?:fn|struct|enum|trait|type|const|mod)\b.*/,
  java: /^\s*(?:public|protected)\s+\S.*[({]\s{0,40}$/,
  rb: /^\s*(?:def|class|module)\s+\S.*/,
  php: /^\s*(?:public\s+)?(?:static\s+)?(?:function|class|interface|trait)\s+\w.*/,
};

const languages: Readonly<Record<string, string>> = {
  js: "js",
  mjs: "js",
  cjs: "js",
  jsx: "js",
  ts: "js",
  mts: "js",
  tsx: "js",
  py: "py",
  go: "go",
  rs: "rs",
  java: "java",
  kt: "java",
  cs: "java",
  rb: "rb",
  php: "php",
};

const most = 40;
const longest = 200;

const declarationIn = (path: string) => declarations[languages[path.split(".").at(-1) ?? ""] ?? ""];

/** Whether it is worth reading. */
export const hasInterface = (path: string) => declarationIn(path) !== undefined;

export function interfaceOf(path: string, text: string): string[] {
  const declaration = declarationIn(path);
  if (!declaration) return [];
  const found: string[] = [];
  for (const line of text.slice(0, 400_000).split("\n")) {
    if (!declaration.test(line)) continue;
    found.push(
      line
        .trimEnd()
        .slice(0, longest)
        .replace(/(?<!\s)\s*\{$/, ""),
    );
    if (found.length === most) break;
  }
  return found;
}
