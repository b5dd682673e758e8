// Context explosion: what makes the context of an agent, or of the one that calls it, grow beyond need.
import type { Token } from "../code.ts";
import { type Finding, finding } from "../finding.ts";
import type { Code, Seen, Sentence } from "../see.ts";
import { growthIn, promptsIn, withoutTexts } from "./growth.ts";

const growing = /(history|messages|transcript|conversation|context|dialogue?|chat_?log)$/i;

export function diagnoseContext(seen: Seen): Finding[] {
  return [
    ...seen.codes.flatMap((code) => grows(code)),
    ...seen.codes.flatMap((code) => embeds(code)),
    ...seen.sentences.flatMap(said),
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

const wholeState =
  /(?:JSON\.stringify|json\.dumps)\(\s*(?:\w+\.)*(state|history|context|memory|session|full_?[sS]tate|all_?[rR]esults|results)\s*[,)]/;

function embeds(code: Code): Finding[] {
  return promptsIn(code).flatMap((token) =>
    token.holes
      .filter((hole) => wholeState.test(withoutTexts(hole)))
      .map((hole) => {
        const line = lineOfHole(token, hole);
        return finding("CTX-003", {
          file: code.file,
          line,
          endLine: line,
          evidence: `\${${hole}}`,
          description: `\`${hole}\` puts all of it into the prompt`,
        });
      }),
  );
}

function lineOfHole(token: Token, hole: string): number {
  return token.line + (token.text.slice(0, token.text.indexOf(hole)).match(/\n/g)?.length ?? 0);
}

const bounded =
  /\b(last|latest|recent|at most|limit|summar\w*|trim\w*|window|compact\w*|truncat\w*|drop|oldest|\d+)\b/i;
const keepsAll =
  /(?<!\w: )\b(append|add|accumulate|concatenate|carry|keep|collect|store)\b[^.:]{0,60}\b(all|every|each|entire|full|whole|complete|everything)\b[^.:]{0,60}\b(history|conversation|transcript|messages|(in|to|into|as) (the |your )?context|responses)\b/i;
const keepsAll2 =
  /\b(append|add)\b[^.]{0,120}\b(response|reply|answer|output|message|turn)s?\b[^.]{0,120}\bto (the |a |your )?(\w+ )?(history|conversation|transcript|context|messages)\b/i;
function said(sentence: Sentence): Finding[] {
  const { text, isAdvice } = sentence;
  if (!isAdvice || text.length > 600 || bounded.test(text)) return [];
  if (!keepsAll.test(text) && !keepsAll2.test(text)) return [];
  return [finding("CTX-001", { ...sentence, description: "what is kept has no bound", evidence: text })];
}
