// U4: many pages in one browser, against the real server: one line for all of them, which another page takes over, and no change is
// lost or shown twice.
import type { Browser, BrowserContext, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isProblem } from "../../src/core/problem.ts";
import { readPage } from "../../src/page/http/static-files.ts";
import { chromiumPath } from "../needs.ts";
import { launched } from "./browser.ts";
import { Page, readyProject } from "./rig.ts";

const many = 8;

describe.skipIf(chromiumPath === "")("U4 many tabs of one browser (left out without chromium)", () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    browser = await launched();
    context = await browser.newContext({ viewport: { width: 900, height: 700 } });
    const names = Array.from({ length: 12 }, (_, at) => `T0${String(at + 1).padStart(2, "0")}`);
    const files = readPage();
    if (isProblem(files)) throw new Error(files.message);
    page = await (await Page.open(await readyProject(names.join(" ")), files)).begin();
  });
  afterAll(() => browser.close());

  const skip = async (task: string) => {
    const { status, json } = await page.order("plan-1", {
      do: "skip",
      task,
      words: "not needed",
      seen: 1_000,
    });
    expect([status, json.problem]).toEqual([200, undefined]);
  };
  const shows = (tab: Tab, skipped: number) =>
    tab.waitForSelector(`.progress:has-text("${skipped} skipped")`, { timeout: 30_000 });
  const lines = () => page.served.lines();
  const until = async (isSo: () => boolean) => {
    for (const limit = Date.now() + 30_000; !isSo(); await new Promise((settle) => setTimeout(settle, 20)))
      if (Date.now() > limit) throw new Error("it did not become so in 30 seconds");
  };

  it("U4 has one line however many tabs there are, and another tab takes it over when its own is closed", async () => {
    const first = await context.newPage();
    await first.goto(page.served.link());
    await first.waitForSelector(".line-open");
    const board = `http://${page.host}/#/run/plan-1/board`;
    const tabs: Tab[] = [first];
    while (tabs.length < many) {
      const tab = await context.newPage();
      await tab.goto(board);
      tabs.push(tab);
    }
    await first.goto(board);
    for (const tab of tabs) await tab.waitForSelector(".line-open", { timeout: 30_000 });
    expect(lines()).toBe(1);
    await skip("T001");
    for (const tab of tabs) await shows(tab, 1);
    // Whoever has the line: closed without a word, and something is written before another one has it.
    await first.close();
    await skip("T002");
    for (const tab of tabs.slice(1)) await shows(tab, 2);
    await until(() => lines() === 1);
    await skip("T003");
    for (const tab of tabs.slice(1)) await shows(tab, 3);
  });
});
