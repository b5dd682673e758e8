// What several diagnoses need to see of a skill: its code, its sentences, its phases, the calls of agents, the state's
// schema, and what is written where. Computed once for each skill.
import { parse as parseJson } from "jsonc-parser";
import { type CallFound, callsTo, isCode, isScript, stringValue, type Token, tokensIn } from "./code.ts";
import { type Block, documentsOf, type Lines, type Skill, type SkillFile, type Statement } from "./skill.ts";

export interface Code {
  readonly file: SkillFile;
  readonly block: Block;
  readonly tokens: readonly Token[];
}

export interface AgentCall extends CallFound {
  readonly code: Code;
  /** The strings among its arguments. */
  readonly prompts: readonly Token[];
}

export interface Sentence extends Lines {
  readonly file: SkillFile;
  readonly text: string;
  readonly form: Statement["form"];
  readonly under: readonly string[];
  /** The sentence that introduces the list it stands in. */
  readonly lead: string;
  /** Whether it is said that something is to be done. */
  readonly isAdvice: boolean;
}

export interface Phase extends Lines {
  readonly file: SkillFile;
  readonly title: string;
  readonly text: string;
}

export interface Written extends Lines {
  readonly file: SkillFile;
  readonly target: string;
}

export interface Seen {
  readonly skill: Skill;
  readonly documents: readonly SkillFile[];
  readonly codes: readonly Code[];
  readonly agentCalls: readonly AgentCall[];
  readonly sentences: readonly Sentence[];
  readonly phases: readonly Phase[];
  /** Whether each phase is a file, to be loaded by itself. */
  readonly phasesAreFiles: boolean;
  readonly isAutonomous: boolean;
  readonly schemas: readonly StateSchema[];
  readonly written: readonly Written[];
  readonly allText: string;
}

export interface StateSchema extends Lines {
  readonly file: SkillFile;
  readonly text: string;
  readonly fields: readonly string[];
}

export const agentNames =
  /^(Task|Agent|Subagent|spawn_?[aA]gent|run_?([sS]ub)?_?[aA]gent|call_?[aA]gent|delegate(_to|To)?|launch_?[aA]gent|invoke_?[aA]gent|dispatch_?[aA]gent)$/;

export function see(skill: Skill): Seen {
  const documents = documentsOf(skill);
  const codes = documents
    .filter((file) => isInstruction(skill, file))
    .flatMap((file) =>
      file.blocks
        .filter((block) => isCode(block) && !block.isWarning && !isDrawing(block) && !isProgram(block))
        .map((block) => ({ file, block, tokens: tokensIn(block) })),
    );
  const sentences = documents.filter((file) => isInstruction(skill, file)).flatMap(sentencesIn);
  const files = phaseFiles(documents);
  return {
    skill,
    documents,
    codes,
    agentCalls: codes.flatMap(agentCallsIn),
    sentences,
    phases: files.length > 1 ? files : phaseSections(skill.entry),
    phasesAreFiles: files.length > 1,
    isAutonomous:
      documents.some(({ path }) => /(^|\/)orchestrator\.md$/.test(path)) || isDeclaredAutonomous(skill),
    schemas: documents.flatMap(schemasIn),
    written: [...codes.flatMap(writtenByCode), ...sentences.flatMap(writtenByProse)],
    allText: documents.map(({ text }) => text).join("\n"),
  };
}

const workFolder = /^(phases|steps|stages|actions|roles|agents|commands|prompts|workflows)\//;

/** What the agent is to do, as opposed to what it may look up: code in a reference belongs to other programs. */
export function isInstruction({ entry }: Skill, file: SkillFile): boolean {
  if (file === entry || workFolder.test(file.path)) return true;
  return (
    !file.path.includes("/") &&
    !/^(readme|changelog|license|contributing|reference|api|examples?|migration|roadmap|todo)/i.test(
      file.path,
    )
  );
}

const declares =
  /^\s*(import\b.*(from\b|["'\w;])|from \S+ import\b|(async )?def \w+\(|package \w|using \w|#include|func \w+\(|fn \w+|use \w+::|(const|let|var) .*\brequire\()/m;
const classLine = /^\s*(export |public |abstract |data )*class \w+/m;
const callsHost =
  /\b(Task|Agent|Subagent|Read|Write|Glob|Grep|Bash|AskUserQuestion|TodoWrite)\(|\b(run|call|spawn|launch|invoke|dispatch)_?(sub)?_?agent/i;
const ofAgents =
  /\b\w*prompts?\b|\bsub-?agents?\b|\bllm\b|\bassistant\b|\bconversation|\bhistory\b|\bchat\b|\banthropic\b|\bopenai\b|\bstate\.(json|history)/i;

/** An example of what the skill is about, such as a component or a handler: its faults are not the skill's. */
function isProgram(block: Block): boolean {
  const { text } = block;
  return (declares.test(text) || hasClass(block)) && !callsHost.test(text) && !ofAgents.test(text);
}

export function hasClass({ text }: Block): boolean {
  return classLine.test(text);
}

function isDrawing({ text }: Block): boolean {
  return /[│─▶┌└┐┘├▼→←]/.test(text) && !/[;{}]/.test(text);
}

function isDeclaredAutonomous({ entry }: Skill): boolean {
  const { mode, execution_mode } = entry.front?.values ?? {};
  return mode === "autonomous" || execution_mode === "autonomous";
}

function agentCallsIn(code: Code): AgentCall[] {
  return callsTo(code.tokens, agentNames).map((call) => ({
    ...call,
    code,
    prompts: code.tokens.slice(call.from, call.to).filter(({ kind }) => kind === "string"),
  }));
}

const negation =
  /\b(never|not|don'?t|doesn'?t|avoid|instead of|rather than|without|must not|cannot|can'?t|no need|nor|no longer|stop)\b/i;

export function isNegated(text: string): boolean {
  return negation.test(text);
}

function sentencesIn(file: SkillFile): Sentence[] {
  let before = "";
  return file.statements.flatMap(({ text, form, under, isWarning, line, endLine }) => {
    if (form === "paragraph") before = /:$/.test(text) ? text : "";
    const lead = form === "item" ? before : "";
    return text.split(/(?<=[.!?;])\s+(?=\S)/).map((part) => ({
      file,
      text: part,
      form,
      under,
      lead,
      line,
      endLine,
      isAdvice: !isWarning && !isNegated(part),
    }));
  });
}

const phaseFolder = /^(phases|steps|stages)\//;

function phaseFiles(documents: readonly SkillFile[]): Phase[] {
  return documents
    .filter(({ path }) => phaseFolder.test(path) && !/(orchestrator|state-schema|readme)\.md$/i.test(path))
    .map((file) => ({ file, title: file.path, text: file.text, line: 1, endLine: file.lines.length }));
}

export function isAction(file: SkillFile): boolean {
  return phaseFolder.test(file.path) || /(^|\/)actions\//.test(file.path);
}

function phaseSections(file: SkillFile): Phase[] {
  return file.sections
    .filter(({ title }) => /^(phase|stage|step)\s+\d+/i.test(title))
    .map(({ title, line, endLine }) => ({
      file,
      title,
      line,
      endLine,
      text: file.lines.slice(line - 1, endLine).join("\n"),
    }));
}

/** A file named so, or a section of that title that holds a block. */
function schemasIn(file: SkillFile): StateSchema[] {
  const isFile = /(^|\/)state-?(schema)?\.md$/i.test(file.path);
  return file.blocks
    .filter(
      ({ under }) =>
        isFile ||
        under.some(
          (title) =>
            /\bstate\b.*\b(schema|fields|structure|shape)\b|^state$/.test(title) &&
            !/update|message|event|transfer/.test(title),
        ),
    )
    .map((block) => ({
      file,
      text: block.text,
      line: block.line,
      endLine: block.endLine,
      fields: fieldsOf(block),
    }))
    .filter(({ fields }) => fields.length > 0);
}

function fieldsOf(block: Block): string[] {
  if (/^json/.test(block.language)) {
    const value: unknown = parseJson(block.text);
    return typeof value === "object" && value !== null ? Object.keys(value) : [];
  }
  if (!isCode(block) || block.language === "") return [];
  // The first shape of the block; what comes after its end is another one's.
  const [shape = ""] = block.text.split(/^\}/m);
  const keys = shape.split("\n").flatMap((line) => {
    const [, indent = "", name] = /^(\s*)["']?(\w+)["']?\??\s*:/.exec(line) ?? [];
    return name === undefined ? [] : [{ indent: indent.length, name }];
  });
  const top = Math.min(...keys.map(({ indent }) => indent));
  return keys.filter(({ indent }) => indent === top).map(({ name }) => name);
}

function writtenByCode({ file, block, tokens }: Code): Written[] {
  if (isScript(block))
    return [...block.text.matchAll(/>>?\s*"?([^\s"';|&>]+\.(?:json|ya?ml|md|txt))/g)].map(
      ([, target = ""]) => ({
        file,
        target: plainPath(target),
        line: block.line,
        endLine: block.endLine,
      }),
    );
  return callsTo(tokens, /^(Write|writeFile|writeFileSync|write_file|write_text|writeJson|save)$/).flatMap(
    (call) => {
      const path = tokens.slice(call.from, call.to).find(({ kind }) => kind === "string");
      if (!path || !/\.\w+.?$/.test(path.text)) return [];
      return [{ file, target: plainPath(stringValue(path)), line: call.line, endLine: call.endLine }];
    },
  );
}

function writtenByProse({ file, text, line, endLine, isAdvice }: Sentence): Written[] {
  if (!isAdvice) return [];
  const [, target] =
    /\b(?:write|save|store|persist|record|keep|update|put|dump)s?\b[^.]*?`([^`\s]+\.(?:json|ya?ml))`/i.exec(
      text,
    ) ?? [];
  return target === undefined ? [] : [{ file, target: plainPath(target), line, endLine }];
}

/** Without the folder that a variable stands for. */
function plainPath(path: string): string {
  return path.replace(/\$\{[^}]*\}|\$\w+|\{[^}]*\}/g, "*").replace(/^(\*|\.)?\//, "");
}

export function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .toLowerCase()
      .match(/[a-z][a-z0-9_-]{2,}/g)
      ?.filter((word) => !common.has(word)),
  );
}

const common = new Set(
  "the and for are with that this from into must not each all any its your you have has was will can may should when then only never always use one".split(
    " ",
  ),
);

/** How much of the smaller set both share. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = Math.min(a.size, b.size);
  if (smaller === 0) return 0;
  return [...a].filter((word) => b.has(word)).length / smaller;
}
