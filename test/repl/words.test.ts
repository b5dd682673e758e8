// From a line to a command, what Tab offers, and what is remembered.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { find } from "../../src/cli/find.ts";
import { allCommands, loadCommand } from "../../src/cli/registry.ts";
import { commonStart, complete, type Known } from "../../src/cli/repl/complete.ts";
import { helpText } from "../../src/cli/repl/help.ts";
import { History } from "../../src/cli/repl/history.ts";
import { asCommand, wordsOf } from "../../src/cli/repl/words.ts";
import { chosen, settle } from "../../src/command/terminal/ask.ts";
import { type Hint, joined, toCall } from "../../src/core/hint.ts";
import { problem } from "../../src/core/problem.ts";
import { atPrompt, hintsAsText, hintText } from "../../src/view/hint.ts";
import { problemText } from "../../src/view/problem.ts";

const known: Known = {
  commands: await allCommands(),
  tasks: async (prefix) =>
    ["T001", "T002", "T010"].filter((id) => id.startsWith(prefix)).map((word) => ({ word })),
  questions: () => [{ id: "q1", text: "Which?", options: ["sqlite", "postgres"] }],
  options: () => [],
  phases: () => ["ready", "executing"],
  files: (prefix) => ["spec.md"].filter((name) => name.startsWith(prefix)),
};
const offered = async (line: string, more: Partial<Known> = {}) =>
  (await complete(line, { ...known, ...more })).offers.map(({ word }) => word);

describe("L13 words", () => {
  it("splits as a shell does", () => {
    const split = (line: string) => wordsOf(line).map(({ text }) => text);
    expect(split(`halt "look at T007" it\\'s 'a "b"'`)).toEqual(["halt", "look at T007", "it's", 'a "b"']);
    expect(split('next --override ""')).toEqual(["next", "--override", ""]);
    expect(split('an "open quote')).toEqual(["an", "open quote"]);
  });

  it("knows a few other names, and takes a command as the shell has it", () => {
    expect(asCommand('/override "the map is fine" --to physical')).toEqual([
      "next",
      "--override",
      "the map is fine",
      "--to",
      "physical",
    ]);
    expect(asCommand("/override the map is fine --to physical")).toEqual(
      asCommand('/override "the map is fine" --to physical'),
    );
    expect(asCommand("/override")).toEqual(["next", "--override", ""]);
    expect(asCommand("/log")).toEqual(["history", "--last", "20"]);
    expect(asCommand("/log INFO me start now")).toEqual(["log", "INFO", "me", "start", "now"]);
    expect(asCommand("heddle status --json")).toEqual(["status", "--json"]);
  });

  it.each(
    [
      ["plan", "execute", "next", "status", "halt", "resume", "tasks", "answer", "accept", "revert", "redo"],
      ["verify-plan", "tune", "mission", "help"],
    ].flat(),
  )("/%s is the command line's own object", async (name) => {
    const { command } = await find(asCommand(`/${name}`));
    expect(command).toBe(await loadCommand(name));
    expect(await offered(`/${name.slice(0, -1)}`)).toContain(`/${name}`);
  });

  it("/log and /override are commands of the command line too, and /quit is offered", async () => {
    expect((await find(asCommand("/log"))).command).toBe(await loadCommand("history"));
    expect((await find(asCommand("/override x"))).command).toBe(await loadCommand("next"));
    expect(await offered("/qui")).toEqual(["/quit"]);
  });

  it("shows hints as they are typed here, and leaves sentences alone", () => {
    const here = (hint: Hint) => hintText(hint, atPrompt);
    expect(here({ do: "resume", budgetUsd: 5 })).toBe("/resume --budget 5");
    expect(here(["did you mean `", toCall("status"), "`?"])).toBe("did you mean `/status`?");
    expect(here("heddle works on it, its agent is at work")).toBe("heddle works on it, its agent is at work");
    const answer = { do: "answer", question: "q1" } as const;
    const sentence: Hint = [answer, ", then: ", { do: "show-next" }, "; ", { do: "why", task: "T001" }];
    expect(here(sentence)).toBe('/answer q1 "<text>", then: /next; /why T001');
    expect(hintText(sentence)).toBe('heddle answer q1 "<text>", then: heddle next; heddle why T001');
    expect(problemText(problem("x", "it is halted", { hint: { do: "resume" } }), "error", atPrompt)).toBe(
      "error: it is halted\nhint: /resume",
    );
  });

  it("gives programs a hint as what is typed in a shell", () => {
    const found = problem("x", "it failed", {
      hint: [{ do: "retry-task", task: "T001" }, " tries it again"],
    });
    expect(JSON.parse(JSON.stringify({ problems: [found] }, hintsAsText))).toEqual({
      problems: [{ code: "x", message: "it failed", hint: "heddle state retry-task T001 tries it again" }],
    });
    const plain: Hint = ["apt-get install bubblewrap", "; or --unconfined"];
    const said = "apt-get install bubblewrap; or --unconfined";
    expect(JSON.parse(JSON.stringify({ hint: plain }, hintsAsText))).toEqual({ hint: said });
    expect(joined(...plain)).toBe(said);
  });

  it("takes an option's number or its beginning for an answer, and says what would do", () => {
    expect(chosen(["sqlite", "postgres"], "2")).toBe("postgres");
    expect(chosen(["sqlite", "postgres"], "SQ")).toBe("sqlite");
    expect(chosen(["yes", "yesterday"], "yes")).toBe("yes");
    expect(chosen(["aa", "ab"], "a")).toBeUndefined();
    expect(settle({ question: "?", options: ["a", "b"], initial: "" }, "c")).toEqual({
      wrong: "`c` is not one of the answers: 1 a, 2 b",
    });
    expect(settle({ question: "?", options: ["yes", "no"], initial: "yes" }, " ")).toEqual({ answer: "yes" });
  });
});

describe("L13 completion", () => {
  it("offers every command of the command line, those for people first", async () => {
    const all = await offered("/");
    for (const { name } of known.commands) expect(all).toContain(`/${name.split(" ")[0]}`);
    expect(all).toContain("/quit");
    expect(await offered("/exec")).toEqual(["/execute"]);
    expect(await offered("heddle exec")).toEqual(["execute"]);
    expect(await offered("/st")).toEqual(["/status", "/state"]);
  });

  it("offers second words, flags, choices, tasks, questions, options, phases and files", async () => {
    expect(await offered("/state comp")).toEqual(["complete-task"]);
    expect(await offered("/execute --par")).toEqual(["--parallel"]);
    expect(await offered("/execute --on-orphan ")).toEqual(["retry", "skip", "abort"]);
    expect(await offered("/why T00")).toEqual(["T001", "T002"]);
    expect(await offered("/state start-task T01")).toEqual(["T010"]);
    expect(await offered("/history --task T01")).toEqual(["T010"]);
    expect(await offered("/answer ")).toEqual(["q1"]);
    expect(await offered("/answer q1 p")).toEqual(["postgres"]);
    expect(await offered("/override because --to e")).toEqual(["executing"]);
    expect(await offered("/plan s")).toEqual(["spec.md"]);
    expect(await offered("/nothing ")).toEqual([]);
  });

  it("offers the options of what is asked for plain words", async () => {
    expect(await offered("po", { options: () => ["sqlite", "postgres"] })).toEqual(["postgres"]);
    expect(await offered("", { options: () => ["yes", "no"] })).toEqual(["yes", "no"]);
  });

  it("knows what all offers begin with", () => {
    expect(commonStart([{ word: "/status" }, { word: "/state" }])).toBe("/stat");
    expect(commonStart([])).toBe("");
  });

  it("names in /help what this heddle has, and nothing else", () => {
    const text = helpText(known.commands);
    for (const [, name] of text.matchAll(/^ {2}\/([a-z-]+)/gm))
      expect([...known.commands.map((each) => each.name.split(" ")[0]), "override", "quit"]).toContain(name);
    for (const name of [
      "plan",
      "execute",
      "next",
      "status",
      "halt",
      "resume",
      "tasks",
      "answer",
      "verify-plan",
    ])
      expect(text).toContain(`/${name} `);
  });
});

describe("L13 history", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-repl-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("comes back in the next session, many lines as one entry, for its owner alone", () => {
    const path = join(folder, "a");
    const first = new History(path);
    for (const line of ["/status", "/status", "one\ntwo", " /secretly"]) first.add(line);
    const again = new History(path);
    expect(again.go(-1, "draft")).toBe("one\ntwo");
    expect(again.go(-1, "")).toBe("/status");
    expect(again.go(-1, "")).toBeUndefined();
    expect(again.go(1, "")).toBe("one\ntwo");
    expect(again.go(1, "")).toBe("draft");
    expect(again.go(1, "")).toBeUndefined();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("keeps no secret: neither known ones nor what looks like one", () => {
    const path = join(folder, "b");
    process.env.SOME_API_KEY = "hunter2hunter2";
    const history = new History(path);
    delete process.env.SOME_API_KEY;
    history.add("/halt hunter2hunter2 leaked");
    history.add("/answer q1 ghp_abcdefghijklmnop0123456789");
    history.add("password = swordfish");
    history.add("x".repeat(5000));
    expect(readFileSync(path, "utf8")).toBe('"/halt [redacted] leaked"\n');
  });

  it("is not made where there is no project, and survives a torn or a foreign line", () => {
    new History(join(folder, "no-such-folder/h")).add("/status");
    const path = join(folder, "c");
    writeFileSync(path, '"/status"\n{"a":1}\n"/ha');
    expect(new History(path).go(-1, "")).toBe("/status");
  });

  it("is cut when it has grown long", () => {
    const path = join(folder, "d");
    writeFileSync(path, Array.from({ length: 2500 }, (_, n) => `"/why T${n}"\n`).join(""));
    expect(new History(path).go(-1, "")).toBe("/why T2499");
    expect(readFileSync(path, "utf8").split("\n").length).toBe(1001);
  });
});
