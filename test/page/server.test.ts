// U4: the page's server over loopback: who may speak to it, what it says, and what it does.
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { surfaceFor } from "../../src/cli/page/surface.ts";
import { allCommands } from "../../src/cli/registry.ts";
import type { App } from "../../src/engine/app.ts";
import { serve } from "../../src/page/http/server.ts";
import { readPage } from "../../src/page/http/static-files.ts";
import { definition } from "../core/plan.ts";
import { folder, Page, placeholder, readyProject } from "./rig.ts";

const script = "<script>alert(1)</script>";
let app: App;
let page: Page;

beforeAll(async () => {
  app = await readyProject([
    definition("T001", { name: script }),
    definition("T002", { dependsOn: ["T001"] }),
    definition("T003"),
  ]);
  page = await (await Page.open(app)).begin();
});

const halt = JSON.stringify({ do: "halt", seen: 1000 });
const isHalted = async () => (await app.look((run) => run.halt)) !== null;

describe("the page's server", () => {
  it("U4 answers nobody without a session, reading too, and says so in a sentence", async () => {
    for (const path of ["/api/project", "/api/runs/plan-1", "/api/events", "/api/runs/plan-1/money"]) {
      const { status, json } = await page.ask(path);
      expect([path, status]).toEqual([path, 401]);
      expect(json.problem).toContain("heddle web");
    }
    // The cookie alone is what a browser would send to an agent's own server on another port.
    const { cookie = "" } = page.credentials;
    expect((await page.ask("/api/project", { headers: { cookie } })).status).toBe(401);
    expect((await page.read("/api/project")).status).toBe(200);
  });

  it("U4 refuses a name that leads here by DNS", async () => {
    for (const host of [
      "evil.example",
      `evil.example:${page.port}`,
      "127.0.0.1",
      `localhost:${page.port + 1}`,
    ]) {
      const { status } = await page.ask("/api/project", { headers: { ...page.credentials, host } });
      expect([host, status]).toEqual([host, 421]);
    }
    const { status } = await page.ask("/", { headers: { host: `evil.example:${page.port}` } });
    expect(status).toBe(421);
    const ours = { ...page.credentials, host: `localhost:${page.port}` };
    expect((await page.ask("/api/project", { headers: ours })).status).toBe(200);
  });

  it("U4 takes orders from its own page alone: no foreign or missing Origin, no other site, no form", async () => {
    const whole = { ...page.own, ...page.credentials };
    const without = (name: string) =>
      Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
    const strange: [string, Record<string, string>, number][] = [
      ["foreign origin", { ...whole, origin: "https://evil.example" }, 403],
      ["origin of another port", { ...whole, origin: "http://127.0.0.1:1" }, 403],
      ["null origin", { ...whole, origin: "null" }, 403],
      ["no origin", without("origin"), 403],
      ["another site", { ...whole, "sec-fetch-site": "cross-site" }, 403],
      ["another port of the same site", { ...whole, "sec-fetch-site": "same-site" }, 403],
      ["no fetch metadata", without("sec-fetch-site"), 403],
      ["a form", { ...whole, "content-type": "application/x-www-form-urlencoded" }, 415],
      ["plain text", { ...whole, "content-type": "text/plain" }, 415],
      ["no cookie", without("cookie"), 401],
      ["no key", without("x-heddle-key"), 401],
      ["guessed key", { ...whole, "x-heddle-key": "A".repeat(43) }, 401],
    ];
    for (const [what, headers, wanted] of strange) {
      const { status } = await page.ask("/api/runs/plan-1/orders", { method: "POST", headers, body: halt });
      expect([what, status]).toEqual([what, wanted]);
    }
    const put = await page.ask("/api/runs/plan-1/orders", { method: "PUT", headers: whole, body: halt });
    expect(put.status).toBe(405);
    expect(await isHalted()).toBe(false);
  });

  it("U4 exchanges a link's token once, and no guessed one", async () => {
    const token = page.served.link().split("#t=")[1] ?? "";
    expect(Buffer.from(token, "base64url").length).toBe(32);
    const begin = (body: string) => page.ask("/api/session", { method: "POST", headers: page.own, body });
    expect((await begin(JSON.stringify({ token: `${token.slice(0, -1)}_` }))).status).toBe(401);
    expect((await begin("{}")).status).toBe(401);
    expect((await begin("[")).status).toBe(401);
    const foreign = { ...page.own, origin: "http://evil.example" };
    const body = JSON.stringify({ token });
    expect((await page.ask("/api/session", { method: "POST", headers: foreign, body })).status).toBe(403);
    const begun = await begin(body);
    expect(begun.headers["set-cookie"]?.[0]).toMatch(
      new RegExp(`^heddle-${page.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
    );
    expect((await begin(body)).status).toBe(401);
  });

  it("U4 sends the page with headers that let it run nothing else, and no CORS", async () => {
    const { status, headers, text } = await page.ask("/runs/plan-1/board");
    expect([status, text]).toEqual([200, placeholder.get("/index.html")?.body]);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    const all = [headers, (await page.read("/api/project")).headers];
    expect(
      all.flatMap((each) => Object.keys(each)).filter((name) => name.startsWith("access-control")),
    ).toEqual([]);
  });

  it("U4 says in one sentence that the page was not built", () => {
    expect(readPage("/nowhere")).toMatchObject({
      code: "no-page",
      message: expect.stringContaining("not built"),
    });
  });

  it("U4 reads no body without end", async () => {
    const headers = { ...page.own, ...page.credentials };
    const body = JSON.stringify({ do: "halt", seen: 1, words: "x".repeat(300_000) });
    expect((await page.ask("/api/runs/plan-1/orders", { method: "POST", headers, body })).status).toBe(413);
    // Without a length, it is cut off while it comes.
    const status = await new Promise((settle) => {
      const path = "/api/runs/plan-1/orders";
      const asked = request(
        { host: "127.0.0.1", port: page.port, path, method: "POST", headers },
        (answer) => {
          settle(answer.statusCode);
          answer.resume();
        },
      );
      asked.on("error", () => settle("cut"));
      for (let at = 0; at < 20; at++) asked.write("x".repeat(300_000));
      asked.end();
    });
    expect([413, "cut"]).toContain(status);
  });

  it("U4 shows what agents and plans say as JSON text, whatever it looks like", async () => {
    const { headers, json } = await page.read("/api/runs/plan-1");
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(json.tasks[0].name).toBe(script);
    const { json: task } = await page.read("/api/runs/plan-1/tasks/T001");
    expect(task).toMatchObject({ row: { name: script }, neededBy: ["T002"] });
  });

  it("U4 shows the run as it was at a position, and says what cannot be shown", async () => {
    const { json } = await page.read("/api/runs/plan-1?at=2");
    expect(json).toMatchObject({ position: 2, phase: "ingestion", actions: [] });
    expect((await page.read("/api/runs/plan-1?at=1")).json.tasks).toEqual([]);
    expect((await page.read("/api/runs/plan-9")).status).toBe(404);
    expect((await page.read("/api/runs/plan-1/tasks/T999")).json.problem).toContain("T999");
    expect((await page.read("/api/runs/plan-1/coverage")).json.requirements).toEqual([]);
    expect((await page.read("/api/nothing")).status).toBe(404);
    expect((await page.read("/api/runs/%ff/money")).status).toBe(404);
  });

  it("U4 does what a command does, tells two pages of it, and refuses what has changed since", async () => {
    const other = await new Page(page.served).begin();
    const [first, second] = [page.listen(), other.listen()];
    await first.until(() => true);
    await second.until(() => true);
    const seen = await app.look((run) => run.position);
    const skipped = await page.order("plan-1", { do: "skip", task: "T003", words: "not wanted", seen });
    expect(skipped).toMatchObject({ status: 200, json: { ok: true, said: "Task T003 skipped: not wanted" } });
    for (const listener of [first, second]) {
      const { change } = await listener.until(({ position }) => position > seen);
      expect(change.tasks).toMatchObject([{ id: "T003", status: "skipped" }]);
      expect(change.page.counts.skipped).toBe(1);
    }
    const late = await other.order("plan-1", { do: "skip", task: "T003", words: "me too", seen });
    expect(late.status).toBe(409);
    expect(late.json.problem).toContain("changed since you looked");
    const wrong = await page.order("plan-1", { do: "retry", task: "T001", seen: 1000 });
    expect(wrong).toMatchObject({
      status: 422,
      json: { ok: false, problem: expect.stringContaining("T001") },
    });
    expect((await page.order("plan-1", { do: "explode", seen: 1 })).status).toBe(400);
  });

  it("U4 gives a comment on a line to the next attempt, and shows it", async () => {
    const at = { path: "src/a.ts", line: 3 };
    const { status } = await page.order("plan-1", {
      do: "comment",
      task: "T001",
      words: script,
      at,
      seen: 0,
    });
    expect(status).toBe(200);
    const { json } = await page.read("/api/runs/plan-1/tasks/T001");
    expect(json.comments).toMatchObject([{ ...at, text: script, by: "operator" }]);
    const questions = await app.look((run) => run.questions);
    expect(questions).toMatchObject([{ about: "T001", answer: script }]);
  });

  it("U4 resumes after Last-Event-ID with exactly what came since, and nothing twice", async () => {
    const before = page.listen();
    const { id, change } = await before.until(() => true);
    expect(id).toBe(`plan-1@${change.position}`);
    before.close();
    await app.submit({ kind: "start", task: "T001" });
    await app.submit({ kind: "complete", task: "T001", created: [], modified: [] });
    const position = await app.look((run) => run.position);
    const after = page.listen(id);
    const told = await after.until(() => true);
    expect(told.change).toMatchObject({ since: change.position, position });
    // The server was not looking meanwhile, and knows it: the whole is asked for, or the rows are told.
    const rows = told.change.tasks ?? (await page.read("/api/runs/plan-1")).json.tasks;
    expect(rows.find((row: { id: string }) => row.id === "T001")).toMatchObject({ status: "complete" });
    const level = page.listen(told.id);
    await new Promise((settle) => setTimeout(settle, 100));
    expect(level.events).toEqual([]);
  });

  it("U4 shows an edited view in the inbox, and puts it right from there", async () => {
    const view = join(app.paths.root, "project-planning/state.json");
    const listener = page.listen();
    await listener.until(() => true);
    const text = JSON.stringify({ run: "plan-1", phase: { current: "complete" }, tasks: {} });
    writeFileSync(view, text);
    const { change } = await listener.until(({ page: { inbox } }) =>
      inbox.some(({ kind }) => kind === "view"),
    );
    const repaired = await page.order("plan-1", { do: "repair-view", seen: change.position });
    expect(repaired).toMatchObject({ status: 200, json: { said: expect.stringContaining("Restored") } });
    await listener.until(({ position, page: { inbox } }) => position > change.position && inbox.length === 0);
  });

  it("U4 listens at a socket file that only the person can open", async () => {
    const socket = join(folder(), "heddle.sock");
    const served = await serve({
      ...{
        surface: surfaceFor(app, { signal: new AbortController().signal, commands: allCommands }),
        files: placeholder,
        listen: { socket },
      },
    });
    const { statSync } = await import("node:fs");
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const status = await new Promise((settle) => {
      request({ socketPath: socket, path: "/api/project", headers: { host: "localhost:4600" } }, (answer) => {
        answer.resume();
        settle(answer.statusCode);
      }).end();
    });
    expect(status).toBe(401);
    await served.close();
  });
});
