// A program of a person's own behind the gateway, with a vendor that heddle has no name for: any address that speaks OpenAI's API
// will do. heddle is killed in the middle of a stream; what follows is what a person would want.
import { execFileSync } from "node:child_process";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { ended, start } from "../e2e/rig.ts";
import { Execution, survivors } from "../execute/rig.ts";
import { hasBox } from "../needs.ts";
import { vendorThat } from "./vendor.ts";

const secret = "sk-of-another-vendor-0123456789abcdef";

/** Asks its model in a stream, and does its task when it has the whole answer. */
const asking = `
const http = require("node:http");
const body = JSON.stringify({ model: "some-model", stream: true, messages: [] });
const headers = { authorization: "Bearer " + process.env.OPENAI_API_KEY, "content-type": "application/json" };
const asked = http.request(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers }, (answer) => {
  answer.on("data", () => say({ type: "said", text: "a piece" }));
  answer.on("end", () => good());
  answer.on("error", () => process.exit(1));
});
asked.on("error", () => process.exit(1));
asked.end(body);`;

const piece = (value: object) => `data: ${JSON.stringify({ model: "some-model", ...value })}\n\n`;
const usage = { prompt_tokens: 1000, completion_tokens: 50 };

describe.runIf(hasBox)(
  "U10 kill -9 of heddle in the middle of a stream (left out without bubblewrap)",
  () => {
    it("G1 G5 U10 ends the agent and its request, says that its cost is unknown, and the next start goes on", async () => {
      let first: ServerResponse | undefined;
      const vendor = await vendorThat((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(piece({ choices: [{ delta: { content: "half" } }] }));
        if (first) response.end(`${piece({ choices: [], usage })}data: [DONE]\n\n`);
        else first = response;
      });
      const project = await Execution.ready({ tasks: 1 }, { "*": [asking] });
      const asker = { command: ["./agent.cjs"], env: ["OPENAI_API_KEY"] };
      project.config({ agents: { asker }, prices: { "some-model": { input: 1, output: 2 } } });
      const env = { OPENAI_API_KEY: secret, OPENAI_BASE_URL: `${vendor.url}/api/v1` };
      const words = ["execute", "--batch", "--agent", "asker"];
      const child = start(words, { cwd: project.root, env });
      const dead = ended(child);
      const patience = { timeout: 30_000 };
      await expect.poll(() => first !== undefined, patience).toBe(true);
      child.kill("SIGKILL");
      await dead;
      // The vendor is not paid for what nobody reads.
      await expect.poll(() => first?.closed, patience).toBe(true);
      const again = await ended(start(words, { cwd: project.root, env }));
      expect(again.code, again.out + again.err).toBe(0);
      expect(project.merged()).toEqual(["T001"]);
      expect(vendor.seen.map(({ url }) => url)).toEqual([
        "/api/v1/chat/completions",
        "/api/v1/chat/completions",
      ]);
      expect(vendor.seen.every(({ headers }) => headers.authorization === `Bearer ${secret}`)).toBe(true);
      expect(survivors(project)).toEqual([]);
      // One request is known to the cent, and one is known to be unknown.
      expect((await project.status()).usage).toMatchObject({
        ...{ input_tokens: 1000, output_tokens: 50, cost_usd: 0.0011, unknown_costs: 1 },
      });
      const found = execFileSync("sh", ["-c", `grep -rlF "$0" . || true`, secret], {
        cwd: project.root,
        encoding: "utf8",
      });
      expect(found).toBe("");
    });
  },
);
