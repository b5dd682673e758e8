// Markdown made fit for its parser, which takes quadratic time for marks that pair with nothing and one level of the stack for
// each quotation or list within another. What people write is left as it is; beyond what a paragraph can need, marks
// become full stops or commas, so that every line and column stays where it was.

/** A block of code may have more marks: it has none for the parser, unless what looks like its fence is none. */
const limits = { paragraph: 1_000, code: 10_000, file: 40_000, nesting: 20 } as const;

const mark = /[[\]*_`<~!&]/g;
const marks = (line: string) => line.match(mark)?.length ?? 0;
const fence = /^ {0,3}(`{3,}|~{3,})/;
/** Each quotation mark, bullet or number opens a level. */
const nested = new RegExp(`^(?:[ \\t]{0,8}(?:>|[-*+][ \\t]|\\d{1,9}[.)][ \\t])){${limits.nesting},}`);

export function tamed(text: string): string {
  if (marks(text) <= limits.paragraph && !/[>+)\-*.][ \t]?[>+)\-*.\d]/.test(text)) return text;
  let [open, inBlock, inFile] = ["", 0, 0];
  return text
    .split("\n")
    .map((line) => {
      const shallow = nested.test(line) ? line.replace(/[>\-*+.)]/g, ",") : line;
      const count = marks(shallow);
      const before = open;
      open = fenceAfter(open, shallow);
      inBlock = open !== before || (open === "" && shallow.trim() === "") ? 0 : inBlock + count;
      inFile += count;
      const most = open === "" ? limits.paragraph : limits.code;
      return inBlock > most || inFile > limits.file ? shallow.replace(mark, ".") : shallow;
    })
    .join("\n");
}

/** The fence that is open after this line: its own ticks or tildes, or nothing. */
function fenceAfter(open: string, line: string): string {
  const [, ticks = ""] = fence.exec(line) ?? [];
  if (open !== "") return ticks.startsWith(open) && line.trim() === ticks ? "" : open;
  // What follows the backticks of a fence has none; otherwise it is a paragraph.
  return ticks.startsWith("`") && line.trim().slice(ticks.length).includes("`") ? "" : ticks;
}
