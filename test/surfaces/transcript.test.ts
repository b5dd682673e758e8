// X18: what an attempt's agent said and did is kept, and can be read later.
import { beforeAll, describe, expect, it } from "vitest";
import { hasBox } from "../needs.ts";
import { Planning } from "../plan/rig.ts";
import { type Execution, executable } from "./rig.ts";

describe("heddle transcript", () => {
  let project: Execution;

  beforeAll(async () => {
    project = await executable({
      tasks: 1,
      check: (id) => `grep -q good src/${id}.ts`,
      turns: {
        T001: [
          { says: ["first \u001b[31mtry\u001b[0m"], files: { "src/T001.ts": "bad\n" } },
          {
            says: ["second try"],
            files: { "src/T001.ts": "good\n" },
            spends: { inputTokens: 10, outputTokens: 2, costUsd: null },
          },
        ],
      },
    });
    expect((await project.execute()).code).toBe(0);
  });

  it("X18 shows the attempt that was asked for, without its escape sequences", async () => {
    const { out, code } = await project.heddle("transcript", "T001#1");
    expect(code).toBe(0);
    expect(out).toContain("T001 attempt 1, scripted");
    expect(out).toMatch(/^\d\d:\d\d:\d\d first try$/m);
    expect(out).toMatch(/■ the agent finished/);
    expect(out).not.toContain("second");
    expect(out).not.toContain("\u001b");
  });

  it("X18 shows the last attempt when none is named, and as JSON for programs", async () => {
    const { out } = await project.heddle("transcript", "T001");
    expect(out).toContain("T001 attempt 2");
    expect(out).toContain("10 tokens in, 2 out, cost unknown");
    const json = JSON.parse((await project.heddle("transcript", "T001#2", "--json")).out);
    expect(json).toMatchObject({ of: "T001", attempt: 2, agent: "scripted", part: "work" });
    expect(json.events.map(({ kind }: { kind: string }) => kind)).toEqual(["said", "spent", "stopped"]);
  });

  it.each([
    [["T001#7"], "has no attempt 7", "heddle transcript T001#2"],
    [["T010"], "no attempt of `T010`", "heddle transcript T001"],
    [["T001", "--part", "review"], "had no review", "heddle transcript T001#2"],
  ])("says what there is instead of %j", async (words, problem, hint) => {
    const { err, code } = await project.heddle("transcript", ...words);
    expect(code).toBe(1);
    expect(err).toContain(problem);
    expect(err).toContain(hint);
  });
});

it("X18 keeps what roles of planning say, and what their programs print, without secrets", async () => {
  const project = new Planning({
    "logic-architect": ["say('hello ' + process.env.MY_TOKEN); console.error('aside'); good()"],
  });
  project.config({ agents: { mine: { command: ["./agent.cjs"], env: ["MY_TOKEN"] } } });
  const token = "a-secret-that-nobody-keeps";
  const words = [
    "plan",
    "spec.md",
    "--target",
    "app",
    "--new",
    "--agent",
    "mine",
    ...(hasBox ? [] : ["--unconfined"]),
  ];
  await project.in({ env: { MY_TOKEN: token } }, ...words);
  const kept = (await project.must("transcript", "logic-architect#1")).out;
  expect(kept).toContain("hello ");
  expect(kept).not.toContain(token);
  const raw = (await project.must("transcript", "logic-architect", "--raw")).out;
  expect(raw).toContain("aside");
  expect(raw).not.toContain(token);
});
