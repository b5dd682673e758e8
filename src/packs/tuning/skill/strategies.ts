// What rules can fix without judging: a reference to a file that lies elsewhere in the skill, a value that needs quotes,
// an end that is missing, a name that is the folder's, a tool that is used and not listed. Everything else is explained
// (`catalogue.ts`) and left to a person or an agent: which words may go is nothing that a rule can know.
import { dirname, join, relative } from "node:path";
import { type Case, type Remedy, type Strategy, withAfter, withLines } from "./fix.ts";

/** The lines of the finding with the text replaced; nothing when that changes nothing. */
function reworded(
  { finding, file }: Case,
  reword: (text: string) => string,
  remedy: Omit<Remedy, "changes">,
): Remedy | undefined {
  const before = file.lines.slice(finding.line - 1, finding.endLine).join("\n");
  const after = reword(before);
  return after === before ? undefined : { ...remedy, changes: [withLines(file, finding, after.split("\n"))] };
}

/** Only to the one file of that very name: a name that is merely like it may be another thing. */
export const repointReference: Strategy = (found) => {
  const { finding, skill, file } = found;
  const target = /^`([^`]+)` is not there$/.exec(finding.description)?.[1] ?? "";
  const name = target.split("/").at(-1);
  const same = skill.files.map(({ path }) => path).filter((path) => path.split("/").at(-1) === name);
  const [meant, ...others] = same;
  if (meant === undefined || others.length > 0 || meant === file.path) return undefined;
  const path = relative(dirname(join("/", file.path)), join("/", meant));
  return reworded(
    found,
    (text) => text.replaceAll(`](${target}`, `](${path}`).replaceAll(`\`${target}\``, `\`${path}\``),
    {
      description: `point to \`${path}\`, the only file of that name`,
      risk: "medium",
    },
  );
};

/** A value with a colon in it needs quotes; front matter needs its end. The words stay the same. */
export const repairFront: Strategy = (found) => {
  const { file } = found;
  if (file.front?.isOpen) {
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
    { description: "put the value into quotes", risk: "low" },
  );
};

/** The folder's name is the skill's; what it is for, its author says. */
export const nameAsFolder: Strategy = ({ file, skill, finding }) => {
  if (!file.front || file.front.values.name || !/no `name`/.test(finding.description)) return undefined;
  const name = skill.folder.split("/").at(-1) ?? "";
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return undefined;
  return {
    description: `name it \`${name}\`, like its folder`,
    risk: "low",
    changes: [withAfter(file, file.front.line, [`name: ${name}`])],
  };
};

/** It gives the agent leave to do more, so it is never of low risk. */
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
    { description: `allow ${missing}`, risk: "medium" },
  );
};
