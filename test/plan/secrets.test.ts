// The person's secrets stay the person's: they reach no agent that was not given them, and no file at all.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { attemptIn } from "../execute/rig.ts";
import { confined, hasBox, Planning } from "./rig.ts";

const names = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GITHUB_TOKEN",
  "AWS_SECRET_ACCESS_KEY",
  "NPM_TOKEN",
  "DATABASE_PASSWORD",
  "DATABASE_URL",
  "GOOGLE_CREDENTIALS",
  "MY_PASSPHRASE",
  "SSH_AUTH_SOCK",
];
const canary = (name: string) => `canary-${name.toLowerCase().replaceAll("_", "-")}-5f1e`;
const env = Object.fromEntries(names.map((name) => [name, canary(name)]));

const leaks = (project: Planning) =>
  [...project.files(".heddle"), ...project.files("project-planning")].flatMap(([file, text]) =>
    names.filter((name) => text.includes(canary(name))).map((name) => `${name} in ${file}`),
  );

const words = ["plan", "spec.md", "--target", "app", "--new"];
const printAll =
  "const seen = JSON.stringify(process.env); say(seen); console.error(seen); fs.writeFileSync('env.json', seen);";

describe.each(hasBox ? ["boxed", "unconfined"] : ["unconfined"])(
  "ten secrets in heddle's environment, agent %s",
  (way) => {
    const project = new Planning({ "logic-architect": [`${printAll} good()`, "good()"] });
    let printed = "";
    beforeAll(async () => {
      const { out, err } = await project.in({ env }, ...words, ...confined(way === "boxed"));
      printed = out + err;
    });

    it("reach no agent", () => {
      const seen = JSON.parse(readFileSync(attemptIn(project, "logic-architect-1", "work/env.json"), "utf8"));
      expect(names.filter((name) => name in seen)).toEqual([]);
      expect(seen).toHaveProperty("HEDDLE_ROLE", "logic-architect");
    });

    it("are in no file that heddle keeps, and on no screen", () => {
      expect(leaks(project)).toEqual([]);
      for (const name of names) expect(printed).not.toContain(canary(name));
    });
  },
);

describe("a secret that the configuration gives to an agent", () => {
  const project = new Planning({
    "logic-architect": [
      "const key = process.env.ANTHROPIC_API_KEY; say('key ' + key); console.error('err ' + key); say({ type: 'progress', text: key });" +
        "say('base64 ' + Buffer.from(key).toString('base64')); say('length ' + key.length); good()",
    ],
  });
  let printed = "";
  beforeAll(async () => {
    project.config({
      unconfined: true,
      agent: "mine",
      agents: { mine: { command: ["./agent.cjs"], env: ["ANTHROPIC_API_KEY"] } },
    });
    const { out, err } = await project.in({ env }, ...words);
    printed = out + err;
  });

  it("reaches that agent", () => {
    expect(printed).toContain(`length ${canary("ANTHROPIC_API_KEY").length}`);
  });

  it("is redacted on the screen and in what is stored when the agent prints it, encoded too", () => {
    expect(printed).toContain("key [redacted]");
    expect(printed).not.toContain(canary("ANTHROPIC_API_KEY"));
    const encoded = Buffer.from(canary("ANTHROPIC_API_KEY")).toString("base64");
    expect(project.files(".heddle").filter(([, text]) => text.includes(encoded))).toEqual([]);
    expect(leaks(project)).toEqual([]);
  });

  it("keeps the rest of what was printed", () => {
    const kept = project.text(".heddle/attempts/plan-1/logic-architect-1/stdout.log");
    expect(kept).toContain("key [redacted]");
    expect(project.text(".heddle/attempts/plan-1/logic-architect-1/stderr.log")).toContain("err [redacted]");
  });
});

it.concurrent("a secret that an agent puts into a question is redacted before it is recorded", async () => {
  const project = new Planning({
    "logic-architect": [
      "say({ type: 'question', id: 'k', text: 'Is ' + process.env.GITHUB_TOKEN + ' right?' })",
    ],
  });
  project.config({
    unconfined: true,
    agent: "mine",
    agents: { mine: { command: ["./agent.cjs"], env: ["GITHUB_TOKEN"] } },
  });
  const { out } = await project.in({ env }, ...words);
  expect(out).toContain("Is [redacted] right?");
  expect(leaks(project)).toEqual([]);
});

it.concurrent("a secret that an agent writes into its output is not taken into the plan", async () => {
  const project = new Planning({
    "logic-architect": [
      "const map = document(); map.domains[0].description = 'key: ' + process.env.GITHUB_TOKEN; put(map)",
    ],
  });
  project.config({
    unconfined: true,
    agent: "mine",
    agents: { mine: { command: ["./agent.cjs"], env: ["GITHUB_TOKEN"] } },
  });
  await project.in({ env }, ...words);
  const kept = project.files("project-planning").filter(([, text]) => text.includes(canary("GITHUB_TOKEN")));
  expect(kept.map(([file]) => file)).toEqual([]);
});
