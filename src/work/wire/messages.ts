// What is said between whoever gives an order and the process that carries it out (`heddle carry`), a JSON document per
// line. In: the order, then answers. Out: what goes on, what an agent wants written down, and at last what came of it.
import type { Input } from "../../core/input.ts";
import { jsonIn } from "../../core/json.ts";
import { type Problem, problem } from "../../core/problem.ts";
import type { Logged } from "../inside/requests.ts";
import type { Carried, WorkEvent, WorkOrder } from "../order.ts";
import { type Away, type Kept, placeMark } from "./away.ts";
import type { Fitting } from "./machine-messages.ts";

/** The first line in. */
export interface Given {
  readonly order: WorkOrder;
  /** Folders that agents write: no program of heddle's own is taken from there. */
  readonly distrusted: readonly string[];
  /** Where it is carried out away from the project. */
  readonly away?: Away;
  /** How it is carried out on another machine: how agents are made there, and which attempts still need their folders. */
  readonly fitting?: Fitting;
  readonly live?: readonly string[];
}

/** Every further line in: whether what was asked was written down. The end of the input ends the work. */
export interface Answer {
  readonly answers: number;
  readonly refused: string | null;
}

/** A line out. `carried` or `failed` is the last. */
export type Said =
  | { readonly kind: "event"; readonly event: WorkEvent }
  | { readonly kind: "log"; readonly log: Logged }
  /** Where it is carried out away: a file that is to be kept at home. */
  | { readonly kind: "kept"; readonly kept: Kept }
  | { readonly kind: "submits"; readonly number: number; readonly input: Input }
  | { readonly kind: "carried"; readonly carried: Carried }
  | { readonly kind: "failed"; readonly failed: Thrown };

/** What the world threw, as far as it tells a full disk from a bug. */
export interface Thrown {
  readonly message: string;
  readonly code?: string;
  readonly path?: string;
  readonly problem?: { readonly code: string; readonly message: string };
}

const kinds: { readonly [K in WorkOrder["kind"]]: true } = {
  "prepare-workspace": true,
  "run-agent": true,
  "repair-result": true,
  "run-checks": true,
  "review-work": true,
  "prepare-merge": true,
  "check-baseline": true,
  "run-role": true,
  "repair-output": true,
};

/** `place`: the folder of the process that reads it. */
export function givenIn(line: string | undefined, place: string): Given | Problem {
  const given = jsonIn(line && marked(line, place)) as Partial<Given> | null | undefined;
  const kind = (given?.order as { kind?: unknown } | null | undefined)?.kind;
  if (typeof kind !== "string" || !Object.hasOwn(kinds, kind))
    return problem("no-order", "standard input does not begin with an order in one line of JSON", {
      hint: `{"order":{"kind":"run-checks", …}}; kinds are ${Object.keys(kinds).join(", ")}`,
    });
  const { distrusted = [] } = given ?? {};
  return { ...(given as Given), distrusted };
}

const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
const marked = (line: string, place: string) => line.replaceAll(placeMark, quoted(place));

/** What is said away names no folder of this machine. */
export const unmarked = (said: Said, place: string) =>
  JSON.stringify(said).replaceAll(quoted(place), placeMark);

export function answerIn(line: string): Answer | undefined {
  const said = jsonIn(line) as Partial<Answer> | null | undefined;
  return typeof said?.answers === "number"
    ? { answers: said.answers, refused: said.refused ?? null }
    : undefined;
}

export const saidIn = (line: string) => jsonIn(line) as Said | undefined;

export function thrownBy(error: unknown): Thrown {
  const { message, code, path, problem: found } = error as Error & Partial<Thrown>;
  return {
    message: message ?? String(error),
    ...(code !== undefined && { code }),
    ...(path !== undefined && { path }),
    ...(found && { problem: { code: found.code, message: found.message } }),
  };
}

/** The same as it was thrown there. */
export const asThrown = ({ message, ...rest }: Thrown): Error => Object.assign(new Error(message), rest);
