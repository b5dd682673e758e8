// One JSON document from every command (C15), and the protocols as data (L14).
import { describe, expect, it } from "vitest";
import { thorough } from "../thorough.ts";
import { allCommands, callOf, eachOf } from "./commands.ts";
import { folder, heddle, readyProject } from "./rig.ts";

describe("protocols", () => {
  it("L14 list names the four", async () => {
    const { out } = await heddle(["protocol", "list"], { cwd: folder() });
    for (const name of ["decomposition", "lifecycle", "mission", "tuning"]) expect(out).toContain(name);
  });

  it("L14 show prints each as a table, as Mermaid and as JSON", async () => {
    for (const name of ["decomposition", "lifecycle", "mission", "tuning"]) {
      expect((await heddle(["protocol", "show", name])).code).toBe(0);
      expect((await heddle(["protocol", "show", name, "--mermaid"])).out).toMatch(/^stateDiagram/);
      expect(JSON.parse((await heddle(["protocol", "show", name, "--json"])).out).name).toBe(name);
    }
  });

  it("L14 check finds nothing wrong with any of them", async () => {
    expect(await heddle(["protocol", "check"])).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse((await heddle(["protocol", "check", "lifecycle", "--json"])).out).ok).toBe(true);
  });
});

describe("every command", () => {
  it("C15 gives one JSON document with --json when it succeeds or is refused", {
    timeout: 180_000,
  }, async () => {
    // The page prints its document and serves on (`test/page`); `serve` ends when it is stopped (`test/machines`).
    const commands = (await allCommands()).filter(({ name }) => !["demo", "serve", "web"].includes(name));
    const other = await readyProject({ tasks: 2 });
    const wrong = await eachOf(commands, async (command) => {
      const { out, code, err } = await other.heddle(...callOf(command), "--json");
      try {
        JSON.parse(out);
        return [];
      } catch {
        return [`${command.name}: exit ${code}, ${JSON.stringify(out.slice(0, 80))} ${err.slice(0, 80)}`];
      }
    });
    expect(wrong.flat()).toEqual([]);
  });

  it.runIf(thorough)("C15 demo gives one JSON document with --json", { timeout: 60_000 }, async () => {
    const { out, code, err } = await heddle(["demo", "--json", "--speed", "100", "--dir", folder()]);
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ phase: "complete" });
  });
});
