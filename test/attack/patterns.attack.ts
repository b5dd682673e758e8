// Every regular expression of `src`, attacked with strings of its own alphabet: what takes four times as long for twice the
// text would let a file of some hundred kilobytes hold heddle up for hours.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";
import { attacksOn, grown, type RegexAttack } from "./regex-attack.ts";

const src = join(import.meta.dirname, "../../src");

interface Pattern {
  readonly where: string;
  readonly pattern: RegExp;
}

/** What only ever sees a text that is bounded before: which bound, by the file that the expression stands in. */
const bounded: Readonly<Record<string, string>> = {
  "agents/codex.ts": "a file's name",
  "core/effect.ts": "a key that heddle made",
  "work/set-up/plain-manifests.ts": "a line of at most `longestLine` characters",
  "packs/tuning/skill/find.ts": "a path",
};

function patternsOf(name: string): Pattern[] {
  const text = readFileSync(join(src, name), "utf8");
  const found: Pattern[] = [];
  const open: unknown[] = [parseAst(text, { lang: "ts" }, name)];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== "object") continue;
    const { type, regex } = value as { type?: string; regex?: { pattern: string; flags: string } };
    if (type === "Literal" && regex)
      found.push({ where: name, pattern: new RegExp(regex.pattern, regex.flags.replace("y", "")) });
    open.push(...Object.values(value));
  }
  return found;
}

const search = new Script(
  "{ const { pattern, text } = globalThis.attacked; pattern.lastIndex = 0; pattern.global ? text.replace(pattern, '') : pattern.test(text); }",
);
const tooLongMs = 6000;
/** By the clock, and only against what never ends: on a machine with much to do, a little work takes long. */
const patienceMs = 20_000;

function timeOf(pattern: RegExp, text: string): number {
  Object.assign(globalThis, { attacked: { pattern, text } });
  const before = process.cpuUsage();
  try {
    search.runInThisContext({ timeout: patienceMs });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The best of several: another process may have had the machine meanwhile. */
const best = (pattern: RegExp, text: string) =>
  Math.min(timeOf(pattern, text), timeOf(pattern, text), timeOf(pattern, text));

/** What is slow is slow each time; what another process made slow is not. */
const isSlow = (pattern: RegExp, attack: RegexAttack) => [1, 2, 3].every(() => seemsSlow(pattern, attack));

function seemsSlow(pattern: RegExp, attack: RegexAttack): boolean {
  const text = grown(attack, 16_000);
  if (timeOf(pattern, text) < 10 || best(pattern, text) < 10) return false;
  const more = best(pattern, grown(attack, 64_000));
  return more > tooLongMs || more > 8 * best(pattern, text);
}

it("C14 every regular expression of the sources takes linear time on hostile text", () => {
  const patterns = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap(patternsOf)
    .filter(({ where }) => bounded[where] === undefined);
  let tried = 0;
  const slow = patterns.flatMap(({ where, pattern }) => {
    const attacks = attacksOn(pattern);
    tried += attacks.length;
    const found = attacks.find((attack) => isSlow(pattern, attack));
    return found ? [`${where}: ${String(pattern)} on ${JSON.stringify(found)}`] : [];
  });
  console.log(`${patterns.length} regular expressions, ${tried} hostile texts`);
  expect(slow).toEqual([]);
  expect(patterns.length).toBeGreaterThan(300);
}, 600_000);
