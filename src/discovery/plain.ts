// Text of a stranger's repository, made fit to be stored and shown: no control or invisible characters, no credentials
// in addresses, never longer than what a line is worth.
const unseen =
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufffd";
const unseenOrBreak = new RegExp(`[${unseen}\\t\\n]`);
const allUnseen = new RegExp(`[${unseen}]`, "g");
const runs = new RegExp(`[${unseen}\\s]+`, "g");
const credentials = /\/\/[^/@\s]+@/g;

/** Whether a path can stand in a list as it is. A name that is not valid UTF-8 has a replacement character in it. */
export const isShown = (path: string) => !unseenOrBreak.test(path);

/**
 * Text for patterns to go over: no blank lines, no long runs of blanks, no endless lines. Patterns with several optional
 * blanks in a row are quick on what people write and take hours on what somebody might write; after this they are quick
 * on both.
 */
export function settled(text: string, longest = 1000): string {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const cut = line
      .slice(0, longest)
      .replace(/[^\S\n]{40,}/g, " ".repeat(40))
      .trimEnd();
    if (cut !== "") lines.push(cut);
  }
  return lines.join("\n");
}

/** One line. */
export function plain(text: string, most = 120): string {
  const line = text
    .slice(0, most * 8)
    .replace(runs, " ")
    .replace(credentials, "//")
    .trim();
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}

/** Several lines, as they stand: only what could steer a terminal or hide is taken out. */
export function plainLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(allUnseen, "\ufffd");
}
