// A copy of the repository in which one planted bug after the other is built and attacked.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Planted } from "./planted.ts";

const root = join(import.meta.dirname, "../..");
const parts = [
  "src",
  "page",
  "test",
  "roles",
  "schemas",
  "examples",
  "scripts",
  "package.json",
  "package-lock.json",
];
const settings = ["rolldown.config.ts", "tsconfig.json", "vitest.config.ts", "NOTICE", "README.md"];

export class Workbench {
  readonly #directory = mkdtempSync(join(tmpdir(), "heddle-planted-"));

  constructor() {
    // As root, some attacks run as somebody else, who must be able to start what is built here.
    chmodSync(this.#directory, 0o755);
    for (const part of [...parts, ...settings].filter((name) => existsSync(join(root, name))))
      cpSync(join(root, part), join(this.#directory, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.#directory, "node_modules"));
  }

  /** `caught`, or what happened instead. A test that fails without the bug as well proves nothing. */
  try(bug: Planted): string {
    const sound = this.#isSound(bug);
    if (sound !== undefined) return sound;
    const path = join(this.#directory, bug.file);
    const text = readFileSync(path, "utf8");
    const times = text.split(bug.from).length - 1;
    if (times !== 1) return `its text occurs ${times} times in ${bug.file}`;
    writeFileSync(
      path,
      text.replace(bug.from, () => bug.to),
    );
    try {
      return this.#build() ?? this.#attack(bug);
    } finally {
      writeFileSync(path, text);
    }
  }

  readonly #sound = new Map<string, string | undefined>();

  #isSound(bug: Planted): string | undefined {
    const key = bug.caughtBy.join("\0");
    if (!this.#sound.has(key)) {
      const found = this.#build() ?? this.#attack(bug);
      this.#sound.set(key, found.endsWith("passes with it") ? undefined : `without it: ${found}`);
    }
    return this.#sound.get(key);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #build(): string | undefined {
    const { status, stderr } = this.#run(join(root, "node_modules/rolldown/bin/cli.mjs"), [
      "-c",
      "rolldown.config.ts",
      "--logLevel",
      "warn",
    ]);
    // The command is CommonJS, the repository is not: `scripts/precompile.ts` says so in a real build.
    writeFileSync(join(this.#directory, "dist/package.json"), '{ "type": "commonjs" }\n');
    return status === 0 ? undefined : `it could not be built: ${stderr.slice(-500)}`;
  }

  #attack({ caughtBy: [file, title] }: Planted): string {
    const report = join(this.#directory, "report.json");
    rmSync(report, { force: true });
    this.#run(join(root, "node_modules/vitest/vitest.mjs"), [
      ...["run", "--config", "test/attack/vitest.config.ts", `test/attack/${file}`],
      ...["-t", title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")],
      ...["--reporter=json", `--outputFile.json=${report}`],
    ]);
    const { numPassedTests = 0, numFailedTests = 0 } = existsSync(report)
      ? JSON.parse(readFileSync(report, "utf8"))
      : {};
    if (numFailedTests > 0) return "caught";
    return numPassedTests > 0 ? `"${title}" passes with it` : `no test of ${file} is called "${title}"`;
  }

  #run(script: string, args: readonly string[]) {
    return spawnSync(process.execPath, [script, ...args], {
      cwd: this.#directory,
      encoding: "utf8",
      env: { ...process.env, HEDDLE_BUILT: "1" },
    });
  }
}
