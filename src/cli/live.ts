// Showing a run while it goes on: a screen that is drawn over on a terminal, a line per fact elsewhere (X18).
import type { Run } from "../core/run.ts";
import type { App } from "../engine/app.ts";
import type { AgentEvent } from "../engine/plan.ts";
import { isDetail, lineOf } from "../view/activity.ts";
import { oneLine } from "../view/safe.ts";
import { statusText } from "../view/status.ts";
import { terminal } from "./terminal.ts";

export interface Live {
  readonly changed: (run: Run) => void;
  readonly watch: (who: string, event: AgentEvent) => void;
  /** Waits until everything that happened is shown. */
  readonly settle: () => Promise<void>;
}

export async function live(app: App, say: (line: string) => void): Promise<Live> {
  return terminal().live ? onTerminal(say) : inLines(app, say);
}

const home = "\u001b[H\u001b[2J";

/** The newest state is drawn at most ten times a second, and once more while a role is talking. */
function onTerminal(say: (line: string) => void): Live {
  const look = { ...terminal(), stopFile: false };
  let [latest, last, drawn]: [Run | undefined, string, number] = [undefined, "", 0];
  const draw = () => {
    if (!latest || Date.now() - drawn < 100) return;
    drawn = Date.now();
    const talk = last === "" ? "" : `\n  ${oneLine(last).slice(0, look.width - 4)}`;
    say(`${home}${statusText(latest, { ...look, nowMs: Date.now() })}${talk}`);
  };
  return {
    changed: (run) => {
      latest = run;
      drawn = 0;
      draw();
    },
    watch: (_who, event) => {
      last = spoken(event) ?? last;
      draw();
    },
    // What is printed next takes the place of the screen.
    settle: async () => {
      if (latest) say(home);
    },
  };
}

function spoken(event: AgentEvent): string | undefined {
  if (event.kind === "said") return event.text;
  return event.kind === "used-tool" ? `${event.name} ${event.detail}` : undefined;
}

async function inLines(app: App, say: (line: string) => void): Promise<Live> {
  let told = await app.look((run) => run.position);
  let telling = Promise.resolve();
  const tell = async (upTo: number) => {
    const after = told;
    told = Math.max(told, upTo);
    if (after >= upTo) return;
    for (const entry of await app.history({ after, upTo })) {
      if (!isDetail(entry)) say(`  ${lineOf(entry).event}: ${oneLine(lineOf(entry).message)}`);
    }
  };
  return {
    changed: ({ position }) => {
      telling = telling.then(() => tell(position));
    },
    watch: (who, event) => {
      const text = spoken(event);
      if (text !== undefined) say(`    ${who}: ${oneLine(text).slice(0, 200)}`);
    },
    settle: async () => {
      await telling;
      await tell(await app.look((run) => run.position));
    },
  };
}
