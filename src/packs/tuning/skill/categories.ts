// What a complaint can be about: which diagnosis or area of focus looks at it, and which words of it say so.
interface CategoryRule {
  /** A diagnosis, or an area that only an agent can judge. */
  readonly focus: string;
  /** Whether a diagnosis of heddle's own looks at it. */
  readonly covered: boolean;
  readonly words: RegExp;
}

function diagnosed(focus: string, words: RegExp): CategoryRule {
  return { focus, covered: true, words };
}

function judged(focus: string, words: RegExp): CategoryRule {
  return { focus, covered: false, words };
}

export const categories = {
  context_explosion: diagnosed("context", /context|too long|overflow|window|histor|blow/gi),
  memory_loss: diagnosed(
    "memory",
    /forget|forgot|lose|lost|remember|memory|constraint|drift|ignor(?:e|es|ed|ing)\b/gi,
  ),
  dataflow_break: diagnosed(
    "dataflow",
    /\bstate\b|\bdata\b|json|parse|field|inconsisten|missing file|broken link|reference/gi,
  ),
  agent_failure: diagnosed("agent", /agent|fail|crash|error|hang|stuck|timeout|silent/gi),
  doc_conflict: diagnosed("docs", /duplicat|redundan|contradict|conflict|documentation|front ?matter/gi),
  token_consumption: diagnosed("token_consumption", /token|cost|expensive|large|big\b|bloat/gi),
  prompt_quality: judged("prompt", /vague|unclear|tone|wording|prompt/gi),
  architecture: judged("architecture", /architecture|structure|design/gi),
  performance: judged("performance", /slow|latency|performance|takes (?:too long|forever|ages)/gi),
} as const satisfies Readonly<Record<string, CategoryRule>>;

export type Category = keyof typeof categories;
