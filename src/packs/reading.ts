// What a page or a report of a run needs of the packs: what they know of its specification and its documents.
import { version } from "../command/version.ts";
import type { App } from "../engine/app.ts";
import type { Reading } from "../page/surface.ts";
import type { Pack } from "./pack.ts";

export type Coverage = NonNullable<Pack["coverage"]>;

/** `coverage`: of the pack that the run is of. */
export function readingFor(app: App, coverage: Coverage): Reading {
  return {
    app,
    version,
    coverage,
    documents: async (run) => (await import("./documents/run-report.ts")).filesOf(run),
  };
}
