// What must hold of a project at any time when no command is at work, seen through the CLI alone.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Project, Ran } from "./rig.ts";

/**
 * The journal verifies, and `state.json` is current: a look at it changes not one byte, so its digest is right,
 * and its position is that of the last fact. Answers with the status document.
 */
export async function expectWhole(project: Project) {
  const before = readFileSync(project.view, "utf8");
  const verified = await project.heddle("verify", "--json");
  expect(verified, "verify").toMatchObject({ code: 0, err: "" });
  const status = await project.status();
  expect(readFileSync(project.view, "utf8"), "state.json was not current").toBe(before);
  const { facts, runs } = JSON.parse(verified.out);
  if (runs === 1) expect(status.position).toBe(facts);
  expect(JSON.parse(before).position).toBe(status.position);
  return status;
}

/** One sentence for one mistake, and no trace of where in heddle it was found. */
export function expectOneError({ err }: Ran): void {
  expect(err.match(/^error: .+/gm) ?? [], err).toHaveLength(1);
  expectNoTrace({ err });
}

export function expectNoTrace({ err }: Pick<Ran, "err">): void {
  expect(err).not.toMatch(/^ {4}at /m);
  expect(err).not.toContain("heddle has a bug");
  expect(err).not.toMatch(/node:internal|Error:|\(node:\d+\)/);
}

/** Refused: exit 1 and one sentence. */
export function expectRefused(ran: Ran, sentence: RegExp | string = ""): void {
  expect(ran.code, `${ran.out}${ran.err}`).toBe(1);
  expectOneError(ran);
  expect(ran.err).toMatch(sentence);
}
