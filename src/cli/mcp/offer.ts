// A command as a tool: its input schema is made of its arguments and flags, and what a model gives goes through the same
// reading of words as what a person types. What only a person may say is not in it.

import { type Arg, type Command, type Flag, Usage } from "../../command/command.ts";
import { commonFlags } from "../../command/parse.ts";
import { closest, problem } from "../../core/problem.ts";
import type { Fields } from "../../mcp/message.ts";

/** A command as it is offered. */
export interface Offer {
  readonly command: Command;
  readonly tool: string;
  readonly about: string;
  /** The flags that may be given. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** Flags that are always set. */
  readonly fixed: readonly string[];
  /** Arguments that need not be given, and what they are then. */
  readonly known: Readonly<Record<string, string>>;
}

export function offerOf(command: Command, more: Partial<Offer> = {}): Offer {
  const byHand = ([, flag]: readonly [string, Flag]) => !flag.byHand;
  return {
    command,
    tool: underscored(command.name),
    about: command.summary,
    flags: {
      ...Object.fromEntries(Object.entries(command.flags ?? {}).filter(byHand)),
      run: commonFlags.run as Flag,
    },
    fixed: [],
    known: {},
    ...more,
  };
}

export const underscored = (name: string) => name.replace(/[ -]/g, "_");

/** Reads one word of what is offered out of a given value. */
interface Field {
  readonly key: string;
  readonly about: string;
  readonly kind: "switch" | "one" | "many";
  readonly choices?: readonly string[] | undefined;
  readonly required: boolean;
}

function argField({ name, about, many, text, optional, choices }: Arg): Field {
  const kind = many && !text ? "many" : "one";
  return { key: underscored(name), about, kind, choices, required: !optional };
}

function flagField([name, { about, takes, many, choices }]: readonly [string, Flag]): Field {
  const kind = takes === undefined ? "switch" : many ? "many" : "one";
  return { key: underscored(name), about, kind, choices, required: false };
}

function fieldsOf({ command, flags }: Offer) {
  return {
    args: (command.args ?? []).map((arg) => ({ arg, field: argField(arg) })),
    flags: Object.entries(flags).map((entry) => ({ name: entry[0], field: flagField(entry) })),
  };
}

export function schemaOf(offer: Offer): Fields {
  const { args, flags } = fieldsOf(offer);
  const shown = [...args, ...flags].map(({ field }) => field).filter(({ key }) => !(key in offer.known));
  return {
    type: "object",
    properties: Object.fromEntries(shown.map((field) => [field.key, propertyOf(field)])),
    required: shown.filter(({ required }) => required).map(({ key }) => key),
    additionalProperties: false,
  };
}

function propertyOf({ about, kind, choices }: Field): Fields {
  const one = { type: "string", ...(choices && { enum: choices }) };
  if (kind === "many") return { type: "array", items: one, description: about };
  return { ...(kind === "switch" ? { type: "boolean" } : one), description: about };
}

/** What was given, as the words that a person would have typed. */
export function wordsFor(offer: Offer, given: Fields): string[] {
  const { args, flags } = fieldsOf(offer);
  refuseUnknown(
    offer,
    given,
    [...args, ...flags].map(({ field }) => field.key),
  );
  const input: Fields = { ...offer.known, ...given };
  const options = flags.flatMap(({ name, field }) =>
    field.kind === "switch"
      ? isSet(offer, field, input[field.key])
        ? [`--${name}`]
        : []
      : valuesOf(offer, field, input[field.key]).map((value) => `--${name}=${value}`),
  );
  const words = args.map(({ arg, field }) => ({ arg, values: valuesOf(offer, field, input[field.key]) }));
  const last = words.findLastIndex(({ values }) => values.length > 0);
  const gap = words.find(({ arg, values }, at) => values.length === 0 && (!arg.optional || at < last));
  if (gap) throw wrong(offer, `\`${gap.arg.name}\` is missing: ${gap.arg.about}`);
  // The protocol speaks on standard input; nobody else can be read from there.
  if (words.some(({ arg, values }) => !arg.text && values.includes("-")))
    throw wrong(offer, "`-` is standard input, which is not yours here");
  return [...options, ...offer.fixed, "--json", "--", ...words.flatMap(({ values }) => values)];
}

function refuseUnknown(offer: Offer, given: Fields, keys: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown === undefined) return;
  const meant = closest(unknown, keys);
  const hint = meant ? `did you mean \`${meant}\`?` : `it takes ${keys.join(", ") || "nothing"}`;
  throw new Usage(
    problem("unknown-argument", `\`${offer.tool}\` does not take \`${unknown.slice(0, 100)}\``, { hint }),
  );
}

function isSet(offer: Offer, { key }: Field, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === "boolean") return value === true;
  throw wrong(offer, `\`${key}\` must be true or false`);
}

function valuesOf(offer: Offer, { key, kind }: Field, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const values = kind === "many" && Array.isArray(value) ? value : [value];
  if (!values.every((each) => typeof each === "string" || Number.isFinite(each)))
    throw wrong(offer, `\`${key}\` must be a string${kind === "many" ? ", or a list of strings" : ""}`);
  return values.map(String);
}

function wrong({ tool, command }: Offer, what: string): Usage {
  const hint = `${tool} takes ${(command.args ?? []).map(({ name, about }) => `${underscored(name)} (${about})`).join(", ") || "flags only"}`;
  return new Usage(problem("bad-argument", what, { hint }));
}
