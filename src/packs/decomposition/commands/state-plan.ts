// `heddle state …`: the phases of a plan, its artifacts and its tasks, for hosts that drive the loop themselves.

import { type Command, Usage } from "../../../command/command.ts";
import { toCall } from "../../../core/hint.ts";
import { problem } from "../../../core/problem.ts";
import { Refused } from "../../../engine/app.ts";
import { oneLine } from "../../../view/safe.ts";
import { statusDocument } from "../../../view/status.ts";
import { idleOf } from "../../../watch/idle.ts";

const verdicts = ["READY", "READY_WITH_NOTES", "BLOCKED"] as const;

export const stateStatus: Command = {
  name: "state status",
  summary: "show phase, tasks and cost in plain lines",
  group: "state",
  examples: ["heddle state status"],
  run: async ({ app }) => {
    const opened = await app();
    const idle = await idleOf(opened);
    const stopFile = await opened.isStopped();
    const json = await opened.look((run) => statusDocument(run, { stopFile, idle }));
    const counts = Object.entries(json.tasks).map(([status, n]) => `${status} ${n}`);
    const total = Object.values(json.tasks).reduce((sum, n) => sum + n, 0);
    const lines = [
      ...(json.halt ? [`HALTED: ${oneLine(json.halt.reason)}`] : []),
      `Phase: ${json.phase}`,
      `Target: ${json.target_dir}`,
      `Tasks: ${total}`,
      ...(total > 0 ? [`Status: ${counts.join(", ")}`] : []),
      `Tokens: ${(json.usage.input_tokens + json.usage.output_tokens).toLocaleString("en-US")}`,
      `Cost: ${json.usage.unknown_costs > 0 ? "at least " : ""}$${json.usage.cost_usd.toFixed(4)}`,
      ...(json.ready.length > 0
        ? [`Ready tasks${json.halt ? " (paused)" : ""}: ${json.ready.join(", ")}`]
        : []),
    ];
    return { text: lines.join("\n"), json };
  },
};

export const advance: Command = {
  name: "state advance",
  summary: "go on to the next phase when this one is finished, or say what is missing",
  group: "state",
  examples: ["heddle state advance"],
  run: async ({ app }) => {
    const opened = await app();
    const { advance: submit, ingest } = await import("../planning.ts");
    if ((await opened.look((run) => run.phase)) === "ingestion") await ingest(opened);
    const { entries } = await submit(opened);
    const moved = entries.map((entry) => entry.fact).find((fact) => fact.kind === "phase-entered");
    const { from = "", to = "" } = moved ?? {};
    return { text: `Advanced from ${from} to ${to}`, json: { from, to } };
  },
};

export const loadTasks: Command = {
  name: "state load-tasks",
  summary: "check all task files and load them, keeping the progress of those that did not change",
  group: "state",
  examples: ["heddle state load-tasks"],
  run: async ({ app, warn }) => {
    const { loadTasks: load } = await import("../planning.ts");
    const loaded = await load(await app());
    for (const warning of loaded.warnings.slice(0, 20)) warn(warning);
    const hidden = loaded.warnings.length - 20;
    if (hidden > 0)
      warn(problem("more", `${hidden} more warnings: heddle state load-tasks --json lists all`));
    const changes = `${loaded.added} new, ${loaded.changed} changed, ${loaded.dropped} gone`;
    return {
      text: `Loaded ${loaded.tasks} tasks (${changes})`,
      json: { ...loaded, warnings: loaded.warnings.map(plain) },
    };
  },
};

const plain = (warning: { readonly message: string; readonly place?: { readonly file: string } }) => ({
  message: warning.message,
  file: warning.place?.file ?? null,
});

export const validate: Command = {
  name: "state validate",
  summary: "check an artifact and record the outcome, good or bad",
  group: "state",
  args: [{ name: "artifact", about: "which artifact", choices: ["capability_map", "physical_map"] }],
  examples: ["heddle state validate capability_map"],
  run: async ({ app, args: [name = ""] }) => {
    const { validateMap } = await import("../planning.ts");
    const problems = await validateMap(await app(), name as "capability_map" | "physical_map");
    if (problems.length > 0) throw new Refused(problems);
    return { text: `Validated successfully: ${name}`, json: { artifact: name, valid: true } };
  },
};

export const validateTasks: Command = {
  name: "state validate-tasks",
  summary: "register the verdict on the plan; a blocked one is kept too",
  group: "state",
  args: [
    { name: "verdict", about: `a verdict (${verdicts.join(", ")})` },
    { name: "summary", about: "one sentence", optional: true, many: true, text: true },
  ],
  flags: { issues: { about: "what must be fixed", takes: "TEXT", many: true, text: true } },
  examples: [
    'heddle state validate-tasks READY "all tasks pass"',
    'heddle state validate-tasks BLOCKED "two gaps" --issues "T003 has no test"',
  ],
  run: async ({ app, args: [word = "", ...words], flags, warn }) => {
    const verdict = word.toUpperCase();
    if (!verdicts.includes(verdict as (typeof verdicts)[number]))
      throw new Usage(
        problem("bad-verdict", `\`${word}\` is not a verdict: it is one of ${verdicts.join(", ")}`, {
          hint: toCall('state validate-tasks READY "<summary>"'),
        }),
      );
    const { registerVerdict } = await import("../planning.ts");
    const [summary, issues] = [words.join(" "), flags.all("issues")];
    const dimensions = await registerVerdict(await app(), { verdict, summary, issues });
    if (!dimensions)
      warn(problem("no-dimensions", "no dimensions came with the verdict: it is taken at its word"));
    const text =
      verdict === "BLOCKED" ? `Task validation blocked: ${summary}` : `Task validation complete: ${verdict}`;
    return { text, json: { verdict, summary, issues, dimensions } };
  },
};
