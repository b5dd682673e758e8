// Where a run's folders are, as the journal keeps it, and journals of the first format, which keep it otherwise.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import type { Fact } from "../../src/core/fact.ts";
import { carryOut } from "../../src/core/step.ts";
import { firstSum } from "../../src/journal/checksum.ts";
import { found, keeping, kept } from "../../src/journal/places.ts";
import { createDatabase } from "../../src/journal/schema.ts";
import { SqliteJournal } from "../../src/journal/sqlite.ts";
import { protocolNamed } from "../../src/packs/registry.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-places-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openIn = (root: string | undefined) =>
  new SqliteJournal({
    path: join(folder, "heddle.db"),
    protocols: protocolNamed,
    now: () => "2026-01-01T00:00:00.000Z",
    ...(root !== undefined && { root }),
  });

describe("places", () => {
  it("C1 inside the root are kept relative to it, others in full", () => {
    const placed = (targetDir: string) => ({ targetDir, planningDir: "/a/b/project-planning" });
    for (const [absolute, relative] of [
      ["/a/b", "."],
      ["/a/b/app", "app"],
      ["/a/b/..app", "..app"],
      ["/a/bc", "/a/bc"],
      ["/a", "/a"],
      ["", ""],
    ] as const) {
      const stored = kept(placed(absolute), "/a/b");
      expect(stored).toEqual({ targetDir: relative, planningDir: "project-planning" });
      expect(found(stored, "/a/b").targetDir).toBe(absolute);
    }
    expect(found(kept(placed("/a/b/app"), "/a/b"), "/c").targetDir).toBe("/c/app");
  });

  it("C1 a journal of the first format, with full paths and its own sums, is read, proven and gone on with", async () => {
    createDatabase(join(folder, "heddle.db"));
    const old = openIn(undefined);
    await old.transact({ protocol: "decomposition" }, "test", (draft) =>
      carryOut(draft, { kind: "create", targetDir: "/old/app", planningDir: "/old/project-planning" }),
    );
    old.close();
    const db = new DatabaseSync(join(folder, "heddle.db"));
    const { head, hash } = db.prepare("select head, hash from run").get() as { head: string; hash: string };
    db.prepare("update run set format = 1, sum = ?").run(firstSum(`${head}\n${hash}`));
    db.exec("update fact set format = 1");
    db.close();

    const journal = openIn("/old");
    expect(await journal.verify()).toEqual([]);
    expect(await journal.read("plan-1", ({ targetDir }) => targetDir)).toBe("/old/app");
    const { problems } = await journal.transact({ run: "plan-1" }, "test", (draft) =>
      carryOut(draft, { kind: "halt", code: "operator", reason: "think" }),
    );
    expect(problems).toEqual([]);
    expect(await journal.entries("plan-1")).toMatchObject([{ fact: { targetDir: "/old/app" } }, {}]);
    journal.close();
    const again = openIn("/old");
    expect(await again.read("plan-1", ({ planningDir }) => planningDir)).toBe("/old/project-planning");
    expect(await again.verify()).toEqual([]);
    again.close();
  });

  it("C1 in any text of a fact the project is named by a mark, and found wherever it lies", () => {
    const [old, now] = [keeping("/a/b"), keeping("/c d")];
    const there = (text: string) => {
      const { json } = old.kept({ text });
      return [json, now.found(json, JSON.parse(json)).text, old.found(json, JSON.parse(json)).text];
    };
    for (const [text, later] of [
      ["/a/b/.heddle/x", "/c d/.heddle/x"],
      ["first\n/a/b/x and `/a/b`.", "first\n/c d/x and `/c d`."],
      ["file:///a/b/x", "file:///c d/x"],
      ["/a/bc /x/a/b /a/b.old /a/b-2", "/a/bc /x/a/b /a/b.old /a/b-2"],
      ["%project%/x and %project:% and %project", "%project%/x and %project:% and %project"],
    ] as const) {
      const [json, moved, same] = there(text);
      expect(json).not.toMatch(/(?<!x)\/a\/b(?![-\w]|\.\w)/);
      expect([moved, same]).toEqual([later, text]);
    }
    expect(old.kept({ text: "nothing" }).json).toBe('{"text":"nothing"}');
  });

  it("C1 a journal of 0.1 that was moved names its own files where they are now, and proves as before", async () => {
    const path = join(folder, "moved.db");
    const open = (root: string | undefined) =>
      new SqliteJournal({
        path,
        protocols: protocolNamed,
        now: () => "",
        ...(root !== undefined && { root }),
      });
    createDatabase(path);
    const old = open(undefined);
    const register = {
      ...{ kind: "artifact-registered", artifact: "spec", path: "/old/project-planning/inputs/spec.md" },
      ...{ digest: "d", inputs: {}, valid: true, problems: ["in /old/x"], content: {} },
    } as const satisfies Fact;
    await old.transact({ protocol: "decomposition" }, "test", (draft) => {
      carryOut(draft, { kind: "create", targetDir: "app", planningDir: "project-planning" });
      draft.record(register);
      draft.record({ kind: "variable-set", name: "dir", value: "/old/.heddle/tune/tune-1" });
      return [];
    });
    old.close();
    const db = new DatabaseSync(path);
    db.exec("update run set format = 4; update fact set format = 4");
    db.close();

    const moved = open("/new");
    expect(await moved.verify()).toEqual([]);
    const seen = await moved.read("plan-1", ({ artifacts, vars }) => [artifacts.spec?.path, vars.dir]);
    expect(seen).toEqual(["/new/project-planning/inputs/spec.md", "/new/.heddle/tune/tune-1"]);
    await moved.transact({ run: "plan-1" }, "test", (draft) => {
      draft.record({ ...register, path: "/new/project-planning/inputs/spec.md" });
      return [];
    });
    expect(await moved.verify()).toEqual([]);
    moved.close();
    const again = open("/newer");
    expect(await again.verify()).toEqual([]);
    expect(await again.read("plan-1", ({ artifacts }) => artifacts.spec?.path)).toBe(
      "/newer/project-planning/inputs/spec.md",
    );
    again.close();
  });
});
