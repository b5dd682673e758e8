// Discovery, as the rest of heddle sees it: what is found out before anybody is asked or paid (D2, D5, D13). It reads;
// it asks nothing, runs nothing but git, and saves nothing.
export { contextText } from "./context-text.ts";
export { discoverProject } from "./discover-project.ts";
export { findSpecs, type SpecCandidate } from "./find-specs.ts";
export type { Limits } from "./limits.ts";
export { type Preference, type Preferences, userPreferences } from "./preferences.ts";
export type { ProjectContext } from "./project-context.ts";
