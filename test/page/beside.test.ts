// U4: the page beside real processes: an orchestrator that is killed, and a boxed agent that would approve its own work.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { start, until } from "../e2e/rig.ts";
import { Execution, hasBox } from "../execute/rig.ts";
import { openProject, Page } from "./rig.ts";

/** What an agent tries that knows the port, and of the page what anybody knows. */
const attempt = (port: number) => `
  const base = "http://127.0.0.1:${port}";
  const own = { origin: base, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const order = (headers) => fetch(base + "/api/runs/plan-1/orders", {
    method: "POST", headers, body: JSON.stringify({ do: "skip", task: "T002", words: "me", seen: 9999 }),
  }).then(({ status }) => status);
  Promise.all([
    fetch(base + "/").then(({ status }) => status),
    fetch(base + "/api/project").then(({ status }) => status),
    fetch(base + "/api/events").then(({ status }) => status),
    order(own),
    order({ ...own, cookie: "heddle-${port}=x", "x-heddle-key": "x" }),
    fetch(base + "/api/session", { method: "POST", headers: own, body: '{"token":"x"}' }).then(({ status }) => status),
  ]).then((all) => { say("TRIED " + JSON.stringify(all)); good(); }, (error) => { say("TRIED " + error.cause); good(); });
`;

describe("the page beside the work", () => {
  it.skipIf(!hasBox)(
    "U4 a boxed agent with a network reaches the port, and can neither read nor approve anything (left out without a box)",
    async () => {
      const project = await Execution.ready({ tasks: 2 });
      const app = await openProject(project.root);
      const page = await (await Page.open(app)).begin();
      project.config({ network: { agents: true } });
      project.agent({ T001: [attempt(page.port)] });
      const ran = await project.execute();
      expect(ran.code).toBe(0);
      const printed = readFileSync(project.attempt("T001-1", "stdout.log"), "utf8");
      expect(printed).toContain("TRIED [200,401,401,401,401,401]");
      const facts = await project.facts("task-skipped");
      expect(facts).toEqual([]);
      const { json } = await page.read("/api/runs/plan-1/tasks/T001");
      expect(json).toMatchObject({ row: { status: "complete", done: "verified" }, diff: { cut: false } });
      expect(json.attempts[0].checks[0]).toMatchObject({ result: "passed" });
      // Neither what heddle keeps nor what the agent was given holds the session.
      const { "x-heddle-key": key = "", cookie = "" } = page.credentials;
      expect(printed).not.toContain(key);
      expect(readFileSync(project.database).includes(cookie.split("=")[1] ?? "")).toBe(false);
    },
  );

  it("U4 tells an open page that the orchestrator was killed, and all that the next one does, from where it stood", async () => {
    const project = await Execution.ready({ tasks: 1 }, { T001: ["put('src/began', ''); hang()", "good()"] });
    const app = await openProject(project.root);
    const page = await (await Page.open(app)).begin();
    const listener = page.listen();
    const child = start([...project.words, "--batch"], { cwd: project.root });
    // The rows need not come with it: a page that connects late reads the whole.
    const running = await listener.until(
      ({ page: { standing, counts } }) => standing === "working" && counts.running === 1,
    );
    await until("the agent works", () => existsSync(project.attempt("T001-1", "started.json")));
    const from = running.change.position;
    child.kill("SIGKILL");
    await once(child, "exit");
    const gone = await listener.until(
      ({ page: { standing }, position }) => position >= from && standing === "stopped",
    );
    expect(gone.change.page.stopped?.command).toContain("heddle execute");
    listener.close();
    await project.execute();
    const after = page.listen(gone.id);
    const { change } = await after.until(({ page: { standing } }) => standing === "done");
    expect(change.since).toBe(gone.change.position);
    expect(existsSync(project.path("app/src/T001.txt"))).toBe(true);
    const positions = after.events.map((event) => event.change.position);
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
  });
});
