// The command line with another composition root, built apart: what a campaign tries beside what people are given.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type RolldownPluginOption, rolldown } from "rolldown";
import config from "../../rolldown.config.ts";

type Input = Parameters<typeof rolldown>[0];

export const root = resolve(import.meta.dirname, "../..");

interface Trial {
  /** Where it is made; what was there goes. */
  readonly folder: string;
  /** The file that puts heddle together there. */
  readonly composition: string;
  readonly output?: object;
}

/** Answers with the program. */
export async function trialBuild({ folder, composition, output }: Trial): Promise<string> {
  const [cli] = config as [Input & { output: object }];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dir = join(folder, "dist");
  const other = {
    name: "other-composition",
    resolveId(source: string, importer: string | undefined) {
      const isRoot = /(?:^|\/)composition\.ts$/.test(source) && importer?.startsWith(join(root, "src"));
      return isRoot ? composition : null;
    },
  };
  const kept = ((cli.plugins as { name: string }[]) ?? []).filter(({ name }) => name !== "notice");
  const plugins = [other, ...kept] as RolldownPluginOption[];
  const bundle = await rolldown({ ...cli, plugins, cwd: root });
  await bundle.write({ ...cli.output, dir, ...output });
  for (const name of ["package.json", "roles", "schemas", "examples"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ["package.json", "page"])
    cpSync(join(root, "dist", name), join(dir, name), { recursive: true });
  return join(dir, "heddle.js");
}
