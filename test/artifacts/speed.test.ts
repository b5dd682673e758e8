import { expect, it } from "vitest";
import { checkSequencing } from "../../src/packs/decomposition/checks/check-sequencing.ts";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { processorMs } from "../processor-time.ts";
import { fileOf, task } from "./samples.ts";

const behaviours = new Set(["B1"]);

function chain(length: number, last: readonly string[] = []) {
  return Array.from({ length }, (_, index) =>
    fileOf(task(`T${index}`, index + 1 < length ? [`T${index + 1}`] : last), `tasks/T${index}.json`),
  );
}

/** Of computing: other tests run beside it, and how long they keep it waiting is not its doing. */
function milliseconds(work: () => void): number {
  const started = processorMs();
  work();
  return processorMs() - started;
}

/** Generous, because two cores share their caches; the figures themselves come from a bench. */
it("D10 checks a chain of 100,000 tasks in about two seconds, without running out of stack", () => {
  const files = chain(100_000);
  let checked = checkTasks({ files: [], behaviours });
  const took = milliseconds(() => {
    checked = checkTasks({ files, behaviours });
  });
  expect(checked.problems).toEqual([]);
  expect(checkSequencing(checked.tasks)).toEqual([]);
  expect(took).toBeLessThan(6000);
}, 30_000);

it("D10 prints a cycle through 20,000 tasks", () => {
  const { problems } = checkTasks({ files: chain(20_000, ["T0"]), behaviours });
  expect(problems).toMatchObject([{ code: "cycle", message: expect.stringContaining("T19999 -> T0`") }]);
});

it("D10 costs a small multiple of parsing alone", () => {
  const files = chain(5_000);
  const rounds = Array.from({ length: 5 }, () => ({
    parsing: milliseconds(() => files.forEach(({ text }) => void JSON.parse(text))),
    checking: milliseconds(() => checkTasks({ files, behaviours })),
  }));
  const best = (key: "parsing" | "checking") => Math.min(...rounds.map((round) => round[key]));
  expect(best("checking") / best("parsing")).toBeLessThan(10);
});

it("D10 finds 5,000 unknown dependencies among 20,000 tasks in bounded time", () => {
  const files = chain(20_000).map((file, index) =>
    index % 4 === 0 ? fileOf(task(`T${index}`, [`T${index}000000`]), file.file) : file,
  );
  const took = milliseconds(() => expect(checkTasks({ files, behaviours }).problems.length).toBe(5000));
  expect(took).toBeLessThan(6000);
}, 30_000);
