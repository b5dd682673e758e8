// What a role is to make: how it is checked, and where it is kept once it is right. Every protocol has its own products;
// how an agent is set to work on one is the same for all of them (`work/run-role.ts`).
import { join } from "node:path";
import { jsonIn } from "../../core/json.ts";
import { listFiles, readText, remove, replaceFile } from "../../host/files.ts";
import { kindOf, type Product } from "../../work/product.ts";
import type { TaskValidation } from "./artifacts/task-validation.ts";
import { renderTaskValidation } from "./artifacts/task-validation-report.ts";
import { checkOutput, type Planned } from "./check-output.ts";
import { fileOf, type Places } from "./plan-files.ts";

export function planningProduct(makes: Planned, places: Places): Product {
  return {
    kind: kindOf(makes),
    check: (path) => checkOutput(makes, { places, path }),
    keep: (path) => putInPlace(makes, path, places),
  };
}

/** Files first, journal after: a crash in between checks the same output again, and puts the same files there. */
function putInPlace(makes: Planned, path: string, places: Places): void {
  const home = fileOf(places, makes);
  if (kindOf(makes) === "file") {
    const text = textOf(path);
    replaceFile(home, text);
    if (makes === "task_validation")
      replaceFile(
        join(places.planningDir, "reports/task-validation-report.md"),
        renderTaskValidation(jsonIn(text) as TaskValidation),
      );
    return;
  }
  const names = listFiles(path, ".json");
  for (const name of names) replaceFile(join(home, name), textOf(join(path, name)));
  for (const name of listFiles(home, ".json")) if (!names.includes(name)) remove(join(home, name));
}

export function textOf(file: string): string {
  const read = readText(file);
  if ("problem" in read) throw new Error(`bug: ${file} was checked and cannot be read`);
  return read.text;
}
