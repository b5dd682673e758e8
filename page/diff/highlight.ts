// A line of code as words with a kind: comment, text, number, keyword. One table for all languages that people write most;
// it does not know of what spans lines. Pure.

export interface Word {
  readonly kind: "plain" | "comment" | "text" | "number" | "keyword";
  readonly text: string;
}

const keywords = new Set(
  (
    "abstract and as async await bool boolean break case catch char class const continue def default defer del do double " +
    "elif else end enum except export extends extern false final finally fn for from func function global go if impl " +
    "implements import in instanceof int interface is lambda let long match mod module mut namespace new nil none not null " +
    "or package pass private protected pub public raise readonly return self static string struct super switch this throw " +
    "throws true try type typeof undefined union unsafe use using var void where while with yield None True False"
  ).split(" "),
);

const hashComments =
  /\.(?:py|rb|sh|bash|zsh|ya?ml|toml|cfg|conf|pl|r|mk)$|(?:^|\/)(?:Makefile|Dockerfile|\.\w+ignore)$/;
const plainText = /\.(?:md|txt|csv|json|lock|svg|html?)$/;
const slashes = /\/\/.*|\/\*.*?(?:\*\/|$)/;
const quoted = /"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|`(?:\\.|[^`\\])*`?/;
const rest = /\b\d[\w.]*\b|[A-Za-z_$][\w$]*/;
const withSlashes = new RegExp(`${slashes.source}|${quoted.source}|${rest.source}`, "g");
const withHash = new RegExp(`#.*|${quoted.source}|${rest.source}`, "g");

/** Beyond it a line is not written by a person, and is shown as it is. */
const longest = 1_000;

export function highlighted(line: string, path: string): Word[] {
  if (line === "") return [];
  if (line.length > longest || plainText.test(path)) return [{ kind: "plain", text: line }];
  const words: Word[] = [];
  const add = (kind: Word["kind"], text: string) => {
    const last = words.at(-1);
    if (text === "") return;
    if (last?.kind === kind) words[words.length - 1] = { kind, text: last.text + text };
    else words.push({ kind, text });
  };
  const isHash = hashComments.test(path);
  // A line that begins with a star is the middle of a comment.
  if (!isHash && /^\s*\*(?:\s|\/|$)/.test(line)) return [{ kind: "comment", text: line }];
  let at = 0;
  for (const found of line.matchAll(isHash ? withHash : withSlashes)) {
    add("plain", line.slice(at, found.index));
    add(kindOf(found[0], isHash), found[0]);
    at = found.index + found[0].length;
  }
  add("plain", line.slice(at));
  return words;
}

function kindOf(text: string, isHash: boolean): Word["kind"] {
  if (isHash ? text.startsWith("#") : /^\/[/*]/.test(text)) return "comment";
  if (/^["'`]/.test(text)) return "text";
  if (/^\d/.test(text)) return "number";
  return keywords.has(text) ? "keyword" : "plain";
}
