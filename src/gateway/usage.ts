// What a vendor's answer says that it used, read as it passes by: server-sent events or one JSON document, in the dialects of
// Anthropic, OpenAI (Responses and Chat) and Gemini. Memory is bounded whatever is answered. No I/O.
import { recordIn } from "../core/json.ts";

export interface Used {
  /** As the vendor calls it, which may be more exact than what was asked for. */
  readonly model: string | undefined;
  /** All of it: what came from a cache and what was written to one included. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  /** Of what was written, what is kept for an hour: it costs more. */
  readonly cacheWriteHour: number;
  /** Thinking included. */
  readonly output: number;
  readonly thinking: number;
  /** Whether the answer came to its end: before it, the output is not known. */
  readonly isWhole: boolean;
}

/** An event of OpenAI's that closes an answer repeats all of it. */
const longestLine = 8 * 1024 * 1024;
const longestDocument = 16 * 1024 * 1024;
const newline = 10;

export class UsageReader {
  readonly #isStream: boolean;
  #kept: Buffer[] = [];
  #length = 0;
  #isTooLong = false;
  #used: Used | undefined;

  constructor(contentType = "") {
    this.#isStream = contentType.toLowerCase().includes("event-stream");
  }

  push(chunk: Buffer): void {
    if (!this.#isStream) {
      this.#keep(chunk, longestDocument);
      return;
    }
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, at), longestLine);
      this.#take();
      from = at + 1;
    }
    this.#keep(chunk.subarray(from), longestLine);
  }

  /** Nothing where it says nothing about what it used. */
  end(): Used | undefined {
    this.#take();
    return this.#used;
  }

  #keep(part: Buffer, most: number): void {
    if (this.#isTooLong || part.length === 0) return;
    this.#length += part.length;
    this.#isTooLong = this.#length > most;
    if (this.#isTooLong) this.#kept = [];
    else this.#kept.push(part);
  }

  #take(): void {
    const [first] = this.#kept;
    const line = this.#kept.length > 1 ? Buffer.concat(this.#kept) : first;
    this.#kept = [];
    this.#length = 0;
    this.#isTooLong = false;
    // `usage` and `usageMetadata`: other lines are not even decoded.
    if (!line?.includes("sage")) return;
    const text = line.toString("utf8").replace(/^data:\s*/, "");
    for (const each of documentsIn(text)) this.#used = usedIn(each, this.#used);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Gemini answers a list where no events were asked for. */
function documentsIn(text: string): Fields[] {
  if (!text.trimStart().startsWith("[")) return [recordIn(text)].filter((each) => each !== undefined);
  const list = recordIn(`{"all":${text}}`)?.all;
  return Array.isArray(list) ? list.map(fieldsOf) : [];
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const count = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
const nothing: Used = {
  ...{
    model: undefined,
    input: 0,
    cachedInput: 0,
    cacheWrite: 0,
    cacheWriteHour: 0,
    output: 0,
    thinking: 0,
    isWhole: false,
  },
};

/** Counts are of the whole answer so far, so that a later one takes the place of an earlier one. */
function usedIn(said: Fields, before: Used | undefined): Used | undefined {
  const inner = [said, fieldsOf(said.message), fieldsOf(said.response)].find(
    ({ usage, usageMetadata }) => Object.keys({ ...fieldsOf(usage), ...fieldsOf(usageMetadata) }).length > 0,
  );
  if (!inner) return before;
  const model = [inner.model, inner.modelVersion].find((each) => typeof each === "string") ?? before?.model;
  const { usageMetadata } = inner;
  const now = usageMetadata ? geminiUsage(inner) : plainUsage(said, fieldsOf(inner.usage), before ?? nothing);
  return { ...now, model: model as string | undefined };
}

function geminiUsage({ usageMetadata, candidates }: Fields): Omit<Used, "model"> {
  const told = fieldsOf(usageMetadata);
  const thinking = count(told.thoughtsTokenCount);
  const isWhole = Array.isArray(candidates) && candidates.some((each) => fieldsOf(each).finishReason);
  return {
    input: count(told.promptTokenCount) + count(told.toolUsePromptTokenCount),
    cachedInput: count(told.cachedContentTokenCount),
    cacheWrite: 0,
    cacheWriteHour: 0,
    // What it thought is not among what it answered.
    output: count(told.candidatesTokenCount) + thinking,
    thinking,
    isWhole,
  };
}

/** Anthropic counts what came from a cache beside the input, OpenAI within it. */
function plainUsage(said: Fields, usage: Fields, before: Used): Omit<Used, "model"> {
  const type = typeof said.type === "string" ? said.type : "";
  const details = fieldsOf(usage.input_tokens_details ?? usage.prompt_tokens_details);
  const [read, written] = [count(usage.cache_read_input_tokens), count(usage.cache_creation_input_tokens)];
  const plain = count(usage.input_tokens ?? usage.prompt_tokens);
  const out = fieldsOf(usage.output_tokens_details ?? usage.completion_tokens_details);
  const input = plain + read + written;
  const cacheWriteHour = count(fieldsOf(usage.cache_creation).ephemeral_1h_input_tokens);
  const told = {
    input,
    cachedInput: read || count(details.cached_tokens),
    cacheWrite: written,
    cacheWriteHour,
  };
  return {
    // The last event of Anthropic's tells the output alone, or everything once more.
    ...(input > 0 ? told : inputOf(before)),
    output: count(usage.output_tokens ?? usage.completion_tokens),
    thinking: count(out.reasoning_tokens),
    isWhole: type !== "message_start",
  };
}

const inputOf = ({ input, cachedInput, cacheWrite, cacheWriteHour }: Used) => ({
  ...{ input, cachedInput, cacheWrite, cacheWriteHour },
});
