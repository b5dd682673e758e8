// What some tests need beyond Node, npm and git. A test that cannot be had without such a program says so in its title or
// its group's, "(left out without …)", and `npm test` counts at its end what was left out by these words.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Looked for once, before the first test (`test/e2e/build.ts`); a campaign that is no test of vitest looks itself. */
const there = process.env.HEDDLE_TEST_HAS ?? (await (await import("./look.ts")).whatIsThere());
const has = (what: string) => there.split(" ").includes(what);

/** bubblewrap that can make a box here: it may be installed and still be refused user namespaces. */
export const hasBox = has("box");
export const hasStrace = has("strace");
export const hasTmux = has("tmux");
export const hasScript = has("script");

/** Where a program is along PATH; "" when it is not there. `which` is not on every machine. */
export function whereIs(program: string): string {
  const places = (process.env.PATH ?? "").split(":").map((folder) => join(folder, program));
  return places.find((path) => existsSync(path)) ?? "";
}

/** The command lines of all living processes, each behind its number. `ps` is not on every machine. */
export function commandLines(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return words === "" ? [] : [`${pid} ${words}`];
      } catch {
        return [];
      }
    });
}

/** Debian's and others' Chromium; no test downloads a browser. */
export const chromiumPath = whereIs("chromium") || whereIs("chromium-browser") || whereIs("google-chrome");
