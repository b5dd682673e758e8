// Writes the JSON Schemas of the files that heddle reads and writes into schemas/, from the definitions that heddle itself
// validates with. `node scripts/schemas.ts --check` only compares, and exits 1 when they differ.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { configSchema } from "../src/config/config.ts";
import { projectContext } from "../src/discovery/project-context.ts";
import { bundle } from "../src/packs/decomposition/artifacts/bundle.ts";
import { capabilityMap } from "../src/packs/decomposition/artifacts/capability-map.ts";
import { checkpoint } from "../src/packs/decomposition/artifacts/checkpoint.ts";
import { physicalMap } from "../src/packs/decomposition/artifacts/physical-map.ts";
import { specReview } from "../src/packs/decomposition/artifacts/spec-review.ts";
import { state } from "../src/packs/decomposition/artifacts/state.ts";
import { taskFile } from "../src/packs/decomposition/artifacts/task-file.ts";
import { taskValidation } from "../src/packs/decomposition/artifacts/task-validation.ts";
import { specCoverageReport } from "../src/packs/decomposition/checks/spec-coverage.ts";
import { codeResult } from "../src/packs/lifecycle/artifacts/code-result.ts";
import { decision, revertRecord } from "../src/packs/lifecycle/artifacts/decision.ts";
import { evalReport } from "../src/packs/lifecycle/artifacts/eval-report.ts";
import { taskPlan } from "../src/packs/lifecycle/artifacts/plan.ts";
import { codeReview, planReview } from "../src/packs/lifecycle/artifacts/review.ts";
import { missionPlan } from "../src/packs/mission/artifacts/plan.ts";
import { missionResearch } from "../src/packs/mission/artifacts/research.ts";
import { missionSession } from "../src/packs/mission/artifacts/session.ts";
import { missionCheckpoint, missionSummary } from "../src/packs/mission/artifacts/summary.ts";
import { missionVerification } from "../src/packs/mission/artifacts/verification.ts";
import { ownProtocol } from "../src/protocols/own.ts";
import { executionReport } from "../src/view/report/execution-report.ts";
import { result } from "../src/work/result.ts";

const folder = join(import.meta.dirname, "..", "schemas");

const schemas = {
  "capability-map": capabilityMap,
  "physical-map": physicalMap,
  task: taskFile,
  "task-validation": taskValidation,
  "spec-review": specReview,
  bundle,
  result,
  checkpoint,
  state,
  "spec-coverage": specCoverageReport,
  "project-context": projectContext,
  config: configSchema,
  "execution-report": executionReport,
  "task-plan": taskPlan,
  "plan-review": planReview,
  "code-result": codeResult,
  "code-review": codeReview,
  "eval-report": evalReport,
  decision,
  "revert-record": revertRecord,
  protocol: ownProtocol,
  "mission-session": missionSession,
  "mission-research": missionResearch,
  "mission-plan": missionPlan,
  "mission-summary": missionSummary,
  "mission-checkpoint": missionCheckpoint,
  "mission-verification": missionVerification,
};

/** File name to content. */
export function schemaFiles(): Map<string, string> {
  return new Map(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema, title, description, ...rest } = z.toJSONSchema(schema, { io: "input" });
      const ordered = { $schema, $id: `urn:heddle:schema:${name}`, title, description, ...rest };
      return [`${name}.schema.json`, `${JSON.stringify(ordered, null, 2)}\n`];
    }),
  );
}

/** Files in `schemas/` that are missing, outdated or of nothing. */
export function outdatedSchemas(): string[] {
  const wanted = schemaFiles();
  const present = existsSync(folder) ? readdirSync(folder) : [];
  const isCurrent = (name: string) =>
    present.includes(name) && readFileSync(join(folder, name), "utf8") === wanted.get(name);
  return [...new Set([...wanted.keys(), ...present])].filter((name) => !isCurrent(name));
}

function main(): void {
  if (process.argv.includes("--check")) {
    const outdated = outdatedSchemas();
    if (outdated.length === 0) return;
    console.error(
      `error: schemas/ is not what the code says: ${outdated.join(", ")}\nhint: node scripts/schemas.ts`,
    );
    process.exitCode = 1;
    return;
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of schemaFiles()) writeFileSync(join(folder, name), content);
}

if (import.meta.main) main();
