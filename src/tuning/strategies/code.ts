// Strategies that change code in a block: windows, paths instead of texts, checks of what was parsed and answered.
import { callsTo, closing, type Token } from "../code.ts";
import { formats, formatsIn } from "../diagnoses/agent.ts";
import { type Change, changed, indentOf, type Mending, type Strategy, withAfter } from "../fix.ts";
import { agentNames, see } from "../see.ts";
import type { SkillFile } from "../skill.ts";
import { assigned, holeIn, nameIn, replaced, spotOf, withBlock } from "./spot.ts";

const keep = 10;

/** Cuts what grows, right after it has grown. */
export const slidingWindow: Strategy = (found) => {
  const spot = spotOf(found);
  if (!spot) return undefined;
  const { finding, file } = found;
  const name = nameIn(finding.description);
  const source = file.lines[finding.line - 1] ?? "";
  const mending = (change: Change): Mending => ({
    description: `keep the last ${keep} of \`${name}\``,
    risk: "low",
    changes: [change],
  });
  const spread = spot.tokens.findIndex(({ text, line }) => text === "..." && line === finding.line);
  if (spread > 0) {
    const end = spot.tokens[closing(spot.tokens, spread - 1)];
    const part = { from: (end?.at ?? 0) + 1, to: (end?.at ?? 0) + 1 };
    return end && mending(withBlock(spot, replaced(spot.block.text, part, `.slice(-${keep})`)));
  }
  const isText = source.includes("+=");
  const python = isText ? `${name} = ${name}[-4000:]` : `del ${name}[:-${keep}]`;
  const script = isText ? `${name} = ${name}.slice(-4000);` : `${name}.splice(0, ${name}.length - ${keep});`;
  return mending(withAfter(file, finding.endLine, [indentOf(source) + (spot.isPython ? python : script)]));
};

/** The path goes into the prompt instead of the text. */
export const pathInPrompt: Strategy = (found) => {
  const spot = spotOf(found);
  const hole = nameIn(found.finding.description);
  const part = spot && holeIn(spot, hole);
  const path = spot && part && pathBehind(hole, spot.block.text);
  if (!spot || !part || path === undefined) return undefined;
  const literal = /^(["'])(.*)\1$/.exec(path)?.[2];
  const shown = literal ?? (spot.isPython ? `{${path}}` : `\${${path}}`);
  const text = replaced(spot.block.text, part, `(read what you need of it from ${shown})`);
  return {
    description: "name the file instead of putting its text in",
    risk: "low",
    changes: [withBlock(spot, text)],
  };
};

const reading = String.raw`(?:await )?(?:Read|readFileSync|readFile|read_file)\(([^()]+)\)`;

function pathBehind(hole: string, code: string): string | undefined {
  const direct = new RegExp(`^\\s*${reading}`).exec(hole)?.[1];
  if (direct !== undefined) return direct.split(",")[0]?.trim();
  if (!/^\w+$/.test(hole)) return undefined;
  return new RegExp(String.raw`\b${hole}\s*=\s*${reading}`).exec(code)?.[1]?.split(",")[0]?.trim();
}

/** The state stays where it is; the agent reads the fields that it needs. */
export const stateByPath: Strategy = (found) => {
  const spot = spotOf(found);
  const part = spot && holeIn(spot, nameIn(found.finding.description));
  if (!spot || !part) return undefined;
  const named = found.skill.files.flatMap(({ text }) => /[\w./-]*state\.json/.exec(text)?.[0] ?? []);
  const [state = "state.json"] = named;
  const text = replaced(spot.block.text, part, `(read the fields you need from ${state})`);
  return {
    description: `name ${state} instead of putting all of it in`,
    risk: "medium",
    changes: [withBlock(spot, text)],
  };
};

/** `return { content: text }` becomes a file and its path. */
export const returnPath: Strategy = (found) => {
  const spot = spotOf(found);
  const { finding, file } = found;
  if (!spot || spot.isPython) return undefined;
  const { tokens, block } = spot;
  const key = nameIn(finding.description);
  const leave = tokens.findIndex(({ text, line }) => text === "return" && line === finding.line);
  const at = tokens.findIndex(
    ({ text }, index) => index > leave && text === key && tokens[index + 1]?.text === ":",
  );
  const [exit, from, first, last] = [
    tokens[leave],
    tokens[at],
    tokens[at + 2],
    tokens[valueEnd(tokens, at + 2)],
  ];
  if (leave < 0 || at < 0 || !exit || !from || !first || !last) return undefined;
  const end = last.at + last.text.length;
  const value = block.text.slice(first.at, end);
  const indent = indentOf(file.lines[finding.line - 1] ?? "");
  const short = replaced(block.text, { from: from.at, to: end }, 'path: "result.md"');
  const text = replaced(short, { from: exit.at, to: exit.at }, `Write("result.md", ${value});\n${indent}`);
  const change = withBlock(spot, text);
  return {
    description: "write the text to a file and return its path",
    risk: "medium",
    changes: [file === found.skill.entry ? { ...change, after: allowingWrite(change.after) } : change],
  };
};

/** What is written needs the tool to write it. */
function allowingWrite(text: string): string {
  return text.replace(/^(allowed-tools:\s*(?!.*\bWrite\b)(?!.*\*)\w[^\n[\]]*)$/m, "$1, Write");
}

function valueEnd(tokens: readonly Token[], from: number): number {
  for (let at = from; at < tokens.length; at++) {
    const text = tokens[at]?.text ?? "";
    if (/^[([{]$/.test(text)) at = closing(tokens, at);
    else if (text === "," || text === "}") return at - 1;
  }
  return tokens.length - 1;
}

/** Every document that the block parses into a variable. */
export const checkParsed: Strategy = (found) => {
  const spot = spotOf(found);
  const { file } = found;
  if (!spot) return undefined;
  const parsed = callsTo(spot.tokens, /^(parse|loads)$/)
    .filter(({ receiver }) => /^json$/i.test(receiver))
    .flatMap(({ line }) => assigned(spot, /^(parse|loads)$/, line) ?? []);
  if (parsed.length === 0) return undefined;
  const lines = [...file.lines];
  for (const { name, endLine } of parsed.reverse()) {
    const indent = indentOf(lines[endLine - 1] ?? "");
    const check = spot.isPython
      ? `if not isinstance(${name}, dict): raise ValueError("${name} is not a document")`
      : `if (typeof ${name} !== "object" || ${name} === null) throw new Error("${name} is not a document");`;
    lines.splice(endLine, 0, indent + check);
  }
  const names = parsed.map(({ name }) => `\`${name}\``).reverse();
  return {
    description: `check ${names.join(", ")} before use`,
    risk: "low",
    changes: [changed(file, lines.join("\n"))],
  };
};

/** A failed agent answers with its failure, and the code goes on. */
export const catchFailure: Strategy = (found) => {
  const spot = spotOf(found);
  if (!spot || spot.isPython) return undefined;
  const ends = callsTo(spot.tokens, agentNames)
    .filter(({ line }) => line >= found.finding.line)
    .map(({ to }) => (spot.tokens[to]?.at ?? 0) + 1)
    .sort((a, b) => b - a);
  if (ends.length === 0) return undefined;
  const caught = ends.reduce(
    (text, at) => replaced(text, { from: at, to: at }, ".catch((error) => ({ failed: String(error) }))"),
    spot.block.text,
  );
  return {
    description: "turn a failure into an answer that can be looked at",
    risk: "low",
    changes: [withBlock(spot, caught)],
  };
};

export const checkAnswer: Strategy = (found) => {
  const spot = spotOf(found);
  const result = spot && assigned(spot, agentNames, found.finding.line);
  if (!spot || !result || spot.isPython) return undefined;
  const indent = indentOf(found.file.lines[found.finding.line - 1] ?? "");
  const { name, endLine } = result;
  const line = `${indent}if (!${name} || ${name}.failed) throw new Error("the agent gave no answer");`;
  return {
    description: `look at \`${name}\` before it is used`,
    risk: "low",
    changes: [withAfter(found.file, endLine, [line])],
  };
};

/** What was just written is at hand: it need not be read back. */
export const passOn: Strategy = (found) => {
  const spot = spotOf(found);
  if (!spot) return undefined;
  const { tokens, block } = spot;
  const write = callsTo(tokens, /^(Write|writeFile|writeFileSync|write_file)$/).find(
    ({ line }) => line === found.finding.line,
  );
  const read =
    write && callsTo(tokens, /^(Read|readFile|readFileSync|read_file)$/).find(({ from }) => from > write.to);
  if (!write || !read) return undefined;
  const comma = tokens.findIndex(({ text }, at) => at > write.from && text === ",");
  const [first, last, from, to] = [
    tokens[comma + 1],
    tokens[write.to - 1],
    tokens[read.from],
    tokens[read.to],
  ];
  if (comma < 0 || comma >= write.to - 1 || !first || !last || !from || !to) return undefined;
  const value = block.text.slice(first.at, last.at + last.text.length);
  const text = replaced(block.text, { from: from.at, to: to.at + 1 }, value);
  return {
    description: "use what was written instead of reading it back",
    risk: "low",
    changes: [withBlock(spot, text)],
  };
};

/** The formats that nothing else speaks of give way to the first one, or to JSON. */
export const oneFormat: Strategy = (found) => {
  const { skill, file } = found;
  const seen = see(skill);
  const all = [...formatsIn(seen).keys()];
  const kept = all.includes("json") ? "JSON" : (all[0] ?? "");
  const isAsked = (name: string) =>
    seen.agentCalls.some(({ prompts }) => prompts.some((each) => asks(each.text, name)));
  const others = all.filter(
    (name) => name !== kept.toLowerCase() && isAsked(name) && !isSpokenOf(skill.files, name),
  );
  if (others.length === 0) return undefined;
  const lines = new Set(
    seen.agentCalls
      .filter(({ code }) => code.file === file)
      .flatMap(({ prompts }) => prompts.flatMap(({ line, endLine }) => range(line, endLine))),
  );
  const text = file.lines.map((line, at) =>
    lines.has(at + 1)
      ? line.replace(formats, (said, format: string) =>
          others.includes(format.toLowerCase())
            ? said.replace(new RegExp(`(\\ban? )?${format}$`), kept)
            : said,
        )
      : line,
  );
  return {
    description: `let agents answer in ${kept} instead of ${others.join(", ")}`,
    risk: "high",
    changes: [changed(file, text.join("\n"))],
  };
};

function asks(text: string, name: string): boolean {
  return [...text.matchAll(formats)].some(([, format = ""]) => format.toLowerCase() === name);
}

/** `findings.csv`, `yaml.load`: somebody relies on the format. */
function isSpokenOf(files: readonly SkillFile[], name: string): boolean {
  const word = new RegExp(`\\.${name}\\b|\\b${name}\\.\\w|\\b${name}\\w*\\(`, "i");
  return files.some(({ text }) => word.test(text));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
