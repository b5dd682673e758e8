// The commands that a newcomer meets, and what is said to one who mistypes them.
import { describe, expect, it } from "vitest";
import { find } from "../../src/cli/find.ts";
import { firstScreen, overview, topics } from "../../src/cli/help.ts";
import { allCommands } from "../../src/cli/registry.ts";
import type { Hint } from "../../src/core/hint.ts";
import { hintText } from "../../src/view/hint.ts";

async function hintFor(...words: readonly string[]): Promise<string> {
  const error = await find(words).catch((thrown: unknown) => thrown);
  const hint = (error as { problem?: { hint?: Hint } }).problem?.hint;
  return hint === undefined ? "" : hintText(hint, (command) => `heddle ${command}`);
}

describe("help", () => {
  it("C14 fits on one screen of a small terminal, and names twelve commands that there are", async () => {
    const lines = firstScreen(await allCommands()).split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => line.startsWith("  "))).toHaveLength(12);
  });

  it("C14 has every command under exactly one topic, older spellings left out", async () => {
    const commands = await allCommands();
    for (const command of commands)
      expect(
        topics.filter(({ has }) => has(command)),
        command.name,
      ).toHaveLength(1);
    const all = overview(commands);
    expect(all).toContain("  task add ");
    expect(all).not.toContain("plan-task");
  });

  it.each([
    ["exec", "execute"],
    ["stat", "status"],
    ["stauts", "status"],
    ["exceute", "execute"],
    ["stop", "halt"],
    ["merge", "land"],
  ])("C14 understands `%s`", async (word, meant) => {
    expect(await hintFor(word)).toBe(`did you mean \`heddle ${meant}\`?`);
  });
});
