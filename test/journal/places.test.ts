// Where a run's folders are, as the journal keeps it, and journals of the first format, which keep it otherwise.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { firstSum } from "../../src/core/checksum.ts";
import { carryOut } from "../../src/core/step.ts";
import { found, kept } from "../../src/journal/places.ts";
import { createDatabase } from "../../src/journal/schema.ts";
import { SqliteJournal } from "../../src/journal/sqlite.ts";
import { protocolNamed } from "../../src/protocols/registry.ts";

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
});
