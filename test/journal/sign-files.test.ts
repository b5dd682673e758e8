// Signs of life as files beside a journal: shown, seen, dropped, and never in the place of a project that was moved away.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it } from "vitest";
import { signFiles } from "../../src/journal/sign-files.ts";

const root = mkdtempSync(join(tmpdir(), "heddle-signs-"));
const heddle = join(root, ".heddle");
afterEach(() => rmSync(heddle, { recursive: true, force: true }));

const by = { pid: 7, startTime: "11", bootId: "b", host: "ada" };
const sign = { by, holds: ["plan-1"], serves: true, count: 1 };

it("U5 a sign is seen as it was shown last, until it is dropped", async () => {
  mkdirSync(heddle);
  const signs = signFiles(join(heddle, "signs"), []);
  await signs.show(sign);
  await signs.show({ ...sign, count: 2 });
  expect(await signs.seen()).toMatchObject([{ ...sign, count: 2 }]);
  await signs.drop(by);
  expect(await signs.seen()).toEqual([]);
});

it("U5 G7 a sign never makes the folder of a project that was moved away", async () => {
  await expect(signFiles(join(heddle, "signs"), []).show(sign)).rejects.toThrow("ENOENT");
  expect(existsSync(heddle)).toBe(false);
});

it("U5 X17 one who stands by sees that somebody has the journal's file, and that nobody has", async () => {
  mkdirSync(heddle);
  const file = join(heddle, "heddle.db");
  const signs = signFiles(join(heddle, "signs"), [file]);
  expect([await signs.isBlocked(), existsSync(file)]).toEqual([false, false]);
  const holder = new DatabaseSync(file);
  holder.exec("begin immediate");
  expect(await signs.isBlocked()).toBe(true);
  holder.exec("rollback");
  expect(await signs.isBlocked()).toBe(false);
  holder.close();
});
