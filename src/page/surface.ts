// What the page is given by whoever starts it: the project, and what only the command line and the packs can do.
import type { Run } from "../core/run.ts";
import type { App } from "../engine/app.ts";
import type { RunReportFiles } from "../view/report/run-report.ts";
import type { CoveragePage, OrderReply } from "./model.ts";

export interface Surface {
  readonly app: App;
  readonly version: string;
  /** Calls a command as a person would, about one run. */
  readonly perform: (words: readonly string[], run: string) => Promise<Performed>;
  /** Nothing for a run without a specification. */
  readonly coverage: (run: Run) => Promise<CoveragePage | null>;
  /** What the documents of a run say, as they lie there. */
  readonly documents: (run: Run) => Promise<RunReportFiles>;
}

/** What is needed to show a run and to order nothing. */
export type Reading = Omit<Surface, "perform">;

export type Performed =
  | { readonly ok: true; readonly said: string }
  | Exclude<OrderReply, { readonly ok: true }>;
