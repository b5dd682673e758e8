// Protocols of a project's own (U8): one file each under `.heddle/protocols/`. A table in YAML is data and is read as it
// is. TypeScript is a program, and runs only as a person has approved it, byte for byte.

import { readdirSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Hint, toCall } from "../core/hint.ts";
import { type Problem, problem, Refused } from "../core/problem.ts";
import type { Protocol } from "../core/protocol.ts";
import { fileDigest } from "../host/digest.ts";
import { isThere, listFiles, makeFolder, readText, replaceFile, sweep } from "../host/files.ts";
import { approvedDigest, recordApproval, type Subject } from "../orders/approved.ts";
import { protocolFrom } from "../protocols/own.ts";
import { parseYaml } from "../protocols/yaml.ts";
import { packageDir } from "../work/package.ts";
import { packNamed } from "./packs.ts";

const endings = [".yaml", ".yml", ".ts"];
const folderOf = (heddleDir: string) => join(heddleDir, "protocols");

/** By name: the file's, without its ending. */
export function ownFiles(heddleDir: string): Map<string, string> {
  const folder = folderOf(heddleDir);
  const files = endings.flatMap((ending) => listFiles(folder, ending).map((each) => join(folder, each)));
  return new Map(files.map((file) => [basename(file, extname(file)), file]));
}

export async function ownProtocolNamed(heddleDir: string, name: string): Promise<Protocol | undefined> {
  const file = ownFiles(heddleDir).get(name);
  if (file === undefined) return undefined;
  const found = await readOwn(heddleDir, file);
  if ("problems" in found) throw new Refused(found.problems);
  return found;
}

export async function readOwn(heddleDir: string, file: string): Promise<Protocol | { problems: Problem[] }> {
  const found = extname(file) === ".ts" ? await fromProgram(heddleDir, file) : fromTable(file);
  if ("problems" in found) return found;
  const name = basename(file, extname(file));
  if (found.name !== name)
    return refused("wrong-name", `\`${file}\` calls its protocol \`${found.name}\``, {
      ...{ file, hint: `name it ${name}, or the file ${found.name}${extname(file)}` },
    });
  if (!packNamed(name)) return found;
  return refused("taken-name", `\`${name}\` is a protocol of heddle's own`, {
    file,
    hint: "give it another name",
  });
}

function refused(code: string, message: string, { file, hint }: { file: string; hint: Hint }) {
  return { problems: [problem(code, message, { place: { file }, hint })] };
}

function fromTable(file: string): Protocol | { problems: Problem[] } {
  const read = readText(file, 1024 * 1024);
  if ("problem" in read) return { problems: [read.problem] };
  const document = parseYaml(file, read.text);
  if ("problems" in document) return document;
  const made = protocolFrom(file, document.value);
  if (!("problems" in made)) return made;
  return { problems: made.problems.map((each) => placed(each, file, document.lineOf)) };
}

function placed(found: Problem, file: string, lineOf: (pointer: string) => number): Problem {
  const pointer = found.place?.pointer;
  return pointer === undefined ? found : { ...found, place: { file, pointer, line: lineOf(pointer) } };
}

const subjectOf = (heddleDir: string, name: string): Subject => ({
  kind: "protocol",
  place: heddleDir,
  name,
});

/** A person has read this program, and it may run as it is now. */
export function approve(heddleDir: string, name: string): { readonly file: string; readonly sha256: string } {
  const file = ownFiles(heddleDir).get(name);
  const sha256 = file === undefined ? null : fileDigest(file);
  if (file === undefined || sha256 === null || extname(file) !== ".ts")
    throw new Refused([
      problem("no-program", `there is no ${join(folderOf(heddleDir), `${name}.ts`)} to approve`, {
        hint: "a table in YAML needs no approval",
      }),
    ]);
  recordApproval(subjectOf(heddleDir, name), sha256);
  return { file, sha256 };
}

/** What it takes from elsewhere would run without having been approved. */
const takesMore =
  /^\s*(?:import\s+(?!type\b)|export\s+(?!type\b)[^;]*\bfrom\b)|\bimport\s*\(|\brequire\s*\(/m;

async function fromProgram(heddleDir: string, file: string): Promise<Protocol | { problems: Problem[] }> {
  const name = basename(file, ".ts");
  if (approvedDigest(subjectOf(heddleDir, name)) !== fileDigest(file))
    return refused(
      "not-approved",
      `\`${file}\` is a program that has not been approved in its current form`,
      {
        ...{ file, hint: ["read it, then: ", toCall(`protocol approve ${name}`)] },
      },
    );
  const read = readText(file, 1024 * 1024);
  if ("problem" in read) return { problems: [read.problem] };
  if (takesMore.test(read.text))
    return refused("imports", `\`${file}\` imports something: only types may be imported`, {
      ...{ file, hint: "write everything into this file" },
    });
  try {
    const { default: found } = (await import(pathToFileURL(file).href)) as { default?: unknown };
    return isWhole(found) ? found : protocolFrom(file, found);
  } catch (error) {
    return refused("bad-program", `\`${file}\` cannot be loaded: ${(error as Error).message}`, {
      ...{ file, hint: "export a protocol as default" },
    });
  }
}

/** A table with subjects that are functions, as the built-in ones are. */
function isWhole(found: unknown): found is Protocol {
  if (typeof found !== "object" || found === null || !("subjects" in found) || !("rules" in found))
    return false;
  const { subjects, rules, phases, artifacts, counters } = found as Partial<Protocol>;
  const seen = Object.values(subjects ?? {}).every(
    ({ see, values }) => typeof see === "function" && Array.isArray(values),
  );
  return (
    seen &&
    Array.isArray(rules) &&
    Array.isArray(phases) &&
    Array.isArray(counters) &&
    artifacts !== undefined
  );
}

/** Roles that have a skill: heddle's, and the project's. */
export function skilledRoles(heddleDir: string): string[] {
  const folders = [join(packageDir(), "roles"), join(heddleDir, "roles")].filter(isThere);
  return folders.flatMap((folder) =>
    readdirSync(folder).filter((role) => isThere(join(folder, role, "SKILL.md"))),
  );
}

/** A table to begin with: it is right, and does a small thing. */
export function newProtocol(heddleDir: string, name: string): string {
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(name))
    throw new Refused([
      problem("bad-name", `\`${name}\` is not a lower-case name`, {
        hint: toCall("protocol new review-loop"),
      }),
    ]);
  const skills = ["writer", "critic"].map((role) => join(heddleDir, "roles", role, "SKILL.md"));
  // What one that was killed left.
  for (const folder of [folderOf(heddleDir), ...skills.map((skill) => dirname(skill))]) sweep(folder);
  const there = ownFiles(heddleDir).get(name);
  if (there !== undefined || packNamed(name))
    throw new Refused([
      problem("taken-name", `there is a protocol \`${name}\` already`, {
        hint: toCall(`protocol show ${name}`),
      }),
    ]);
  const file = join(folderOf(heddleDir), `${name}.yaml`);
  makeFolder(heddleDir);
  for (const [at, skill] of skills.entries()) {
    if (isThere(skill)) continue;
    makeFolder(dirname(skill));
    replaceFile(skill, skillTemplate(at === 0 ? "writer" : "critic"));
  }
  // Last: it is there when all that it needs is.
  makeFolder(folderOf(heddleDir));
  replaceFile(file, template(name));
  return file;
}

const template = (
  name: string,
) => `# yaml-language-server: $schema=${join(packageDir(), "schemas/protocol.schema.json")}
# A way of working of your own. \`heddle protocol check ${name}\` proves that it has no dead end and no endless loop;
# \`heddle protocol start ${name} "<brief>"\` begins a run of it, and \`heddle next\` takes its steps.
name: ${name}
about: a text is written, and judged until it is good
phases:
  - draft: the text is written
  - judge: the text is judged
  - { name: done, about: the text is good, end: true }
artifacts:
  text: text.json
  verdict: { file: verdict.json, from: [text], fields: { ok: [true, false] } }
counters: { rounds: 3 }
rules:
  - { rule: the text was judged and is not good, at: draft, when: { verdict.ok: false }, job: { role: writer, makes: text } }
  - { rule: the text is there, at: draft, when: { text: valid }, go: judge }
  - { rule: there is no text that counts, at: draft, job: { role: writer, makes: text } }
  - { rule: the text is good, at: judge, when: { verdict.ok: true }, go: done }
  - { rule: the text is never good, at: judge, when: { verdict.ok: false, rounds: reached }, halt: { code: rounds, hint: heddle next --override "<why>" } }
  - { rule: the text is not good yet, at: judge, when: { verdict.ok: false }, go: draft, counts: rounds }
  - { rule: nobody has judged this text, at: judge, job: { role: critic, makes: verdict } }
  - { rule: the text is done, at: done, end: done }
`;

const skillTemplate = (role: string) => `---
name: ${role}
description: ${role === "writer" ? "Writes the text that the brief asks for" : "Judges the text against the brief"}. Use when the protocol asks for it.
version: 1
allowed-tools: Read, Write
---

# ${role === "writer" ? "Writer" : "Critic"}

Read the bundle whose path you are given: \`brief\` says what is wanted, \`inputs\` names what is there already. Write one JSON
object to \`output.path\`${role === "writer" ? ", with the text in `text`" : ": `ok`, true or false, and `reasons`"}. Run \`output.check\` and fix what it says.
`;
