// `.heddle/config.json`: comments allowed, every mistake named with its place and a hint.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Config, parseConfig, phases } from "../../src/config/config.ts";
import { defaultPolicy } from "../../src/core/policy.ts";
import { limitsFor, policyOf, readConfig } from "../../src/orders/config.ts";
import { protocols } from "../../src/packs/registry.ts";
import { workersOf } from "../../src/protocols/workers.ts";

const file = "/p/.heddle/config.json";
const problemsOf = (text: string) => parseConfig(file, text).problems;
const configOf = (text: string) => {
  const { config, problems } = parseConfig(file, text);
  expect(problems).toEqual([]);
  return config;
};

const whole = `{
  // who works
  "$schema": "https://example.org/heddle.json",
  "agent": "writer", /* everybody,
     in two lines */
  "agents": {
    "writer": {
      "command": ["./agent", "--fast"],
      "env": ["ANTHROPIC_API_KEY"],
      "readable": ["/opt/models"],
      "network": false,
      "limits": { "minutes": 10, "silenceMinutes": 2, "outputMegabytes": 8, "memoryMegabytes": 512 }
    }
  },
  "roles": { "task-author": { "agent": "writer", "limits": { "minutes": 30 } } },
  "limits": { "minutes": 20 },
  "attempts": 2,
  "parallel": 4,
  "budget": { "taskUsd": 2.5, "runUsd": 40 },
  "unconfined": false
}`;

describe("a configuration that is right", () => {
  it("has every setting that there is, and comments of both kinds", () => {
    expect(configOf(whole)).toMatchObject({
      agent: "writer",
      agents: { writer: { command: ["./agent", "--fast"], network: false } },
      attempts: 2,
      budget: { runUsd: 40 },
    });
  });

  it("may be an empty object", () => {
    expect(configOf("{}")).toEqual({});
  });

  it("keeps what looks like a comment inside a text", () => {
    expect(configOf('{ "agent": "command:./a//b" }')).toEqual({ agent: "command:./a//b" });
  });

  it("may begin with a byte order mark and end its lines as on Windows", () => {
    expect(configOf('\uFEFF{\r\n  // here\r\n  "attempts": 2\r\n}\r\n')).toEqual({ attempts: 2 });
  });

  it("need not be there", () => {
    expect(readConfig("/nowhere/.heddle")).toEqual({});
  });
});

describe("a mistake", () => {
  it.each([
    ["a word for a number", '{\n  "attempts": "3"\n}', 2, 15, /`attempts` must be/, /without quotes/],
    ["too large a number", '{\n  "attempts": 99\n}', 2, 15, /attempts/, /20/],
    ["too small a number", '{ "parallel": 0 }', 1, 15, /parallel/, /1/],
    ["a fraction where a whole number belongs", '{ "attempts": 1.5 }', 1, 15, /attempts/, /./],
    ["a limit of nothing", '{\n  "limits": {\n    "minutes": 0\n  }\n}', 3, 16, /limits.*minutes/, /./],
    ["a negative budget", '{ "budget": { "runUsd": -1 } }', 1, 25, /budget/, /./],
    [
      "a command that is no list",
      '{ "agents": { "x": { "command": "./x" } } }',
      1,
      33,
      /command/,
      /brackets/,
    ],
    ["an empty command", '{ "agents": { "x": { "command": [] } } }', 1, 33, /command/, /./],
    ["no command", '{ "agents": { "x": {} } }', 1, 20, /command.* is missing/, /"command"/],
    ["a yes for a true", '{ "unconfined": "yes" }', 1, 17, /unconfined/, /true or false/],
    [
      "an agent's name in capitals",
      '{ "agents": { "My Agent": { "command": ["x"] } } }',
      1,
      27,
      /My Agent/,
      /./,
    ],
    [
      "a variable's name in small letters",
      '{ "agents": { "x": { "command": ["x"], "env": ["path"] } } }',
      1,
      48,
      /env/,
      /./,
    ],
    ["a list for an object", '{ "limits": [] }', 1, 13, /limits/, /./],
    ["a list for the whole", "[]", 1, 1, /the document/, /./],
    ["broken JSON", '{\n  "agent": \n}', 3, 1, /./, /./],
    ["a trailing comma", '{\n  "attempts": 2,\n}', 3, 1, /./, /./],
    ["the same key twice", '{\n  "attempts": 2,\n  "attempts": 3\n}', 3, 3, /attempts/, /./],
  ])("%s: file, line, column, and a hint", (_name, text, line, column, message, hint) => {
    const [found, ...rest] = problemsOf(text);
    expect(rest).toEqual([]);
    expect(found?.message).toMatch(message);
    expect(found?.hint ?? "").toMatch(hint);
    expect(found?.place).toMatchObject({ file, line, column });
  });

  it("an empty file is named", () => {
    expect(problemsOf("")[0]).toMatchObject({ place: { file } });
  });

  it("an unknown setting is told from the one that was meant", () => {
    expect(problemsOf('{\n  "agentt": "x"\n}')[0]).toMatchObject({
      message: "`agentt` is not a setting",
      hint: "did you mean `agent`?",
      place: { file, line: 2, column: 3 },
    });
  });

  it.each([
    ["limits", '{ "limits": { "minuts": 1 } }', "minutes"],
    ["an agent", '{ "agents": { "x": { "command": ["x"], "redable": [] } } }', "readable"],
    [
      "an agent's limits",
      '{ "agents": { "x": { "command": ["x"], "limits": { "silenceMinute": 1 } } } }',
      "silenceMinutes",
    ],
    ["a role", '{ "roles": { "task-author": { "agnt": "x" } } }', "agent"],
    ["the budget", '{ "budget": { "runUSD": 1 } }', "runUsd"],
  ])("an unknown setting in %s is told from the one that was meant", (_name, text, meant) => {
    expect(problemsOf(text)[0]?.hint).toBe(`did you mean \`${meant}\`?`);
  });

  it("an unknown setting that resembles none is answered with all that there are", () => {
    expect(problemsOf('{ "budget": { "zzz": 1 } }')[0]?.hint).toBe("known here: taskUsd, runUsd");
  });

  it("a role that nobody plays is named", () => {
    expect(problemsOf('{ "roles": { "task-auhtor": { "agent": "x" } } }')[0]).toMatchObject({
      hint: "did you mean `task-author`?",
    });
  });

  it("a phase in which nobody works is named; the list is that of the protocols", () => {
    const found = problemsOf('{\n  "phases": { "excuting": { "agent": "x" } }\n}')[0];
    expect(found).toMatchObject({ hint: "did you mean `executing`?", place: { line: 2, column: 15 } });
    expect(problemsOf('{ "phases": { "executing": { "agnet": "x" } } }')[0]?.hint).toContain("agent");
    const worked = Object.values(protocols).flatMap((each) => workersOf(each).map(({ phase }) => phase));
    expect(new Set(phases)).toEqual(new Set(worked));
  });

  it("U8 roles and phases of a project's own protocols are known, and no others", () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-config-"));
    const put = (path: string, text: string) => {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    put("roles/writer/SKILL.md", "# Writer");
    put("protocols/loop.yaml", "name: loop\nphases:\n  - draft: the text is written\n");
    put(
      "config.json",
      '{ "roles": { "writer": { "agent": "x" } }, "phases": { "draft": { "agent": "y" } } }',
    );
    expect(readConfig(folder).phases).toEqual({ draft: { agent: "y" } });
    put("config.json", '{ "roles": { "critic": {} }, "phases": { "drafts": {} } }');
    expect(() => readConfig(folder)).toThrow();
    rmSync(folder, { recursive: true });
  });

  it("all mistakes are named at once", () => {
    expect(problemsOf('{ "attempts": 0, "parallel": "x", "agnet": 1 }')).toHaveLength(3);
  });

  it("places count through comments", () => {
    const text = '{\n  /* one\n     two */ "attempts": 0\n}';
    expect(problemsOf(text)[0]?.place).toMatchObject({ line: 3, column: 25 });
  });

  it("none of them throws, whatever the file holds", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((text) => `/*${text}*/${text}`),
        ),
        (text) => {
          for (const found of problemsOf(text)) expect(found.place?.file).toBe(file);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("a file that cannot be read is refused, not taken as empty", () => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-config-"));
    writeFileSync(join(folder, "config.json"), Buffer.from([0x7b, 0, 0x7d]));
    expect(() => readConfig(folder)).toThrow();
    rmSync(folder, { recursive: true });
  });
});

describe("C7 limits", () => {
  const config: Config = {
    limits: { minutes: 20, silenceMinutes: 5, outputMegabytes: 2 },
    agents: { writer: { command: ["x"], limits: { minutes: 10, silenceMinutes: 4 } } },
    roles: { "task-author": { limits: { minutes: 3 } } },
  };

  it("a role's go before its agent's, those before the project's, those before ours", () => {
    const { wallMs, silenceMs, outputBytes, memoryBytes } = limitsFor(config, {
      role: "task-author",
      agent: "writer",
    });
    expect({ wallMs, silenceMs, outputBytes, memoryBytes }).toEqual({
      wallMs: 3 * 60_000,
      silenceMs: 4 * 60_000,
      outputBytes: 2 * 1024 * 1024,
      memoryBytes: undefined,
    });
  });

  it("without a role's own, the agent's count; without those, the project's", () => {
    expect(limitsFor(config, { role: "fixer", agent: "writer" }).wallMs).toBe(10 * 60_000);
    expect(limitsFor(config, { role: "fixer", agent: "other" }).wallMs).toBe(20 * 60_000);
  });

  it("there is one of each kind even when nothing is set", () => {
    const { wallMs, silenceMs, outputBytes } = limitsFor({}, { role: "fixer", agent: "x" });
    for (const limit of [wallMs, silenceMs, outputBytes]) expect(limit).toBeGreaterThan(0);
  });

  it.each([
    ["the project's", { limits: { minutes: 120 } }],
    ["an agent's", { agents: { writer: { command: ["x"], limits: { minutes: 120 } } } }],
    ["a role's", { roles: { "task-author": { limits: { minutes: 120 } } } }],
  ] satisfies [string, Config][])(
    "the core waits longer than %s limit, so that the limit is what ends the call",
    (_name, set) => {
      expect(policyOf(set).workLimitMs).toBeGreaterThan(
        limitsFor(set, { role: "task-author", agent: "writer" }).wallMs,
      );
    },
  );
});

describe("policy", () => {
  it("is ours where nothing is set", () => {
    expect(policyOf({})).toEqual({ ...defaultPolicy, baseline: true });
  });

  it("takes attempts, executors and budgets from the configuration", () => {
    expect(policyOf({ attempts: 2, parallel: 7, budget: { taskUsd: 1, runUsd: 2 } })).toMatchObject({
      attempts: 2,
      slots: 7,
      taskBudgetUsd: 1,
      runBudgetUsd: 2,
    });
  });
});

describe("an agent's kind", () => {
  it("U1 is Claude Code, with settings of its own", () => {
    const text =
      '{"agents":{"opus":{"kind":"claude","model":"opus","maxTurns":9,"maxCostUsd":0.5,"path":"/c"}}}';
    expect(configOf(text).agents?.opus).toMatchObject({ kind: "claude", maxTurns: 9 });
  });

  it("refuses what belongs to the other kind, with its place", () => {
    const [mine] = problemsOf('{"agents":{"a":{"command":["x"],"model":"opus"}}}');
    expect(mine).toMatchObject({ code: "unsuitable-setting", place: { line: 1, column: 33 } });
    const [theirs] = problemsOf('{"agents":{"a":{"kind":"claude","command":["x"]}}}');
    expect(theirs?.message).toBe("`agents.a.command` is not a setting of a claude agent");
  });

  it("names the kinds when it is none of them", () => {
    expect(problemsOf('{"agents":{"a":{"kind":"claud"}}}')[0]?.hint).toContain("claude");
  });

  it("C7 gives `claude:model` the limits of `claude`", () => {
    const config = configOf('{"agents":{"claude":{"kind":"claude","limits":{"minutes":2}}}}');
    expect(limitsFor(config, { role: "task-executor", agent: "claude:opus" }).wallMs).toBe(120_000);
  });
});
