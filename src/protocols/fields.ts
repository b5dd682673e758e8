// Fields that several files of a plan share: ids, names, paths, references to the specification.
// Whatever is shown on a terminal refuses invisible characters here already.
import * as z from "zod";
import { INVISIBLE } from "./document.ts";

const shownName = new RegExp(`^(?=\\s*\\S)[^${INVISIBLE}]*$`);

/** Ids are a letter and a number, so they are safe as file names. */
const id = (letter: string, noun: string) =>
  z.string().regex(new RegExp(`^${letter}\\d+$`), `must look like \`${letter}1\`, as every ${noun} id does`);

export const taskId = id("T", "task");
export const behaviourId = id("B", "behaviour");
export const domainId = id("D", "domain");
export const capabilityId = id("C", "capability");
export const flowId = id("F", "flow");

export function isName(text: string): boolean {
  return shownName.test(text);
}

/** Longer ones are no names: they would fill every table and every screen. */
const nameLength = 300;
const textLength = 20_000;

export const name = z
  .string()
  .max(nameLength)
  .regex(shownName, "must not be blank or hold control characters");

export const text = z.string().max(textLength).regex(/\S/, "must not be blank");

/** Whether it stays inside the target is checked beside the schema: see `target-path.ts`. */
export const path = z
  .string()
  .regex(shownName, "must not be blank or hold control characters")
  .describe("relative to the target directory, with forward slashes");

/** A major version that we read; later minor ones only add fields. */
export const version = (major: number) =>
  z.string().regex(new RegExp(`^${major}\\.\\d+$`), `must be \`${major}.0\` or another ${major}.x`);

export const specRef = z
  .union([z.string(), z.looseObject({ quote: z.string(), location: z.string().optional() })], {
    error: "must be a quote, or an object with a `quote`",
  })
  .describe("a passage of the specification, word for word");

export type SpecRef = z.infer<typeof specRef>;

export function quoteOf(reference: SpecRef): string {
  return typeof reference === "string" ? reference : reference.quote;
}

export const layer = z.enum(["api", "domain", "data", "infra", "test"]);
export const count = z.int().min(0);
export const time = z.string().describe("ISO 8601");
export const checksums = z.record(z.string(), z.string());
