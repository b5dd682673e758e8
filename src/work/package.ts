// Where heddle itself lies, and how an agent in its box calls it.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isThere } from "../host/files.ts";

/** Beside `dist/` in the package, and beside `src/` in the repository. */
export function packageDir(): string {
  const places = ["..", "../..", "../.."].map((up) => fileURLToPath(new URL(up, import.meta.url)));
  return places.find((place) => isThere(join(place, "schemas"))) ?? (places[0] as string);
}

/** What an agent needs of it: heddle, the schemas, roles and examples; in a clone of heddle there is more. */
export function packageParts(): string[] {
  const parts = ["dist", "schemas", "roles", "examples", "package.json"];
  return parts.map((part) => join(packageDir(), part)).filter(isThere);
}

export function schemaFile(name: string): string {
  return join(packageDir(), "schemas", `${name}.schema.json`);
}

/** The same Node, the same file. */
export function heddleCommand(): string {
  return `${process.execPath} ${join(packageDir(), "dist/heddle.js")}`;
}
