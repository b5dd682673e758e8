// What several diagnoses need to see of a skill: its code, its sentences, its phases, the calls of agents, the state's
// schema, and what is written where. Computed once for each skill.
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

export interface SkillPhase extends Lines {
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
  readonly phases: readonly SkillPhase[];
  /** Whether each phase is a file, to be loaded by itself. */
  readonly phasesAreFiles: boolean;
  readonly written: readonly Written[];
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
    written: [...codes.flatMap(writtenByCode), ...sentences.flatMap(writtenByProse)],
  };
}

const workFolder = /^(phases|steps|stages|actions|roles|agents|commands|prompts|workflows)\//;

/** What the agent is to do, as opposed to what it may look up: code in a reference belongs to other programs. */
function isInstruction({ entry }: Skill, file: SkillFile): boolean {
  if (file === entry || workFolder.test(file.path)) return true;
  return (
    !file.path.includes("/") &&
    !/^(readme|changelog|license|contributing|reference|api|examples?|migration|roadmap|todo)/i.test(
      file.path,
    )
  );
}

const declares =
  /^[ \t]*(import\b.*(from\b|["'\w;])|from \S+ import\b|(async )?def \w+\(|package \w|using \w|#include|func \w+\(|fn \w+|use \w+::|(const|let|var) .*\brequire\()/m;
const classLine = /^[ \t]*(export |public |abstract |data )*class \w+/m;
const callsHost =
  /\b(Task|Agent|Subagent|Read|Write|Glob|Grep|Bash|AskUserQuestion|TodoWrite)\(|\b(run|call|spawn|launch|invoke|dispatch)_?(sub)?_?agent/i;
const ofAgents =
  /\b\w*prompts?\b|\bsub-?agents?\b|\bllm\b|\bassistant\b|\bconversation|\bhistory\b|\bchat\b|\banthropic\b|\bopenai\b|\bstate\.(json|history)/i;

/** An example of what the skill is about, such as a component or a handler: its faults are not the skill's. */
function isProgram(block: Block): boolean {
  const { text } = block;
  return (declares.test(text) || hasClass(block)) && !callsHost.test(text) && !ofAgents.test(text);
}

function hasClass({ text }: Block): boolean {
  return classLine.test(text);
}

function isDrawing({ text }: Block): boolean {
  return /[│─▶┌└┐┘├▼→←]/.test(text) && !/[;{}]/.test(text);
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

function isNegated(text: string): boolean {
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

function phaseFiles(documents: readonly SkillFile[]): SkillPhase[] {
  return documents
    .filter(({ path }) => phaseFolder.test(path) && !/(orchestrator|state-schema|readme)\.md$/i.test(path))
    .map((file) => ({ file, title: file.path, text: file.text, line: 1, endLine: file.lines.length }));
}

function phaseSections(file: SkillFile): SkillPhase[] {
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
    /\b(?:write|save|store|persist|record|keep|update|put|dump)s?\b[^.]{0,200}?`([^`\s]{1,200}\.(?:json|ya?ml))`/i.exec(
      text,
    ) ?? [];
  return target === undefined ? [] : [{ file, target: plainPath(target), line, endLine }];
}

/** Without the folder that a variable stands for. */
function plainPath(path: string): string {
  return path.replace(/\$\{[^}]{0,200}\}|\$\w+|\{[^}]{0,200}\}/g, "*").replace(/^(\*|\.)?\//, "");
}
