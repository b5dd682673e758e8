// What people have written down for agents, in the target and at home.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { userPreferences } from "../../src/discovery/discover.ts";
import { folderWith } from "./folders.ts";

describe("userPreferences", () => {
  it("D13 reads the target's instructions and the user's own, each with its digest", () => {
    const target = folderWith({ "AGENTS.md": "Use tabs.\n", "GEMINI.md": "Be brief.\n" });
    const home = folderWith({
      ".claude/CLAUDE.md": "Never use any.\n",
      ".codex/AGENTS.md": "Write tests.\n",
      ".gemini/GEMINI.md": "Gemini.\n",
      ".config/opencode/AGENTS.md": "Opencode.\n",
    });
    const found = userPreferences({ target, home });
    expect(found.map(({ scope, path, text }) => [scope, path, text])).toEqual([
      ["project", join(target, "AGENTS.md"), "Use tabs.\n"],
      ["project", join(target, "GEMINI.md"), "Be brief.\n"],
      ["user", join(home, ".claude/CLAUDE.md"), "Never use any.\n"],
      ["user", join(home, ".codex/AGENTS.md"), "Write tests.\n"],
      ["user", join(home, ".gemini/GEMINI.md"), "Gemini.\n"],
      ["user", join(home, ".config/opencode/AGENTS.md"), "Opencode.\n"],
    ]);
    expect(found[0]?.sha256).toBe(createHash("sha256").update("Use tabs.\n").digest("hex"));
  });

  it("D13 finds nothing where there is nothing", () => {
    const empty = folderWith();
    expect(userPreferences({ target: empty, home: empty })).toEqual([]);
    expect(userPreferences({ target: join(empty, "gone"), home: join(empty, "gone") })).toEqual([]);
  });

  it("D13 names a file once when another is the same or a link to it", () => {
    const target = folderWith({ "CLAUDE.md": "Same.\n" });
    symlinkSync("CLAUDE.md", join(target, "AGENTS.md"));
    const found = userPreferences({ target, home: target });
    expect(found).toMatchObject([
      { path: join(target, "AGENTS.md"), also: [join(target, "CLAUDE.md")], text: "Same.\n" },
    ]);
  });

  it("D13 follows a link of the user's own, but none of the target's that leads outside", () => {
    const elsewhere = folderWith({ "agents.md": "Mine.\n" });
    const target = folderWith();
    const home = folderWith({ ".claude/x": "" });
    symlinkSync(join(elsewhere, "agents.md"), join(target, "AGENTS.md"));
    symlinkSync(join(elsewhere, "agents.md"), join(home, ".claude/CLAUDE.md"));
    expect(userPreferences({ target, home })).toMatchObject([
      { scope: "project", unread: "outside", text: "", sha256: null },
      { scope: "user", text: "Mine.\n", unread: null },
    ]);
  });

  it("D13 cuts a long text and says so, and does not read what is huge, not text or a pipe", () => {
    const target = folderWith({ "AGENTS.md": "x".repeat(100_000), "CLAUDE.md": "", "GEMINI.md": "a\0b" });
    mkdirSync(join(target, ".claude"));
    spawnSync("mkfifo", [join(target, ".claude/CLAUDE.md")]);
    truncateSync(join(target, "CLAUDE.md"), 200 * 1024 * 1024);
    const found = userPreferences({ target, home: folderWith() });
    expect(found).toMatchObject([
      { bytes: 100_000, cut: true, unread: null },
      { unread: "too large", text: "" },
      { unread: "binary", text: "" },
      { unread: "irregular", text: "" },
    ]);
    expect(found[0]?.text.length).toBeLessThan(40_000);
  });

  it("D13 takes control characters out of the text", () => {
    const target = folderWith();
    writeFileSync(join(target, "AGENTS.md"), "a\u001b[2Jb\r\nc\td\n");
    expect(userPreferences({ target, home: target })[0]?.text).toBe("a\ufffd[2Jb\nc\td\n");
  });
});
