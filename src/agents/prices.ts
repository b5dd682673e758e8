// What a model's tokens cost, where the agent does not say so itself. Data with a date (`prices.json`), and whatever the
// project knows better; what nobody knows is unknown, and is shown as unknown.
import table from "./prices.json" with { type: "json" };

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  /** Input that was read from a cache; as all other input when left out. */
  readonly cachedInput?: number | undefined;
  /** Input that was written to a cache; as all other input when left out. */
  readonly cacheWrite?: number | undefined;
  /** The same, kept there for an hour; as what is written for a shorter time when left out. */
  readonly cacheWriteHour?: number | undefined;
  readonly output: number;
}

export type Prices = Readonly<Record<string, Price>>;

export interface Tokens {
  /** All of it, what came from a cache included. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite?: number;
  /** Of it, for an hour. */
  readonly cacheWriteHour?: number;
  readonly output: number;
}

export function costOf(model: string | undefined, tokens: Tokens, own: Prices = {}): number | null {
  if (tokens.input + tokens.output === 0) return 0;
  const known: Prices = { ...table.models, ...own };
  // A dated name is the same model: `gpt-5.5-2026-04-23`, `claude-sonnet-4-5-20250929`.
  const price =
    model === undefined ? undefined : (known[model] ?? known[model.replace(/-\d{4}-?\d{2}-?\d{2}$/, "")]);
  if (!price) return null;
  const cached = Math.min(tokens.cachedInput, tokens.input);
  const written = Math.min(tokens.cacheWrite ?? 0, tokens.input - cached);
  const forAnHour = Math.min(tokens.cacheWriteHour ?? 0, written);
  const { input, cachedInput = input, cacheWrite = input, cacheWriteHour = cacheWrite, output } = price;
  const parts = [
    (tokens.input - cached - written) * input,
    cached * cachedInput,
    (written - forAnHour) * cacheWrite,
    forAnHour * cacheWriteHour,
    tokens.output * output,
  ];
  return parts.reduce((all, each) => all + each, 0) / 1e6;
}
