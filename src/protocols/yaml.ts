// YAML as a JSON value with the line of everything in it. Aliases are counted, so that a small file stays small.
import { isAlias, isNode, LineCounter, parseDocument, visit } from "yaml";
import { type Problem, problem } from "../core/problem.ts";

export interface YamlDocument {
  readonly value: unknown;
  /** The line of what a JSON pointer names, or of the nearest thing around it. */
  readonly lineOf: (pointer: string) => number;
}

const [most, mostAliases] = [256 * 1024, 50];

/** Never throws. */
export function parseYaml(file: string, text: string): YamlDocument | { readonly problems: Problem[] } {
  const wrong = (message: string, line: number, hint: string) => ({
    problems: [problem("bad-yaml", message, { place: { file, line }, hint })],
  });
  if (text.length > most) return wrong(`\`${file}\` has more than ${most} characters`, 1, "make it smaller");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, strict: true, merge: false });
  const [fault] = document.errors;
  if (fault) {
    const [first = ""] = fault.message.split("\n");
    return wrong(first.replace(/ at line \d+.*$/, ""), lines.linePos(fault.pos[0]).line, "mend this line");
  }
  let aliases = 0;
  visit(document, (_, node) => void (isAlias(node) && aliases++));
  if (aliases > mostAliases) return wrong(`it has more than ${mostAliases} aliases`, 1, "write them out");
  try {
    return {
      value: document.toJS({ maxAliasCount: mostAliases }) as unknown,
      lineOf: (pointer) => {
        const path = pointer.split("/").slice(1).map(unescaped);
        for (let length = path.length; length >= 0; length--) {
          const node = document.getIn(path.slice(0, length), true);
          if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
        }
        return 1;
      },
    };
  } catch (error) {
    return wrong((error as Error).message.split("\n")[0] ?? "", 1, "write it without aliases");
  }
}

function unescaped(part: string): string | number {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  return /^\d+$/.test(plain) ? Number(plain) : plain;
}
