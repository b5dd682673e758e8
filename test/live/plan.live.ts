// Claude Code in the roles of planning, in heddle's box, against a scripted model: each role runs one command, which
// writes what the example's author would have written. What is tried is the way from an order to an artifact.
import { afterAll, expect, it } from "vitest";
import { Planning, roles } from "../plan/rig.ts";
import { type ScriptedModel, scriptedModel } from "./model.ts";
import { bash, environment, orderIn, say, use } from "./rig.ts";

let model: ScriptedModel;
afterAll(() => model.close());

it("U1 plays every role of a plan, up to a verified task graph", async () => {
  const project = new Planning();
  const agent = project.path("agent.cjs");
  project.config({ agents: { claude: { kind: "claude", readable: [agent] } } });
  model = await scriptedModel((asked) =>
    asked.step === 0 ? use(bash(`${agent} ${orderIn(asked).bundle}`)) : say("done"),
  );
  const words = ["plan", "spec.md", "--target", "app", "--new", "--agent", "claude"];
  const ran = await project.in({ env: environment(model) }, ...words);
  expect(ran.err + ran.out).not.toContain("error");
  expect(ran.code).toBe(0);
  expect(await project.phase()).toBe("ready");
  expect(project.attempts()).toHaveLength(roles.length);
  expect(model.asked).toHaveLength(2 * roles.length);
});
