// Whether the files that a test command names can be red at all. A file that prints "5 passed", a test without a body and
// `expect(true).toBe(true)` are green whatever the work is. Only what can be read for certain counts: each line must be one
// of a few harmless forms, and a program with any other line may fail.

/** What runs the files that stand behind it, and the words between that are no file. */
const runners = new Set(
  "node nodejs tsx bun python python3 pytest py.test unittest vitest jest ava tape".split(" "),
);
const notFiles = new Set(["run", "test", "exec"]);
const launcher = /^(?:npx(?: --?[a-z-]{1,20}){0,2}|bunx|(?:pnpm|yarn|npm) (?:exec|dlx)(?: --)?|python3? -m) /;
const longestLine = 1000;

/** The first file and its text, where all that the command names are files that cannot fail; nothing where one may. */
export function emptyProgram(
  words: readonly string[],
  textOf: (path: string) => string | undefined,
): string | undefined {
  const [program = "", ...args] = words.join(" ").replace(launcher, "").split(" ");
  if (!runners.has(program) || args.some((arg) => /^--?[\w-]+=|^-[cep]$|^--(?:eval|print)$/.test(arg)))
    return undefined;
  const files = args.filter((arg) => !arg.startsWith("-") && !notFiles.has(arg));
  const texts = files.map((path) => {
    const text = textOf(path);
    return text !== undefined && isEmpty(path, text) ? text : undefined;
  });
  const [text] = texts;
  if (text === undefined || texts.includes(undefined)) return undefined;
  return text.trim() === "" ? `${files[0]} (empty)` : `${files[0]}: ${text.trim()}`;
}

function isEmpty(path: string, text: string): boolean {
  const form = /\.[cm]?[jt]sx?$/.test(path) ? javascript : path.endsWith(".py") ? python : undefined;
  if (!form) return false;
  const plain = form === javascript ? withoutBlocks(text) : text;
  return plain.split("\n").every((line) => line.length < longestLine && form.test(line.trim()));
}

/** Without the lines of a comment. Where one ends and code follows on its line, that line stays and is no harmless form. */
function withoutBlocks(text: string): string {
  let inside = false;
  return text
    .split("\n")
    .filter((each) => {
      const line = each.trim();
      const within = inside || line.startsWith("/*");
      const end = line.indexOf("*/", inside ? 0 : 2);
      inside = within && end < 0;
      return !within || (end >= 0 && end + 2 < line.length);
    })
    .join("\n");
}

// Each form begins in its own way, so that there is one way to read a line: with two, a refusal could take for ever.
const word = String.raw`(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`;
const words = String.raw`\((?:(?:${word}|\`[^\`\\$]*\`)[\s,+]*)*\)`;
/** A module of the tree's own may fail when it is loaded. */
const testLibrary = String.raw`["'](?:node:[\w/]{1,40}|assert|vitest|@jest/globals|bun:test|chai)["']`;

const javascript = lineOf({
  comment: "//",
  forms: [
    `(?:console\\.(?:log|info|warn|error|debug)|process\\.stdout\\.write)${words}`,
    String.raw`process\.exit\(0?\)`,
    String.raw`process\.exitCode = 0`,
    `import [\\w {},*]{1,200} from ${testLibrary}`,
    `(?:const|let|var) [\\w {},:]{1,200} = require\\(${testLibrary}\\)`,
    `(?:describe|suite|test|it)(?:\\.only)?\\(${word}, (?:async )?(?:\\(\\w{0,9}\\) =>|function ?\\(\\)) ?\\{`,
    String.raw`\}\)`,
    String.raw`assert(?:\.ok)?\((?:true|1)\)`,
    String.raw`assert\.\w{1,30}\((?:true, true|1, 1)\)`,
    String.raw`expect\((?:true\)\.to(?:Be|Equal|StrictEqual)\(true|1\)\.to(?:Be|Equal|StrictEqual)\(1|true\)\.toBeTruthy\()\)`,
    `["']use strict["']`,
  ],
});

const python = lineOf({
  comment: "#",
  forms: [
    `print${words}`,
    "pass",
    String.raw`\.\.\.`,
    String.raw`(?:sys\.)?exit\(0?\)`,
    "import (?:sys|os|re|json|unittest|pytest)",
    String.raw`(?:async )?def \w{1,99}\((?:self)?\):`,
    String.raw`class \w{1,99}(?:\([\w.]{0,99}\))?:`,
    `if __name__ == ${word}:`,
    String.raw`unittest\.main\(\)`,
    "assert (?:True|1 == 1)",
    String.raw`self\.assert(?:True\(True|Equal\(1, 1)\)`,
  ],
});

/** Any number of these on one line, and a comment at its end. */
function lineOf({ comment, forms }: { comment: string; forms: readonly string[] }): RegExp {
  return new RegExp(`^(?:(?:${forms.join("|")})[\\s;]*)*(?:${comment}.*|#!.*)?$`);
}
