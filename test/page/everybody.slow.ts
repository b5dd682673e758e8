// U4 for everybody (`npm run page`): every view with every rule of axe, in light and dark, wide, at 200 % and on a phone; and every
// view by the Tab key alone, with the focus seen at every stop.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../needs.ts";
import { launched, openPage, violations } from "./browser.ts";
import { StandIn } from "./stand-in.ts";
import { views } from "./views.ts";

const all = {
  ...views,
  "a large board": "#/run/plan-2/board",
  "a large graph": "#/run/plan-2/graph",
  "a run that is not there": "#/run/plan-9",
};

/** 640 pixels are a window of 1280 at 200 %. */
const looks = [
  [1280, "light"],
  [1280, "dark"],
  [640, "light"],
  [360, "light"],
  [360, "dark"],
] as const;

describe.skipIf(chromiumPath === "")("U4 for everybody (left out without chromium)", () => {
  let browser: Browser;
  const server = new StandIn();
  let base: string;
  beforeAll(async () => {
    browser = await launched();
    base = await server.start();
  });
  afterAll(async () => {
    await browser.close();
    server.stop();
  });
  async function at(page: Page, hash: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(base + hash);
    await page.waitForSelector("h1");
    await page.waitForFunction(() => !document.querySelector(".loading"));
  }

  it.each(looks)(
    "U4 has no view with anything that axe finds, %i wide and %s",
    async (width, colorScheme) => {
      const { page } = await openPage(browser, { viewport: { width, height: 800 }, colorScheme });
      const found: string[] = [];
      for (const [name, hash] of Object.entries(all)) {
        await at(page, hash);
        found.push(...(await violations(page)).map((each) => `${name}: ${each}`));
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          found.push(`${name}: wider than the screen`);
      }
      expect(found.join("\n")).toBe("");
      await page.context().close();
    },
  );

  it("U4 comes to everything that can be pressed by Tab or arrows, and shows where the focus is", async () => {
    const { page } = await openPage(browser);
    const found: string[] = [];
    for (const [name, hash] of Object.entries(all)) {
      await at(page, hash);
      found.push(...(await walked(page)).map((each) => `${name}: ${each}`));
    }
    expect(found.join("\n")).toBe("");
    await page.context().close();
  });

  it("U4 moves nothing by itself where a person asked for less motion", async () => {
    const { page } = await openPage(browser, { reducedMotion: "reduce" });
    for (const hash of Object.values(all)) {
      await at(page, hash);
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    }
    await page.context().close();
  });
});

/** What Tab does not come to though it can be pressed, and where the focus cannot be seen. */
async function walked(page: Page): Promise<string[]> {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (let stop = 0; stop < 400; stop++) {
    await page.keyboard.press("Tab");
    const here = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const marked = element as Element & { dataset: DOMStringMap };
      marked.dataset.stop ??= `${document.querySelectorAll("[data-stop]").length}`;
      const box = element.matches("[data-node]") ? (element.querySelector(".box") ?? element) : element;
      const style = getComputedStyle(box);
      const isOutlined = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 1;
      const isStroked = box !== element && Number.parseFloat(style.strokeWidth) >= 2;
      const { top, bottom } = element.getBoundingClientRect();
      return {
        stop: marked.dataset.stop,
        html: element.outerHTML.slice(0, 90),
        isSeen: isOutlined || isStroked,
        isInside: bottom > 0 && top < innerHeight,
      };
    });
    if (here === null || seen.has(here.stop)) break;
    seen.add(here.stop);
    if (!here.isSeen) problems.push(`no focus is seen: ${here.html}`);
    if (!here.isInside) problems.push(`the focus is off the screen: ${here.html}`);
  }
  const left = await page.evaluate(() =>
    [
      ...document.querySelectorAll(
        "main a[href], main button, main select, main textarea, main input, main summary",
      ),
    ]
      .filter((each) => {
        const can = each as HTMLButtonElement;
        // What has arrow keys inside of it has one stop for all.
        const isRoving = can.tabIndex < 0 && each.closest(".windowed, .ground, .lines, .lane") !== null;
        return !can.disabled && !isRoving && can.checkVisibility() && !can.dataset.stop;
      })
      .map((each) => each.outerHTML.slice(0, 90)),
  );
  return [...problems, ...left.map((each) => `Tab does not come to ${each}`)];
}
