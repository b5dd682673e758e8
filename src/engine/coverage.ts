// Specification coverage (D21): the numbered requirements, and the tasks that name them.
import { join } from "node:path";
import type { Json } from "../core/run.ts";
import { textDigest } from "../host/digest.ts";
import { listFiles, readText } from "../host/files.ts";
import { checkTasks } from "../protocols/decomposition/artifacts/check-tasks.ts";
import { type SpecCoverage, specCoverage } from "../protocols/decomposition/artifacts/spec-coverage.ts";
import { specRequirements } from "../protocols/decomposition/artifacts/specification.ts";
import { type App, Refused } from "./app.ts";

export async function coverageOf(app: App, { save }: { save: boolean }): Promise<SpecCoverage> {
  const planningDir = await app.look((run) => run.planningDir);
  const path = join(planningDir, "inputs/spec.md");
  const spec = readText(path);
  if ("problem" in spec) throw new Refused([{ ...spec.problem, hint: `put the specification at ${path}` }]);
  const folder = join(planningDir, "tasks");
  const files = listFiles(folder, ".json").flatMap((name) => {
    const read = readText(join(folder, name));
    return "text" in read ? [{ file: join(folder, name), text: read.text }] : [];
  });
  const { tasks } = checkTasks({ files, behaviours: undefined });
  const found = specCoverage(
    specRequirements(spec.text),
    tasks.map(({ task }) => task),
  );
  if (save) {
    const content = found as unknown as Readonly<Record<string, Json>>;
    const digest = textDigest(JSON.stringify(found));
    await app.submit({
      kind: "register",
      artifact: "spec_coverage",
      path,
      digest,
      inputs: {},
      valid: true,
      problems: [],
      content,
    });
  }
  return found;
}
