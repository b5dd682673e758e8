// What every carrier does with what is said of its order, however the lines come and go, and with the commit that it made.
import { pin, type Repository } from "../../host/git/repository.ts";
import type { Hearing } from "../../work/order.ts";
import type { Answer, Said } from "../../work/wire/messages.ts";
import type { Wrapping } from "./process.ts";

export interface Listening {
  readonly hearing: Hearing;
  readonly wrapping: Pick<Wrapping, "keep">;
  readonly answer: (answer: Answer) => unknown;
}

type Meanwhile = Extract<Said, { kind: "event" | "log" | "kept" | "submits" }>;

/** Passes on what is said while the work goes on. Whatever else is said, it leaves to the carrier: then it is false. */
export function heard<T extends { readonly kind: string }>(
  said: T | Meanwhile,
  { hearing, wrapping, answer }: Listening,
): said is Meanwhile {
  const meanwhile = said as Meanwhile;
  if (meanwhile.kind === "event") hearing.tell(meanwhile.event);
  else if (meanwhile.kind === "log") hearing.log(meanwhile.log);
  else if (meanwhile.kind === "kept") wrapping.keep(meanwhile.kept);
  else if (meanwhile.kind === "submits") void submitted(meanwhile, hearing).then(answer);
  else return false;
  return true;
}

async function submitted(
  { number, input }: Extract<Said, { kind: "submits" }>,
  { submit }: Hearing,
): Promise<Answer> {
  const refused = await submit(input).catch((error: Error) => error.message);
  return { answers: number, refused: refused ?? null };
}

/** The ref is the one that this side names, and the commit the one that the outcome is about. */
export async function pinMade(repository: Repository, made: Parameters<typeof pin>[1]): Promise<void> {
  const { run, name, commit } = made;
  const unmade = await pin(repository, { run, name, commit });
  if (unmade) throw Object.assign(new Error(unmade.message), { problem: unmade });
}
