// `heddle mcp` for a person's own agent: which tools there are, what they take, what they answer (U2, C14, C15).
import { beforeAll, describe, expect, it } from "vitest";
import { offerOf, schemaOf, wordsFor } from "../../src/cli/mcp/offer.ts";
import { allCommands } from "../../src/cli/registry.ts";
import { parse } from "../../src/command/parse.ts";
import { Project as Folder, folder, heddle, type Project, readyProject } from "../e2e/rig.ts";
import { Client } from "./rig.ts";

const looking = [
  "status",
  "why",
  "suggestNext",
  "history",
  "report",
  "verify",
  "state_ready_tasks",
  "bundle_show",
];

let project: Project;
beforeAll(async () => {
  project = await readyProject({ tasks: 3 });
});

async function allowing(allow: readonly string[]): Promise<Client> {
  project.write(".heddle/config.json", JSON.stringify({ mcp: { allow } }));
  const client = Client.in(project);
  await client.begin();
  return client;
}

async function usual(): Promise<Client> {
  project.write(".heddle/config.json", "{}");
  const client = Client.in(project);
  await client.begin();
  return client;
}

describe("a host", () => {
  it("U2 may look, answer and halt, unless the person says otherwise", async () => {
    const client = await usual();
    expect(await client.names()).toEqual([...looking, "answer", "halt"]);
  });

  it("C15 gets the document that --json prints", async () => {
    const client = await usual();
    for (const [tool, input, words] of [
      ["status", {}, ["status"]],
      ["why", { task: "T001" }, ["why", "T001"]],
      ["history", { task: "T002" }, ["history", "--task", "T002"]],
      ["state_ready_tasks", {}, ["state", "ready-tasks"]],
      ["suggestNext", {}, ["next", "--dry-run"]],
      ["verify", {}, ["verify"]],
    ] as const) {
      const told = await client.call(tool, input);
      expect(told.isError, tool).toBe(false);
      expect(told.document, tool).toEqual(await project.json(...words));
    }
    expect(client.stderr).toBe("");
  });

  it("C14 gets the same problems, with their hints, as an error", async () => {
    const client = await usual();
    const told = await client.call("why", { task: "T999" });
    expect(told.isError).toBe(true);
    const { out, err, code } = await project.heddle("why", "T999", "--json");
    expect(code).toBe(1);
    expect(err).toContain("T999");
    expect(told.document).toEqual(JSON.parse(out));
    expect(told.document.problems[0].hint).toBeTruthy();
  });

  it("C14 is told what is wrong with its arguments, and nothing is done", async () => {
    const client = await usual();
    const before = (await project.status()).position;
    for (const [tool, input, said] of [
      ["why", { tasks: "T001" }, "did you mean `task`?"],
      ["why", { task: ["T001"] }, "`task` must be a string"],
      ["why", { task: "" }, "is empty"],
      ["halt", { now: "yes" }, "`now` must be true or false"],
      ["answer", { text: "yes" }, "`question` is missing"],
      ["answer", { question: "q1" }, "`text` is missing"],
      ["bundle_show", { id: "../../../etc/passwd" }, "is neither a task nor a role"],
      ["status", { watch: true }, "does not take `watch`"],
      ["status", { dir: "/" }, "does not take `dir`"],
      ["report", { out: "/tmp/x" }, "does not take `out`"],
      ["suggestNext", { override: "I say so" }, "does not take `override`"],
      ["status", { __proto__: { run: "x" }, constructor: "x" }, "does not take `constructor`"],
    ] as const) {
      const told = await client.call(tool, input);
      expect(told.isError, JSON.stringify(input)).toBe(true);
      expect(JSON.stringify(told.document)).toContain(said);
    }
    expect((await project.status()).position).toBe(before);
  });

  it("U2 cannot call what is not allowed, and is told who can change that", async () => {
    const client = await usual();
    const before = (await project.status()).position;
    for (const name of ["execute", "state_skip_task", "resume", "mcp", "toString", "__proto__", ""]) {
      const { error, result } = await client.request("tools/call", { name, arguments: {} });
      expect(result).toBeUndefined();
      expect(error.code).toBe(-32602);
      expect(error.message).toContain("mcp.allow");
    }
    expect((await project.status()).position).toBe(before);
  });

  it("U2 gets what the person allows, and its name stands in the history", async () => {
    const client = await allowing(["halt", "resume", "state skip-task"]);
    expect(await client.names()).toEqual(["halt", "resume", "state_skip_task"]);
    expect((await client.call("halt", { reason: "a — b\n\u001b[31mc" })).isError).toBe(false);
    expect((await client.call("resume")).document.resumed).toBe(true);
    expect((await client.call("resume", { budget: "9" })).document.problems[0].code).toBe("unknown-argument");
    const entries = await project.history();
    expect(entries.slice(-2).map(({ by, fact }) => [by, fact.kind])).toEqual([
      ["mcp:rig", "halt-requested"],
      ["mcp:rig", "resumed"],
    ]);
    expect(entries.at(-2)?.fact.reason).toBe("a — b\n\u001b[31mc");
  });

  it("U2 an empty list allows nothing", async () => {
    const client = await allowing([]);
    expect(await client.names()).toEqual([]);
    expect((await client.request("tools/call", { name: "status" })).error.code).toBe(-32602);
  });

  it.each([
    [["exekute"], "did you mean `execute`?"],
    [["mcp"], "`mcp` is for people only"],
    [["demo"], "is for people only"],
    [["attach"], "is for people only"],
    [["status --unconfined"], "`--unconfined` cannot be set"],
    [["next --to"], "`--to` cannot be set"],
  ])("C14 %j in mcp.allow stops it with a sentence", async (allow, said) => {
    project.write(".heddle/config.json", JSON.stringify({ mcp: { allow } }));
    const { code, out, err } = await project.heddle("mcp");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("`mcp.allow`");
    expect(err).toContain(said);
  });

  it("C14 a setting that is not one is named with its line", async () => {
    project.write(".heddle/config.json", '{\n  "mcp": { "alow": [] }\n}');
    const { code, err } = await project.heddle("mcp");
    expect(code).toBe(1);
    expect(err).toContain("did you mean `allow`?");
    expect(err).toContain("config.json:2:");
  });

  it("C14 in a folder without a project each call says so, and the server stays", async () => {
    const client = Client.in(new Folder(folder()));
    await client.begin();
    const told = await client.call("status");
    expect(told.isError).toBe(true);
    expect(told.document.problems[0]).toMatchObject({
      code: "no-project",
      hint: expect.stringMatching(/heddle init <target>$/),
    });
    expect((await client.request("ping")).result).toEqual({});
    expect(await client.close()).toBe(0);
  });

  it("C15 --list shows the tools and serves nothing", async () => {
    project.write(".heddle/config.json", "{}");
    const { out, code } = await project.heddle("mcp", "--list");
    expect(code).toBe(0);
    expect(out).toMatch(/^status +show where the run stands$/m);
    const listed = await project.json("mcp", "--list");
    expect(listed.map(({ name }: { name: string }) => name)).toContain("halt");
    expect((await heddle(["mcp", "--help"])).out).toContain("claude mcp add heddle -- heddle mcp");
  });
});

describe("every command", () => {
  it("U2 has a schema in which no two things have one name, and no more than 64 characters of name", async () => {
    for (const command of await allCommands()) {
      const offer = offerOf(command);
      const { properties, required } = schemaOf(offer) as { properties: object; required: string[] };
      const keys = Object.keys(properties);
      const flags = Object.values(command.flags ?? {}).filter((flag) => !flag.byHand);
      expect(keys.length, command.name).toBe((command.args?.length ?? 0) + flags.length + 1);
      for (const key of required) expect(keys).toContain(key);
      expect(offer.tool).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
    }
  });

  it("U2 hears exactly what was given, whatever the words look like", async () => {
    const hostile = ["--json", "-x", "a b", "--", "é\u2028", "=", "--dir=/", "$(x)"];
    for (const command of await allCommands()) {
      const offer = offerOf(command);
      const texts = (command.args ?? []).filter((arg) => arg.text);
      for (const word of texts.length > 0 ? hostile : []) {
        const given = Object.fromEntries(
          (command.args ?? []).map(({ name, text, choices }) => [
            name,
            text ? word : (choices?.[0] ?? "T001"),
          ]),
        );
        const { args, flags } = parse(command, wordsFor(offer, given));
        expect(args).toEqual((command.args ?? []).map(({ name }) => given[name]));
        expect(flags.has("dir")).toBe(false);
      }
    }
  });

  it("U2 has no way for a model to leave the box, to choose the program, or to override", async () => {
    for (const command of await allCommands()) {
      const { flags } = offerOf(command);
      for (const flag of ["unconfined", "override", "budget", "dir", "out"])
        expect(Object.keys(flags), command.name).not.toContain(flag);
      if (command.group === "run") expect(Object.keys(flags), command.name).not.toContain("agent");
    }
  });
});
