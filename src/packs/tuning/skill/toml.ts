// A command of Gemini: TOML whose `prompt` is Markdown. Everything around the prompt is read as empty lines, so that each
// finding keeps its line in the file.
import { parseMarkdown } from "./markdown.ts";
import type { FrontMatter } from "./skill.ts";

const prompt = /^[ \t]*prompt[ \t]*=[ \t]*("""|'''|"|')/m;

/** What is prompt and what is not, line for line. */
function parts(text: string): { readonly prompt: string; readonly around: string } | undefined {
  const found = prompt.exec(text);
  const mark = found?.[1];
  if (!found || mark === undefined) return undefined;
  const from = found.index + found[0].length;
  const end = text.indexOf(mark, from);
  if (end < 0) return undefined;
  const blank = (part: string) => part.replace(/[^\n]+/g, "");
  return {
    prompt: blank(text.slice(0, from)) + text.slice(from, end) + blank(text.slice(end)),
    around: text.slice(0, from) + text.slice(end),
  };
}

export function parseCommand(text: string): ReturnType<typeof parseMarkdown> {
  const found = parts(text);
  const description = /^[ \t]*description[ \t]*=[ \t]*(["'])(.*)\1/m.exec(text)?.[2];
  const front: FrontMatter = {
    values: description === undefined ? {} : { description },
    line: 1,
    endLine: 1,
    ...(!found && { fault: { message: "the command has no `prompt` that can be read", line: 1 } }),
  };
  return { ...parseMarkdown(found?.prompt ?? ""), front };
}

/** Whether an edit has left everything but the prompt as it was. */
export function isSamePackage(before: string, after: string): boolean {
  return parts(before)?.around === parts(after)?.around;
}
