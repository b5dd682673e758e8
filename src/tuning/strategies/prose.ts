// Strategies that change what is said: sentences, sections, front matter, references.
import { dirname, join, relative } from "node:path";
import { closest } from "../../core/problem.ts";
import { constraintsOf } from "../diagnoses/memory.ts";
import {
  type Case,
  changed,
  indentOf,
  type Mending,
  type Strategy,
  withAfter,
  withLines,
  withSection,
} from "../fix.ts";
import { see } from "../see.ts";

/** The lines of the finding with the text replaced; nothing when that changes nothing. */
function reworded(
  { finding, file }: Case,
  reword: (text: string) => string,
  mending: Omit<Mending, "changes">,
): Mending | undefined {
  const before = file.lines.slice(finding.line - 1, finding.endLine).join("\n");
  const after = reword(before);
  return after === before
    ? undefined
    : { ...mending, changes: [withLines(file, finding, after.split("\n"))] };
}

/** Words have no place in code. */
function inProse(strategy: Strategy): Strategy {
  return (found) => {
    const { line } = found.finding;
    const isCode = found.file.blocks.some((block) => block.line <= line && line <= block.endLine);
    return isCode ? undefined : strategy(found);
  };
}

/** Puts words before the full stop of the sentence that the evidence ends with. */
function extended(text: string, evidence: string, words: string): string {
  const tail = evidence
    .replace(/[.!?;:]+$/, "")
    .split(/\s+/)
    .slice(-3)
    .join(" ");
  const at = text.replace(/\n\s*/g, (gap) => " ".repeat(gap.length)).lastIndexOf(tail);
  return at < 0 ? text : text.slice(0, at + tail.length) + words + text.slice(at + tail.length);
}

export const boundedHistory: Strategy = inProse((found) =>
  reworded(
    found,
    (text) => extended(text, found.finding.evidence, ", keeping the last ten and a summary of what is older"),
    {
      description: "say how much of it is kept",
      risk: "low",
    },
  ),
);

const wholeText =
  /\b(?:the\s+)?(?:full|entire|whole|complete|raw|verbatim)\s+(?:contents?\s+of\s+|text\s+of\s+)?(?:the\s+)?/i;

export const saidPath: Strategy = inProse((found) =>
  reworded(
    found,
    (text) =>
      text.replace(
        wholeText,
        found.finding.pattern === "CTX-005" ? "the path and a short summary of the " : "the path of the ",
      ),
    {
      description: "hand over the path instead of the text",
      risk: "medium",
    },
  ),
);

/** The first phase's constraints, repeated where they were lost. */
export const injectConstraints: Strategy = ({ finding, skill, file }) => {
  const { phases } = see(skill);
  const first = phases[0]?.file;
  const known = [...new Set(first ? constraintsOf(first) : [])].slice(0, 12);
  const list = known.length > 0 ? known : [`Keep to the rules of \`${skill.entry.path}\`.`];
  const description = `repeat ${list.length} constraint${list.length === 1 ? "" : "s"}`;
  if (finding.pattern === "MEM-002") {
    const lines = ["", "[CONSTRAINTS]", ...list.map((text) => `- ${text}`)];
    return { description, risk: "low", changes: [withAfter(file, finding.endLine, lines)] };
  }
  const heading = file.sections[0]?.line ?? file.front?.endLine ?? 0;
  const from = first ? `These hold from \`${first.path}\` on:` : "These hold:";
  const lines = ["", "## Constraints", "", from, "", ...list.map((text) => `- ${text}`)];
  const next = file.lines[heading] === "" ? [] : [""];
  return { description, risk: "low", changes: [withAfter(file, heading, [...lines, ...next])] };
};

function section(title: string, text: string): Strategy {
  return ({ skill }) => ({
    description: `add a section "${title}"`,
    risk: "low",
    changes: [withSection(skill.entry, title, text)],
  });
}

export const addCheckpoints = section(
  "Checkpoints",
  "After each phase, save what was decided and what comes next, so that an interrupted run can resume there.",
);
export const addVerification = section(
  "Verification",
  "Before the result is handed over, compare it with the original request point by point, and mend what differs.",
);

export const requestField: Strategy = ({ finding, file }) => {
  const block = file.blocks.find(({ line }) => line === finding.line);
  const open = block?.text.split("\n").findIndex((line) => line.trimEnd().endsWith("{")) ?? -1;
  const isJson = /^json/.test(block?.language ?? "");
  if (!block || open < 0) return undefined;
  const next = indentOf(file.lines[block.line + open] ?? "  ") || "  ";
  const field = isJson
    ? `"original_request": "what was asked for, with its constraints",`
    : "original_request: string;";
  return {
    description: "keep the original request in the state",
    risk: "low",
    changes: [withAfter(file, block.line + open, [next + field])],
  };
};

export const validateSaid: Strategy = inProse((found) =>
  reworded(
    found,
    (text) =>
      `${text.trimEnd()} If it does not parse or a field is missing, ask once more, then stop with an error.`,
    {
      description: "say what happens when it is not valid",
      risk: "low",
    },
  ),
);

/** After the block or the sentence that starts agents. */
export const failureSaid: Strategy = ({ finding, file }) => {
  const block = file.blocks.find(({ line, endLine }) => line <= finding.line && finding.line <= endLine);
  const text =
    "If an agent fails or does not answer, try it once more, then go on without it and say so in the result.";
  if (block)
    return {
      description: "say what happens when an agent fails",
      risk: "low",
      changes: [withAfter(file, block.endLine + 1, ["", text])],
    };
  const line = file.lines[finding.endLine - 1] ?? "";
  return {
    description: "say what happens when an agent fails",
    risk: "low",
    changes: [
      withLines(file, { line: finding.endLine, endLine: finding.endLine }, [`${line.trimEnd()} ${text}`]),
    ],
  };
};

export const resultChecked: Strategy = ({ finding, file }) => {
  const block = file.blocks.find(({ line, endLine }) => line <= finding.line && finding.line <= endLine);
  const text =
    "Check each agent's result before it is used: it is there, it is complete, and it answers what was asked.";
  return (
    block && {
      description: "say that results are checked",
      risk: "low",
      changes: [withAfter(file, block.endLine + 1, ["", text])],
    }
  );
};

const sentence = /[^.!?\n"'`]+[.!?]?/g;
const nestedPhrase =
  /\b(?:spawn|launch|dispatch|start|delegate to|use)\b[^.!?\n]{0,40}?\b(?:sub-?agents?|(?:another|other|more|further|own|additional) agents?|agents of (?:your|its) own)\b/i;
const purpose = new RegExp(`${nestedPhrase.source}(?:\\s+of \\w+ own)?\\s+(?:that|which|who|to|for)\\b`, "i");

/** What the inner agent was for stays said, and who does it changes; a mere permission is withdrawn. */
export const flatten: Strategy = (found) =>
  reworded(found, (text) => text.replace(sentence, flattened), {
    description: "let the agent do it itself",
    risk: "medium",
  });

function flattened(said: string): string {
  if (!nestedPhrase.test(said)) return said;
  if (purpose.test(said) && !/\b(may|can|could|might)\b/i.test(said))
    return said.replace(purpose, "do this yourself, starting no agents:");
  return `${/^\s*/.exec(said)?.[0] ?? ""}Start no agents.`;
}

export const allowTools: Strategy = (found) => {
  const missing = found.finding.description.replace(/^[^:]*: /, "");
  return reworded(
    found,
    (text) =>
      /\]\s*$/.test(text)
        ? text.replace(/\]\s*$/, `, ${missing}]`)
        : /:\s*$/.test(text)
          ? text
          : `${text.trimEnd()}, ${missing}`,
    {
      description: `allow ${missing}`,
      risk: "medium",
    },
  );
};

export const mendReference: Strategy = (found) => {
  const { finding, skill, file } = found;
  const target = /`@?([^`]+)`/.exec(finding.description)?.[1] ?? "";
  if (finding.pattern === "TKN-007")
    return reworded(found, (text) => text.replaceAll(`@${target}`, `\`${target}\``), {
      description: "name the file without including it",
      risk: "low",
    });
  const paths = skill.files.map(({ path }) => path).filter((path) => path !== file.path);
  const name = target.split("/").at(-1);
  const same = paths.filter((path) => path.split("/").at(-1) === name);
  const meant = same.length === 1 ? same[0] : closest(target, paths);
  if (meant === undefined) return undefined;
  const path = relative(dirname(join("/", file.path)), join("/", meant));
  return reworded(found, (text) => text.replaceAll(target, path), {
    description: `point to \`${path}\``,
    risk: "low",
  });
};

/** A value with a colon in it needs quotes; front matter needs its end. */
export const mendFront: Strategy = (found) => {
  const { finding, file, skill } = found;
  if (finding.pattern === "DOC-FRONT-002") {
    const { values = {} } = file.front ?? {};
    const words = file.statements.find(({ form }) => form === "paragraph")?.text ?? skill.name;
    const lines = [
      ...(values.name ? [] : [`name: ${skill.name}`]),
      ...(values.description ? [] : [`description: ${JSON.stringify(words.slice(0, 300))}`]),
    ];
    const change = file.front
      ? withAfter(file, file.front.line, lines)
      : changed(file, `---\n${lines.join("\n")}\n---\n\n${file.text}`);
    return { description: "give it a name and a description", risk: "low", changes: [change] };
  }
  if (finding.description.includes("no closing")) {
    const end = file.lines.findIndex((line, at) => at > 0 && !/^\s*[\w-]+\s*:|^\s+\S|^\s*- /.test(line));
    return end < 0
      ? undefined
      : { description: "close the front matter", risk: "low", changes: [withAfter(file, end, ["---"])] };
  }
  return reworded(
    found,
    (text) =>
      text.replace(
        /^(\s*[\w-]+:\s+)([^"'[{|>].*)$/,
        (_, key: string, value: string) => key + JSON.stringify(value.trim()),
      ),
    {
      description: "put the value into quotes",
      risk: "low",
    },
  );
};
