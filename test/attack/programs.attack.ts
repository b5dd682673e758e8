// heddle's own programs: whatever a person's PATH holds, heddle starts no program that an agent could have written.
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { folder, heddle } from "../e2e/rig.ts";
import { Execution } from "../execute/rig.ts";

const names = ["git", "bwrap", "mkfifo", "cp", "sh", "node", "rm", "grep"];

/** Each leaves a line when it is started by heddle or by a program of heddle's, and does what it should. */
function plant(project: Execution, place: string, canary: string): void {
  for (const name of names) {
    project.write(`${place}/${name}`, `#!/bin/sh\necho ${name} >> ${canary}\nexec /usr/bin/${name} "$@"\n`);
    chmodSync(project.path(place, name), 0o755);
  }
}

async function tryAll(project: Execution, env: { PATH: string }, canary: string): Promise<void> {
  for (const cwd of [project.root, project.path("app")])
    for (const words of [["status"], ["doctor"], [...project.words, "--batch"], ["land"], ["report"]])
      await heddle(words, { cwd, env });
  expect(existsSync(canary) ? readFileSync(canary, "utf8") : "").toBe("");
  // The attack is worth nothing where nobody worked.
  expect(project.merged()).toEqual(["T001"]);
}

it.each(["./bin", "", ".", "node_modules/.bin"])(
  "G9 starts no program from the PATH entry `%s`",
  async (entry) => {
    const project = await Execution.ready({ tasks: 1 });
    const canary = join(folder(), "ran");
    for (const place of ["bin", "node_modules/.bin", "app/bin", "app/node_modules/.bin", ".", "app"])
      plant(project, place, canary);
    await tryAll(project, { PATH: `${entry}:${process.env.PATH}` }, canary);
  },
);

it("G9 starts no program from a target or a project that the PATH names whole, nor by links through them", async () => {
  const project = await Execution.ready({ tasks: 1 });
  const canary = join(folder(), "ran");
  const outside = folder();
  for (const place of ["tools", "app/bin", ".heddle/bin"]) plant(project, place, canary);
  symlinkSync(project.path("app/bin"), join(outside, "folder"));
  mkdirSync(join(outside, "files"));
  for (const name of names) symlinkSync(project.path("app/bin", name), join(outside, "files", name));
  // It leads to an honest program now; the link itself is the agent's to turn.
  symlinkSync("/usr/bin", project.path("app/later"));
  symlinkSync(project.path("app/later"), join(outside, "later"));
  const entries = [
    ...[project.path("tools"), project.path("app/bin"), project.path(".heddle/bin")],
    ...[join(outside, "folder"), join(outside, "files"), join(outside, "later")],
    `${outside}/../${outside.split("/").at(-1)}/folder`,
  ];
  await tryAll(project, { PATH: [...entries, process.env.PATH].join(":") }, canary);
});

it("G9 gives agents and checks no PATH that leads into a workspace or a target", async () => {
  const project = await Execution.ready(
    {
      tasks: 1,
      more: () => ({
        acceptance_criteria: [
          { criterion: "says its PATH", verification: 'echo "PATH=$PATH" >&2; test -f src/T001.txt' },
        ],
      }),
    },
    { "*": ['say("PATH=" + process.env.PATH); good()'] },
  );
  const entries = [".", "", "./bin", "bin", project.path("app/bin")];
  const env = { PATH: [...entries, process.env.PATH].join(":") };
  await heddle([...project.words, "--batch"], { cwd: project.root, env });
  const check = project.attempt("T001-1", "checks");
  const said = [
    readFileSync(project.attempt("T001-1", "stdout.log"), "utf8"),
    ...(await import("node:fs"))
      .readdirSync(check)
      .filter((name) => name.endsWith(".err"))
      .map((name) => readFileSync(join(check, name), "utf8")),
  ].flatMap((text) => [...text.matchAll(/PATH=(.*)/g)].map(([, path = ""]) => path.replace(/"}$/, "")));
  expect(said.length).toBeGreaterThan(1);
  for (const path of said)
    for (const entry of path.split(":")) {
      expect(entry).toMatch(/^\//);
      expect(dirname(entry)).not.toBe(project.path("app"));
    }
});
