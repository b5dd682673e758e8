// Fields with two names: `title` here and `name` there, `userId` here and `user_id` there. Two names that ever stand
// side by side in one object are two fields, and not reported.
import { type Node, parseTree } from "jsonc-parser";
import { closing } from "../code.ts";
import { type Finding, finding } from "../finding.ts";
import type { Code, Seen } from "../see.ts";
import type { Lines, SkillFile } from "../skill.ts";

interface Shape extends Lines {
  readonly file: SkillFile;
  /** What the object is called: its key, its type, its variable. */
  readonly of: string;
  readonly keys: readonly string[];
}

const synonyms: readonly (readonly [string, string])[] = [
  ["name", "title"],
  ["id", "identifier"],
  ["status", "state"],
  ["error", "errors"],
];

export function renamedFields({ codes, documents, skill }: Seen): Finding[] {
  const shapes = [
    ...codes.flatMap(shapesInCode),
    ...documents.flatMap((file) =>
      file.blocks
        .filter(({ language, isWarning }) => /^json/.test(language) && !isWarning)
        .flatMap(({ text, line }) => shapesInJson(file, text, line)),
    ),
    ...skill.files
      .filter(({ path }) => path.endsWith(".json"))
      .flatMap((file) => shapesInJson(file, file.text, 1)),
  ];
  const groups = new Map<string, Shape[]>();
  for (const shape of shapes) groups.set(shape.of, [...(groups.get(shape.of) ?? []), shape]);
  return [...groups].flatMap(([of, group]) => clashes(of, group));
}

function clashes(of: string, shapes: readonly Shape[]): Finding[] {
  const all = [...new Set(shapes.flatMap(({ keys }) => keys))].slice(0, 200);
  const pairs = all.flatMap((a, at) =>
    all
      .slice(at + 1)
      .filter((b) => isSame(a, b))
      .map((b) => [a, b] as const),
  );
  return pairs.flatMap(([a, b]) => {
    if (shapes.some(({ keys }) => keys.includes(a) && keys.includes(b))) return [];
    const places = [a, b].map((name) => shapes.find(({ keys }) => keys.includes(name)));
    const [one, other] = places;
    if (!one || !other) return [];
    const description = `\`${of}\` has \`${a}\` in \`${one.file.path}\` line ${one.line}, and \`${b}\` here`;
    return [finding("DF-002", { ...other, description })];
  });
}

function isSame(a: string, b: string): boolean {
  if (synonyms.some(([one, other]) => (a === one && b === other) || (a === other && b === one))) return true;
  // `Id` beside `id` is another language's habit; `user_id` beside `userId` is two habits in one document.
  const plain = (name: string) => name.replaceAll(/[_-]/g, "").toLowerCase();
  return /[_-]/.test(a) !== /[_-]/.test(b) && /^[a-z]/.test(a) && /^[a-z]/.test(b) && plain(a) === plain(b);
}

function shapesInJson(file: SkillFile, text: string, line: number): Shape[] {
  const tree = parseTree(text.slice(0, 200_000), [], { allowTrailingComma: true });
  const shapes: Shape[] = [];
  const visit = (node: Node, of: string) => {
    if (node.type === "object") {
      const keys = (node.children ?? []).map(({ children }) => String(children?.[0]?.value ?? ""));
      const at = line + (text.slice(0, node.offset).match(/\n/g)?.length ?? 0);
      // A document without a name could be anything.
      if (of !== "") shapes.push({ file, of, keys, line: at, endLine: at });
    }
    for (const child of node.children ?? []) {
      if (child.type !== "property") visit(child, of);
      else if (child.children?.[1])
        visit(child.children[1], singular(String(child.children[0]?.value ?? "")));
    }
  };
  if (tree) visit(tree, "");
  return shapes;
}

function shapesInCode({ file, tokens }: Code): Shape[] {
  return tokens.flatMap((token, at): Shape[] => {
    const [next, after] = [tokens[at + 1], tokens[at + 2]];
    const { line } = token;
    if (token.text === "interface" && next && after?.text === "{") {
      const keys = topKeys(tokens.slice(at + 3, closing(tokens, at + 2)).map((each) => each.text));
      return [{ file, of: singular(next.text), keys, line, endLine: line }];
    }
    const isAccess =
      token.kind === "word" && next?.text === "." && after?.kind === "word" && tokens[at + 3]?.text !== "(";
    if (!isAccess || tokens[at - 1]?.text === "." || /^[A-Z]/.test(token.text)) return [];
    return [{ file, of: singular(token.text), keys: [after.text], line, endLine: line }];
  });
}

function topKeys(words: readonly string[]): string[] {
  let depth = 0;
  return words.flatMap((word, at) => {
    if (word === "{") depth++;
    if (word === "}") depth--;
    const isKey = words[at + 1] === ":" || (words[at + 1] === "?" && words[at + 2] === ":");
    return depth === 0 && isKey ? [word.replaceAll(/["']/g, "")] : [];
  });
}

function singular(name: string): string {
  return name.toLowerCase().replace(/(?<=[a-z]{3})s$/, "");
}
