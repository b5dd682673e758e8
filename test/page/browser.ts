// A real browser for the page's tests: one for a file, a fresh context for each test, nothing loaded from elsewhere, and every
// error of the page or its policy kept.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumPath } from "../needs.ts";

export const launched = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });

export interface Opened {
  readonly page: Page;
  /** Errors of scripts, and what the policy of the page refused. */
  readonly errors: string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    const isLine = /ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE/.test(message.text());
    if (message.type() === "error" && !isLine) errors.push(message.text());
  });
  return { page, errors };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds with every rule that it takes by itself, WCAG 2.2 AA and best practice among them, one line each. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // By the debugger and not by a script element, which the page's policy refuses.
  if (!(await page.evaluate("!!window.axe"))) await page.evaluate(axe);
  const only = rules
    ? { runOnly: { type: "rule", values: rules } }
    : { rules: { "target-size": { enabled: true } } };
  const found = (await page.evaluate(
    `window.axe.run(document, ${JSON.stringify({ ...only, resultTypes: ["violations"] })}).then((r) => r.violations)`,
  )) as Found[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 240)}`),
  );
}
