// What a run asks, asked on the terminal of the command that works on it. The same question stands on the page, in the REPL and for
// `heddle answer`: whoever answers first ends it everywhere.
import type { App } from "../../engine/app.ts";
import { oneLine } from "../../view/safe.ts";
import type { Call } from "../command.ts";
import { Cancelled } from "./cancelled.ts";
import { prompts } from "./prompts.ts";

export interface Open {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
}

/** Ends when the question is answered, here or elsewhere; throws `Cancelled` at Ctrl-C. */
export async function askInPlace(call: Call, app: App, open: Open): Promise<void> {
  const { answer: ask } = await prompts(call);
  const answer = await whileOpen(app, open.id, (until) => ask(open.text, open.options, until));
  if (answer !== undefined) await app.submit({ kind: "answer", id: open.id, answer });
  else call.say(`answered elsewhere: ${oneLine((await answerTo(app, open.id)) ?? "")}`);
}

/** What `ask` came to; nothing when the question was answered elsewhere, which aborts `until`. */
export async function whileOpen(
  app: App,
  id: string,
  ask: (until: AbortSignal) => Promise<string | undefined>,
): Promise<string | undefined> {
  const [watching, elsewhere] = [new AbortController(), new AbortController()];
  const watched = untilAnswered(app, id, watching.signal).then((isAnswered) => {
    if (isAnswered) elsewhere.abort();
  });
  try {
    return elsewhere.signal.aborted ? undefined : await ask(elsewhere.signal);
  } catch (error) {
    if (error instanceof Cancelled && elsewhere.signal.aborted) return undefined;
    throw error;
  } finally {
    watching.abort();
    await watched;
  }
}

const answerTo = (app: App, id: string) =>
  app.look((run) => run.questions.find((question) => question.id === id)?.answer);

async function untilAnswered(app: App, id: string, signal: AbortSignal): Promise<boolean> {
  const isAnswered = () =>
    app.look((run) => run.questions.every((question) => question.id !== id || question.answer !== null));
  const changes = app.journal.changes(signal)[Symbol.asyncIterator]();
  for (;;) {
    // Followed before it is looked at: an answer between the two is told.
    const change = changes.next();
    // A look that fails, at an edited view or a store that is away, is taken again when something changes.
    if (await isAnswered().catch(() => false)) return true;
    if ((await change).done) return false;
  }
}
