// Context explosion: what makes the context of an agent, or of the one that calls it, grow beyond need.
import { callsTo, closing, keysAt, type Token } from "../code.ts";
import { type Finding, finding } from "../finding.ts";
import { type Code, isAction, type Seen, type Sentence } from "../see.ts";
import { growthIn, holdsRead, promptsIn, withoutTexts } from "./growth.ts";

const growing = /(history|messages|transcript|conversation|context|dialogue?|chat_?log)$/i;

export function diagnoseContext(seen: Seen): Finding[] {
  return [
    ...seen.codes.flatMap((code) => grows(code)),
    ...seen.codes.flatMap((code) => embeds(code)),
    ...seen.codes.flatMap((code) => returnsContent(code)),
    ...seen.sentences.flatMap((sentence) => said(sentence, seen)),
    ...promptsReturning(seen),
    ...longPhases(seen),
  ];
}

function grows(code: Code): Finding[] {
  return growthIn(code)
    .filter(({ name }) => growing.test(name))
    .map(({ name, line, endLine }) =>
      finding("CTX-001", {
        file: code.file,
        line,
        endLine,
        description: `\`${name}\` grows with every turn and is never cut`,
      }),
    );
}

const content = /content|fullText|file_?text|\bbody\b|transcript|source_?code|full_?output|document\b/i;
const partOfIt =
  /path|prompt|summary|title|\bname\b|slice|substring|excerpt|\bid\b|length|count|digest|hash|preview|type/i;
const wholeState =
  /(?:JSON\.stringify|json\.dumps)\(\s*(?:\w+\.)*(state|history|context|memory|session|full_?[sS]tate|all_?[rR]esults|results)\s*[,)]/;

function embeds(code: Code): Finding[] {
  const { file, tokens } = code;
  const found = promptsIn(code).flatMap((token) =>
    token.holes.flatMap((hole) => {
      const code = withoutTexts(hole);
      const lines = { file, line: token.line, endLine: token.endLine, evidence: `\${${hole}}` };
      const at = lineOfHole(token, hole);
      const place = { ...lines, line: at, endLine: at };
      if (wholeState.test(code))
        return [finding("CTX-003", { ...place, description: `\`${hole}\` puts all of it into the prompt` })];
      if (holdsRead(code) || (content.test(code) && !partOfIt.test(code)))
        return [
          finding("CTX-002", { ...place, description: `\`${hole}\` puts a whole text into the prompt` }),
        ];
      return [];
    }),
  );
  return [...found, ...joinedReads(code, tokens)];
}

function lineOfHole(token: Token, hole: string): number {
  return token.line + (token.text.slice(0, token.text.indexOf(hole)).match(/\n/g)?.length ?? 0);
}

/** `Read(a) + Read(b)`: files strung together. */
function joinedReads({ file }: Code, tokens: readonly Token[]): Finding[] {
  const calls = callsTo(tokens, /^(Read|readFile|readFileSync|read_file)$/);
  const joined = calls.find(
    ({ from, to }) => tokens[to + 1]?.text === "+" || /^\+=?$/.test(tokens[from - 1]?.text ?? ""),
  );
  if (!joined) return [];
  const { line, endLine } = joined;
  return [finding("CTX-002", { file, line, endLine, description: "whole files are strung together" })];
}

const contentKeys =
  /^(content|contents|full_?(output|content|text)|complete_?(result|output)|file_?contents?|raw_?output|transcript)$/i;

function returnsContent({ file, tokens }: Code): Finding[] {
  return tokens.flatMap((token, at) => {
    if (token.text !== "return" || tokens[at + 1]?.text !== "{") return [];
    const end = closing(tokens, at + 1);
    const key = keysAt(tokens, at + 1).find((each) => contentKeys.test(each));
    if (key === undefined) return [];
    const endLine = tokens[end]?.endLine ?? token.line;
    return [
      finding("CTX-005", {
        file,
        line: token.line,
        endLine,
        description: `the result carries \`${key}\` itself`,
      }),
    ];
  });
}

const bounded =
  /\b(last|latest|recent|at most|limit|summar\w*|trim\w*|window|compact\w*|truncat\w*|drop|oldest|\d+)\b/i;
const keepsAll =
  /(?<!\w: )\b(append|add|accumulate|concatenate|carry|keep|collect|store)\b[^.:]{0,60}\b(all|every|each|entire|full|whole|complete|everything)\b[^.:]{0,60}\b(history|conversation|transcript|messages|(in|to|into|as) (the |your )?context|responses)\b/i;
const keepsAll2 =
  /\b(append|add)\b[^.]*\b(response|reply|answer|output|message|turn)s?\b[^.]*\bto (the |a |your )?(\w+ )?(history|conversation|transcript|context|messages)\b/i;
const handsOver =
  /\b(paste|include|embed|insert|inline|pass|send|copy|give|put|dump|provide|forward)(?:s|es)?\b[^.]*\b(full|entire|whole|complete|raw|all (of )?the)\b[^.]*\b(contents?|text|files?|state|documents?|transcript|source|codebase|output|repository|diff|report)\b[^.]*\b(in|into|to|with|as)\b[^.]*\b(prompt|agent|sub-?agent|context|message|worker|reviewer)s?\b/i;
const readsAhead =
  /\b(read|load|open)s?\b[^.]*\b(all|every|entire|whole)\b[^.]*\b(files?|codebase|repository|repo|documents?|directory|docs)\b[^.]*\b(into (the |your )?(context|memory)|up ?front|at once|before (you )?(start|begin|do|anything)|in full)\b/i;
const returnsAll =
  /(?:(?:^|[,;:] )(?:then |finally,? |and |have it |ask (?:it|them|each) to |- |\d+\. )*|\b(?:agents?|workers?|it|they|reviewers?)\b[^.]{0,40}\b(?:to |must |should |will )?)(return|reply with|respond with|reports? back|sends? back|hands? back|returns)\b[^.]*\b(full|entire|whole|complete|raw|verbatim)\b[^.]*\b(contents?|text|files?|output|document|transcript|source|logs?)\b/i;

function said(sentence: Sentence, { skill }: Seen): Finding[] {
  const { text, isAdvice } = sentence;
  if (!isAdvice || text.length > 600) return [];
  if ((keepsAll.test(text) || keepsAll2.test(text)) && !bounded.test(text))
    return [finding("CTX-001", { ...sentence, description: "what is kept has no bound", evidence: text })];
  const isOfAgent = /agent|worker|reviewer|reader|persona/i.test(text) || /agent$/.test(skill.kind);
  if (isOfAgent && returnsAll.test(text))
    return [finding("CTX-005", { ...sentence, description: "the answer is the whole text", evidence: text })];
  if (handsOver.test(text) || readsAhead.test(text))
    return [
      finding("CTX-002", {
        ...sentence,
        description: "a whole text is loaded or handed over",
        evidence: text,
      }),
    ];
  return [];
}

/** What the prompts inside calls ask to be returned. */
function promptsReturning({ agentCalls }: Seen): Finding[] {
  return agentCalls.flatMap(({ code, prompts }) =>
    prompts.flatMap((token) =>
      token.text.split("\n").flatMap((text, at) => {
        if (!returnsAll.test(text.trim()) || /\b(not|never|don't)\b/i.test(text)) return [];
        const line = token.line + at;
        return [
          finding("CTX-005", {
            file: code.file,
            line,
            endLine: line,
            description: "the prompt asks for the whole text back",
          }),
        ];
      }),
    ),
  );
}

const longPhase = 5000;

function longPhases({ documents }: Seen): Finding[] {
  return documents
    .filter(isAction)
    .filter(({ text }) => text.length > longPhase && !/summar|compress|truncat|condens|excerpt/i.test(text))
    .map((file) =>
      finding("CTX-004", {
        file,
        line: 1,
        endLine: file.lines.length,
        description: `${file.text.length} characters, and nothing is summarized`,
        evidence: `${file.text.length} characters, ${file.tokens} tokens`,
      }),
    );
}
