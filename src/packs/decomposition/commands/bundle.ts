// `heddle bundle`: the one file per task that its executor reads (X4, X5).
import { join } from "node:path";
import { type Call, type Command, exits, type Reply } from "../../../command/command.ts";
import { toCall } from "../../../core/hint.ts";
import { recordIn } from "../../../core/json.ts";
import type { Problem } from "../../../core/problem.ts";
import { problem } from "../../../core/problem.ts";
import { type App, Refused } from "../../../engine/app.ts";
import { listFiles, readText, remove } from "../../../host/files.ts";

const id = { name: "id", about: "a task id" } as const;

async function write(app: App, task: string): Promise<string> {
  const { writeBundle } = await import("../bundles.ts");
  return writeBundle(app, task);
}

export const generate: Command = {
  name: "bundle generate",
  summary: "write a task's bundle",
  group: "state",
  args: [id],
  examples: ["heddle bundle generate T001"],
  run: async ({ app, args: [task = ""] }) => {
    const path = await write(await app(), task);
    return { text: `Generated bundle: ${path}`, json: { task, path } };
  },
};

export const generateReady: Command = {
  name: "bundle generate-ready",
  summary: "write the bundles of all ready tasks",
  group: "state",
  examples: ["heddle bundle generate-ready"],
  run: async ({ app, warn }) => {
    const opened = await app();
    const ready = await opened.look((run) => [...run.tasks.ready()]);
    const failed: string[] = [];
    for (const task of ready) {
      await write(opened, task).catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        failed.push(task);
        for (const found of error.problems) warn(found);
      });
    }
    const done = ready.length - failed.length;
    return {
      text: `Generated ${done} bundles, ${failed.length} failed`,
      json: { generated: ready.filter((task) => !failed.includes(task)), failed },
      exit: failed.length > 0 ? exits.refused : exits.done,
    };
  },
};

async function read({ app }: Pick<Call, "app">, task: string): Promise<{ path: string; text: string }> {
  // A name, not a path: nothing but bundles is read here.
  if (task.includes("/"))
    throw new Refused([
      problem("no-bundle", `\`${task}\` is neither a task nor a role`, { hint: toCall("bundle list") }),
    ]);
  const { bundlePath } = await import("../bundles.ts");
  const path = await (await app()).look((run) => bundlePath(run, task));
  const found = readText(path);
  if ("text" in found) return { path, text: found.text };
  throw new Refused([{ ...found.problem, hint: toCall(`bundle generate ${task}`) }]);
}

export const validate: Command = {
  name: "bundle validate",
  summary: "check a bundle against its schema",
  group: "state",
  args: [id],
  examples: ["heddle bundle validate T001"],
  run: async (call) => {
    const [task = ""] = call.args;
    const { path, text } = await read(call, task);
    const { checkBundle } = await import("../checks/check-execution-files.ts");
    const { problems } = checkBundle({ file: path, text, taskId: task });
    if (problems.length > 0) throw new Refused(problems);
    return { text: `Bundle ${task} is valid`, json: { task, valid: true } };
  },
};

export const validateIntegrity: Command = {
  name: "bundle validate-integrity",
  summary:
    "compare a bundle with what it was made from: 0 fine, 1 a dependency is missing, 2 something changed",
  group: "state",
  args: [id],
  examples: ["heddle bundle validate-integrity T001"],
  run: async (call) => {
    const [task = ""] = call.args;
    const { path, text } = await read(call, task);
    const { checkBundle } = await import("../checks/check-execution-files.ts");
    const { value, problems } = checkBundle({ file: path, text, taskId: task });
    if (!value) throw new Refused(problems);
    const { integrityNow } = await import("../bundles.ts");
    const { missing, changed } = await integrityNow(await call.app(), value);
    if (missing.length > 0) throw new Refused(missing.map((file) => absent(task, file)));
    if (changed.length === 0)
      return { text: `Bundle ${task} integrity validated`, json: { task, missing, changed } };
    for (const what of changed)
      call.warn(problem("changed", `\`${what}\` changed since the bundle was made`));
    return {
      text: `Bundle ${task} is out of date: ${call.manner(`bundle generate ${task}`)}`,
      json: { task, missing, changed },
      exit: exits.warned,
    };
  },
};

function absent(task: string, file: string): Problem {
  return problem("missing-dependency", `\`${file}\`, which task \`${task}\` builds on, is missing`, {
    hint: toCall(`why ${task}`),
  });
}

async function names({ app }: Pick<Call, "app">): Promise<{ folder: string; found: string[] }> {
  const folder = await (await app()).look((run) => join(run.planningDir, "bundles"));
  return { folder, found: listFiles(folder, "-bundle.json") };
}

export const list: Command = {
  name: "bundle list",
  summary: "list the bundles that are there",
  group: "state",
  examples: ["heddle bundle list"],
  run: async (call) => {
    const { found } = await names(call);
    return { text: found.map((name) => name.replace("-bundle.json", "")).join("\n"), json: found };
  },
};

export const clean: Command = {
  name: "bundle clean",
  summary: "remove all bundles; result files stay",
  group: "state",
  examples: ["heddle bundle clean"],
  run: async (call) => {
    const { folder, found } = await names(call);
    for (const name of found) remove(join(folder, name));
    return { text: `Removed ${found.length} bundles`, json: { removed: found.length } };
  },
};

function brokenBundle(name: string, path: string): Refused {
  return new Refused([
    problem("bad-bundle", `the bundle of \`${name}\` is damaged: it is no JSON object that can be read`, {
      place: { file: path },
      hint: [toCall(`bundle generate ${name}`), " writes it again"],
    }),
  ]);
}

export const show: Command = {
  name: "bundle show",
  summary: "print a bundle, or how large its parts are",
  group: "state",
  args: [{ name: "id", about: "a task id, or a role" }],
  flags: { size: { about: "bytes per part instead of the content" } },
  examples: [
    "heddle bundle show T001",
    "heddle bundle show T001 --size",
    "heddle bundle show logic-architect --size",
  ],
  run: async (call): Promise<Reply> => {
    const [name = ""] = call.args;
    const { path, text } = await read(call, name);
    const bundle = recordIn(text);
    if (!bundle) throw brokenBundle(name, path);
    if (!call.flags.has("size")) return { text: JSON.stringify(bundle, null, 2), json: bundle };
    const sizes = Object.entries(bundle).map(
      ([key, value]) => [key, JSON.stringify(value)?.length ?? 0] as const,
    );
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    const rows = [...sizes]
      .sort((a, b) => b[1] - a[1])
      .map(([key, size]) => `${String(size).padStart(8)}  ${key}`);
    return {
      text: [...rows, `${String(total).padStart(8)}  in all`].join("\n"),
      json: { ...Object.fromEntries(sizes), total },
    };
  },
};
