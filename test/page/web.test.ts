// U4: `heddle web` and `--web` as processes: the link they print, and how they end.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder as emptyFolder, ended, heddle, start } from "../e2e/rig.ts";
import { folder, readyProject } from "./rig.ts";

/** Three files in the place of the built page: what is in them is not the point here. */
function page(): Record<string, string> {
  const path = folder();
  mkdirSync(path, { recursive: true });
  for (const name of ["index.html", "page.js", "page.css"]) writeFileSync(join(path, name), "");
  return { HEDDLE_PAGE: path };
}

/** The first line that has a link. */
async function linkOf(child: ChildProcess): Promise<string> {
  let heard = "";
  for await (const bytes of child.stdout ?? []) {
    heard += String(bytes);
    const [link] = /http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}/.exec(heard) ?? [];
    if (link !== undefined) return link;
  }
  throw new Error(`it ended without a link: ${heard}`);
}

const answers = (link: string) =>
  fetch(link).then(
    ({ status }) => status === 200,
    () => false,
  );

describe("heddle web", () => {
  it("U4 prints a link for programs, serves until Ctrl-C, and changes nothing", async () => {
    const app = await readyProject("T001");
    const child = start(["web", "--json", "--no-open"], { cwd: app.paths.root, env: page() });
    const link = await linkOf(child);
    expect(await answers(link)).toBe(true);
    child.kill("SIGINT");
    expect((await once(child, "exit"))[0]).toBe(130);
    expect(await answers(link)).toBe(false);
  });

  it("U4 says what is wrong in a sentence: no project, no page, a place that is not loopback, two places", async () => {
    const cwd = emptyFolder();
    const say = async (words: string[], env = page()) => {
      const { code, err } = await heddle(["web", "--no-open", ...words], { cwd, env });
      return [code, err.split("\n")[0]];
    };
    expect(await say([])).toEqual([1, expect.stringContaining("there is no heddle project")]);
    expect(await say(["--listen", "0.0.0.0:80"])).toEqual([64, expect.stringContaining("loopback")]);
    expect(await say(["--listen", "unix:a", "--port", "1"])).toEqual([
      64,
      expect.stringContaining("both given"),
    ]);
    expect(await say(["--port", "70000"])).toEqual([64, expect.stringContaining("no port")]);
    expect(await say([], { HEDDLE_PAGE: "/nowhere" })).toEqual([1, expect.stringContaining("not built")]);
  });

  it("U4 --web shows the work beside it, and ends with it when that is killed", async () => {
    const dir = join(emptyFolder(), "demo");
    const words = ["demo", "--dir", dir, "--no-kill", "--plain", "--web", "--no-open", "--speed", "0.1"];
    const child = start(words, { env: page() });
    const link = await linkOf(child);
    expect(await answers(link)).toBe(true);
    child.kill("SIGKILL");
    await ended(child);
    while (await answers(link)) await new Promise((settle) => setTimeout(settle, 50));
  });
});
