// What docs/mcp.md promises: its snippets are documents, its list of tools is the list, its example of a list works.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allowedByDefault } from "../../src/cli/mcp/host-tools.ts";
import { insideTools } from "../../src/cli/mcp/inside-tools.ts";
import { underscored } from "../../src/cli/mcp/offer.ts";
import { versions } from "../../src/mcp/message.ts";
import { cli, newProject } from "../e2e/rig.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/mcp.md"), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text]) => text ?? "");

describe("docs/mcp.md", () => {
  it("has configurations that are JSON, each for the server `heddle`", () => {
    const servers = blocks("json").map((text) => JSON.parse(text));
    expect(servers).toHaveLength(3);
    for (const { mcpServers, mcp } of servers)
      expect(JSON.stringify(mcpServers ?? mcp)).toContain('"heddle"');
  });

  it("names every tool that is offered, every property inside, and every version", () => {
    const tools = allowedByDefault.map((entry) =>
      entry === "next --dry-run" ? "suggestNext" : underscored(entry),
    );
    const inside = insideTools({ socket: "", task: "" });
    const properties = inside.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties as object));
    const names = [...tools, ...inside.map(({ name }) => name), ...properties];
    for (const name of names) expect(page, name).toContain(`\`${name}\``);
    for (const version of versions) expect(page).toContain(version);
  });

  it("has a list that can be allowed", async () => {
    const project = await newProject();
    project.write(".heddle/config.json", blocks("jsonc")[0] ?? "");
    const { out, code } = await project.heddle("mcp", "--list");
    expect(code).toBe(0);
    expect(out).toMatch(/^execute /m);
    expect(out).toMatch(/^suggestNext +what is to be done next/m);
  });
});

describe("examples/mcp-host", () => {
  it("lists the tools, and calls one", async () => {
    const project = await newProject();
    const look = (...words: readonly string[]) =>
      spawnSync(
        process.execPath,
        [join(import.meta.dirname, "../../examples/mcp-host/look.mjs"), project.root, ...words],
        { encoding: "utf8", env: { ...process.env, HEDDLE: `${process.execPath} ${cli}` }, timeout: 20_000 },
      );
    expect(look()).toMatchObject({ status: 0, stdout: expect.stringContaining('"run": "plan-1"') });
    const refused = look("execute", "{}");
    expect(refused.status).toBe(1);
    expect(refused.stdout).toContain("`execute` is not offered here");
  });
});
