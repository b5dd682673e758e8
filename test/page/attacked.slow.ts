// U4 the real server and a real browser (`npm run page`): what another site can do to it, and what a page says of an orchestrator that
// is killed and comes back.
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { App } from "../../src/engine/app.ts";
import { ended, start, until } from "../e2e/rig.ts";
import { Execution } from "../execute/rig.ts";
import { chromiumPath } from "../needs.ts";
import { launched, openPage } from "./browser.ts";
import { readyProject } from "./rig.ts";

/** The link that `heddle web` prints. */
async function linkOf(child: ChildProcess): Promise<string> {
  let heard = "";
  for await (const bytes of child.stdout ?? []) {
    heard += String(bytes);
    const [link] = /http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}/.exec(heard) ?? [];
    if (link !== undefined) return link;
  }
  throw new Error(`it ended without a link: ${heard}`);
}

/** One that no connection of another program is given by chance: below those that the kernel hands out. */
async function freePort(): Promise<string> {
  for (let port = 20_000 + (process.pid % 5_000); ; port++) {
    const tried = createServer();
    const isFree = await new Promise<boolean>((settle) => {
      tried.once("error", () => settle(false)).listen(port, "127.0.0.1", () => settle(true));
    });
    if (!isFree) continue;
    await new Promise((done) => tried.close(done));
    return String(port);
  }
}

describe.skipIf(chromiumPath === "")("U4 the real page, attacked (left out without chromium)", () => {
  let browser: Browser;
  let child: ChildProcess;
  let other: Server;
  let app: App;
  let link: string;
  let base: string;
  beforeAll(async () => {
    browser = await launched();
    app = await readyProject("T001 T002<-T001");
    child = start(["web", "--no-open"], { cwd: app.paths.root });
    link = await linkOf(child);
    base = link.split("#")[0] ?? "";
    other = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>other</title>");
    });
    await new Promise<void>((done) => other.listen(0, done));
  });
  afterAll(async () => {
    await browser.close();
    child.kill("SIGKILL");
    other.close();
  });

  it("U4 lets another site neither post a form, nor send an order, nor read, nor listen, with the person's cookie there", async () => {
    const { port } = other.address() as AddressInfo;
    const { page } = await openPage(browser);
    await page.goto(link);
    await page.waitForSelector(".runs a");
    const before = (await app.history()).length;
    // The same host on another port: cookies do not know ports, so this is the nearest that another site can be.
    for (const host of ["127.0.0.1", "localhost"]) {
      const evil = await page.context().newPage();
      await evil.goto(`http://${host}:${port}/`);
      const order = JSON.stringify({ do: "halt", words: "evil", seen: 1e9 });
      const said = await evil.evaluate(
        async ([at, body]) => {
          const tried = async (path: string, more: RequestInit) => {
            try {
              const answer = await fetch(`${at}${path}`, { credentials: "include", ...more });
              return `${answer.type} ${answer.status} ${await answer.text()}`;
            } catch {
              return "refused";
            }
          };
          const listening = await new Promise<string>((settle) => {
            const events = new EventSource(`${at}api/events`, { withCredentials: true });
            events.onopen = () => settle("open");
            events.onerror = () => settle("refused");
          });
          return [
            await tried("api/project", {}),
            await tried("api/runs/plan-1/orders", { method: "POST", body: body ?? "" }),
            await tried("api/runs/plan-1/orders", {
              method: "POST",
              body: body ?? "",
              headers: { "content-type": "application/json" },
            }),
            listening,
          ];
        },
        [base, order],
      );
      expect(said).toEqual(["refused", "refused", "refused", "refused"]);
      const answer = evil.waitForResponse((each) => each.url().includes("/orders"));
      await evil.evaluate(
        ([at, body]) => {
          const form = Object.assign(document.createElement("form"), {
            action: `${at}api/runs/plan-1/orders`,
            method: "post",
            enctype: "text/plain",
          });
          form.append(Object.assign(document.createElement("input"), { name: body, value: "" }));
          document.body.append(form);
          form.submit();
        },
        [base, order],
      );
      expect([401, 403]).toContain((await answer).status());
      await evil.close();
    }
    expect((await app.history()).length).toBe(before);
    await page.context().close();
  });

  it("U4 is not there under another name that leads to it by DNS", async () => {
    const rebound = await chromium.launch({
      executablePath: chromiumPath,
      args: ["--no-sandbox", "--host-resolver-rules=MAP evil.example 127.0.0.1"],
    });
    try {
      const { page } = await openPage(rebound);
      const answer = await page.goto(`http://evil.example:${new URL(base).port}/`);
      expect(answer?.status()).toBe(421);
      expect(await page.locator("#app").count()).toBe(0);
    } finally {
      await rebound.close();
    }
  });

  it("U4 says that heddle was killed while the page is open, and that its session is over when another one is there", async () => {
    const { page } = await openPage(browser);
    const port = await freePort();
    const first = start(["web", "--no-open", "--port", port], { cwd: app.paths.root });
    await page.goto(await linkOf(first));
    await page.waitForSelector(".line-open");
    first.kill("SIGKILL");
    await ended(first);
    await page.waitForSelector("text=The connection to heddle is cut");
    expect(await page.locator(".runs a").count()).toBe(1);
    const second = start(["web", "--no-open", "--port", port], { cwd: app.paths.root });
    const again = await linkOf(second);
    await page.waitForSelector("text=This session is over", { timeout: 60_000 });
    await page.goto("about:blank");
    await page.goto(again);
    await page.waitForSelector(".line-open");
    second.kill("SIGKILL");
    await ended(second);
    await page.context().close();
  });

  it("U4 shows a run in two pages to its end, through a kill -9 of its orchestrator", async () => {
    const project = await Execution.ready({ tasks: 2 }, { T001: ["put('src/began', ''); hang()", "good()"] });
    const web = start(["web", "--no-open"], { cwd: project.root });
    const { page, errors } = await openPage(browser);
    await page.goto(await linkOf(web));
    await page.click(".runs a");
    await page.click(".tabs >> text=Board");
    const board = page.url();
    const second = await page.context().newPage();
    second.setDefaultTimeout(60_000);
    page.setDefaultTimeout(60_000);
    await second.goto(board.replace("/board", ""));
    const orchestrator = start([...project.words, "--batch"], { cwd: project.root });
    await page.waitForSelector(".column-running >> text=T001");
    await until("the agent works", () => existsSync(project.attempt("T001-1", "started.json")));
    orchestrator.kill("SIGKILL");
    await ended(orchestrator);
    for (const each of [page, second]) await each.waitForSelector(".stopped >> text=heddle execute");
    expect((await project.execute()).code).toBe(0);
    await page.waitForSelector(".column-complete >> text=T001");
    await page.waitForSelector(".column-complete >> text=T002");
    for (const each of [page, second]) await each.waitForSelector(".headline >> text=done");
    expect(await page.locator("a.task").count()).toBe(2);
    expect(errors).toEqual([]);
    web.kill("SIGKILL");
    await ended(web);
    await page.context().close();
  });
});
