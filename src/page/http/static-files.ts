// The page itself: three files that hold no data, so they need no session. A browser asks for them before it can send one: the token
// is in the fragment of the link, which is never sent.
import { join } from "node:path";
import { toCall } from "../../core/hint.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { readIfThere } from "../../host/files.ts";
import { packageDir } from "../../work/package.ts";

const types: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
};

export interface StaticFile {
  readonly type: string;
  readonly body: string;
}

/** By path. Every address that is a view of the page's own is its one document. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

const pageFolder = () => process.env.HEDDLE_PAGE ?? join(packageDir(), "dist/page");

export function readPage(folder = pageFolder()): StaticFiles | Problem {
  const files = Object.entries(types).map(
    ([name, type]) => [name, type, readIfThere(join(folder, name))] as const,
  );
  const missing = files.find(([, , body]) => body === undefined);
  if (missing)
    return problem("no-page", `the page was not built: ${join(folder, missing[0])} is missing`, {
      hint: ["npm run build, or without the page: ", toCall("status --watch")],
    });
  return new Map(files.map(([name, type, body = ""]) => [`/${name}`, { type, body }]));
}

export function staticFile(files: StaticFiles, path: string): StaticFile | undefined {
  return files.get(path) ?? (path.startsWith("/api/") ? undefined : files.get("/index.html"));
}
