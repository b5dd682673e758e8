// The room of discovery: what is found out about an existing project. It reads the project's files and runs git, nothing else;
// it writes nothing, asks nobody and knows no run.
//
// Discovery, as the rest of heddle sees it: what is found out before anybody is asked or paid (D2, D5, D13). It reads;
// it asks nothing, runs nothing but git, and saves nothing.
export { contextText } from "./context-text.ts";
export { corrected } from "./corrections.ts";
export { discoverProject } from "./discover-project.ts";
export { findSpecs } from "./find-specs.ts";
export { userPreferences } from "./preferences.ts";
export type { ProjectContext } from "./project-context.ts";
export { configured, withConfigured } from "./set-up-steps.ts";
