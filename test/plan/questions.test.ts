// A role may ask; the answer may come hours later, from another process (C8).
import { beforeAll, describe, expect, it } from "vitest";
import type { Ran } from "../e2e/rig.ts";
import { Planning, roles } from "./rig.ts";

const question = '{"type":"question","id":"db","text":"Which database?","options":["SQLite","Postgres"]}';

describe("C8 a role that asks", () => {
  const project = new Planning({
    "logic-architect": [`say('${question}')`, "say('answers: ' + JSON.stringify(bundle.answers)); good()"],
  });
  let asked: Ran;
  let id = "";
  beforeAll(async () => {
    asked = await project.plan();
    id = /heddle answer (\S+)/.exec(asked.out)?.[1] ?? "";
  });

  it("ends `heddle plan` with exit 1 where there is no terminal, and says how to answer", () => {
    expect(asked.code).toBe(1);
    expect(asked.out).toContain("Which database?");
    expect(asked.out).toMatch(/SQLite.*Postgres/s);
    expect(id).toContain("logic-architect");
  });

  it("shows the open question in `status`, as text and as JSON", async () => {
    expect((await project.must("status")).out).toContain("Which database?");
    expect(JSON.stringify(await project.status())).toContain("Which database?");
  });

  it("is not started again while nobody has answered, and does not count as a failure", async () => {
    expect((await project.again()).code).toBe(1);
    expect(project.attempts("logic-architect")).toHaveLength(1);
    expect((await project.history()).some(({ fact }) => fact.kind === "job-failed")).toBe(false);
  });

  it("refuses an answer to a question that was never asked, and names the open one", async () => {
    const { code, err } = await project.heddle("answer", "db", "SQLite");
    expect(code).toBe(1);
    expect(err).toContain(id);
  });

  it("takes the answer from another process, and goes on with it in the bundle", async () => {
    await project.must("answer", id, "SQLite");
    const { code, out, err } = await project.again();
    expect(code, out + err).toBe(0);
    expect(project.bundle("logic-architect-2").answers).toEqual([
      { question: "Which database?", answer: "SQLite" },
    ]);
    expect(project.attempts()).toHaveLength(roles.length + 1);
  });

  it("gives the answer to the role that asked, and to no other", () => {
    expect(project.bundle("physical-architect-1").answers).toEqual([]);
  });

  it("takes the same answer twice, and refuses another one", async () => {
    expect((await project.heddle("answer", id, "SQLite")).code).toBe(0);
    const other = await project.heddle("answer", id, "Postgres");
    expect(other.code).toBe(1);
    expect(other.err).toContain("was answered: SQLite");
  });
});

it.concurrent("C8 goes on with an answer that comes while the role's run is halted", async () => {
  const project = new Planning({ "logic-architect": [`say('${question}')`, "good()"] });
  const id = /heddle answer (\S+)/.exec((await project.plan()).out)?.[1] ?? "";
  await project.must("halt", "lunch");
  await project.must("answer", id, "SQLite");
  await project.must("resume");
  expect((await project.again()).code).toBe(0);
});

it.concurrent("C8 takes two questions of one call, and waits for both", async () => {
  const project = new Planning({
    "logic-architect": [
      `say('${question}'); say('${question.replace("db", "os").replace("database", "system")}')`,
      "good()",
    ],
  });
  const { out } = await project.plan();
  const ids = [...new Set([...out.matchAll(/heddle answer (\S+)/g)].map(([, id]) => id ?? ""))];
  expect(ids).toHaveLength(2);
  await project.must("answer", ids[0] ?? "", "SQLite");
  expect((await project.again()).code).toBe(1);
  await project.must("answer", ids[1] ?? "", "SQLite");
  expect((await project.again()).code).toBe(0);
  expect(project.bundle("logic-architect-2").answers).toHaveLength(2);
});

it.concurrent("C8 a question and an output in one call: the question counts, and the next call is asked for the output", async () => {
  const project = new Planning({ "logic-architect": [`say('${question}'); good()`, "good()"] });
  const id = /heddle answer (\S+)/.exec((await project.plan()).out)?.[1] ?? "";
  await project.must("answer", id, "SQLite");
  const { code, out } = await project.again();
  expect(code, out).toBe(0);
});
