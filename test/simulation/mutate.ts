// Runs the simulation against a planted bug: a copy of the sources in a directory of its own, one replacement, and
// seeds from 0 until one of them notices.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Summary } from "./batch.ts";
import type { Mutant } from "./mutants.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Fate {
  readonly mutant: Mutant;
  /** Nothing when no seed noticed. */
  readonly caught: { readonly seed: number; readonly invariant: string } | undefined;
  readonly seconds: number;
}

/** A copy of the sources, for one bug after the other. */
export class Workbench {
  readonly #directory = mkdtempSync(join(tmpdir(), "heddle-mutants-"));

  constructor() {
    for (const part of ["src", "test/simulation", "test/ports/hostile.ts", "package.json"])
      cpSync(join(root, part), join(this.#directory, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.#directory, "node_modules"));
  }

  async try(mutant: Mutant, seeds: number): Promise<Fate> {
    const startMs = performance.now();
    const path = join(this.#directory, mutant.file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, mutated(mutant, text));
    try {
      const caught = await firstFailure(this.#directory, seeds);
      return { mutant, caught, seconds: (performance.now() - startMs) / 1000 };
    } finally {
      writeFileSync(path, text);
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function mutated({ name, file, from, to }: Mutant, text: string): string {
  const times = text.split(from).length - 1;
  if (times !== 1) throw new Error(`mutant "${name}": its text occurs ${times} times in ${file}`);
  return text.replace(from, () => to);
}

function firstFailure(directory: string, seeds: number): Promise<Fate["caught"]> {
  const main = join(directory, "test/simulation/main.ts");
  const child = spawn(process.execPath, [main, "--seeds", String(seeds), "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      if (!out.startsWith("{"))
        reject(new Error(`the mutated simulation told nothing: ${errors.slice(-2000)}`));
      else resolve((JSON.parse(out) as Summary).failures[0]);
    });
  });
}
