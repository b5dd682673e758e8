// The published precision of tuning follows from the published verdicts.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Found, read and judged, and removed because it did not reach its goal. */
const removed = "DOC-RED-003";

interface Verdict {
  readonly repository: string;
  readonly commit: string;
  readonly rule: string;
  readonly isProven: boolean;
  readonly isRight: boolean;
}

const verdicts: readonly Verdict[] = readFileSync("docs/tuning-precision.tsv", "utf8")
  .split("\n")
  .slice(1)
  .filter((line) => line !== "")
  .map((line) => {
    const [repository = "", commit = "", , , rule = "", certainty, , , verdict] = line.split("\t");
    return { repository, commit, rule, isProven: certainty === "proven", isRight: verdict === "right" };
  });

const share = (list: readonly Verdict[]) => list.filter(({ isRight }) => isRight).length / list.length;

it("S19 of the findings that were read, 0.9 of the proven and 0.7 of the suspected are right, as the page says", () => {
  const ofProven = verdicts.filter(({ isProven }) => isProven);
  const suspected = verdicts.filter(({ isProven }) => !isProven);
  expect(share(ofProven)).toBeGreaterThanOrEqual(0.9);
  expect(share(suspected)).toBeGreaterThanOrEqual(0.7);
  const left = suspected.filter(({ rule }) => rule !== removed);
  const page = readFileSync("docs/tuning-precision.md", "utf8");
  for (const list of [ofProven, suspected, left]) {
    const right = list.filter(({ isRight }) => isRight).length;
    expect(page).toContain(`| ${list.length} | ${right} | ${share(list).toFixed(2)} |`);
  }
});

it("S19 every verdict is about a repository that is fetched by name and commit, of at least 15", () => {
  const fetched: { readonly name: string; readonly commit: string }[] = JSON.parse(
    readFileSync("bench/tuning/repositories.json", "utf8"),
  );
  expect(fetched.length).toBeGreaterThanOrEqual(15);
  const known = new Map(fetched.map(({ name, commit }) => [name, commit]));
  for (const { repository, commit } of verdicts)
    expect(known.get(repository)?.startsWith(commit), `${repository} ${commit}`).toBe(true);
});
