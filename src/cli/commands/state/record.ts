// `heddle state record-…`, `log-tokens`, rollback and commit: what a host's loop writes down (X20).

import { type Call, type Command, Usage } from "../../../command/command.ts";
import { numberOf } from "../../../command/parse.ts";
import { readJson } from "../../../core/json.ts";
import { problem } from "../../../core/problem.ts";
import type { Json } from "../../../core/run.ts";

const id = { name: "id", about: "a task id" } as const;
const verdicts = ["PASS", "FAIL", "CONDITIONAL"] as const;
const recommendations = ["PROCEED", "BLOCK"] as const;
const outcomes = ["correct", "false_positive", "false_negative"] as const;

export const recordVerification: Command = {
  name: "state record-verification",
  summary: "record what a verifier says about a task; BLOCK holds back what waits for it",
  group: "state",
  args: [id],
  flags: {
    verdict: { about: "PASS, FAIL or CONDITIONAL", takes: "VERDICT" },
    recommendation: { about: "PROCEED or BLOCK", takes: "WORD" },
    criteria: { about: "a JSON list of {name, score, evidence}", takes: "JSON", text: true },
    quality: { about: "a JSON object of marks", takes: "JSON", text: true },
    tests: { about: "a JSON object of marks", takes: "JSON", text: true },
  },
  examples: ["heddle state record-verification T001 --verdict PASS --recommendation PROCEED"],
  run: async ({ app, args: [task = ""], flags }) => {
    const verdict = word({ flags }, "verdict", verdicts);
    const recommendation = word({ flags }, "recommendation", recommendations);
    const [criteria, quality, tests] = [
      json({ flags }, "criteria"),
      json({ flags }, "quality"),
      json({ flags }, "tests"),
    ];
    await (await app()).submit({
      kind: "record-verification",
      task,
      verdict,
      recommendation,
      criteria,
      quality,
      tests,
    });
    return {
      text: `Verification recorded for ${task}: ${verdict} (${recommendation})`,
      json: { task, verdict, recommendation },
    };
  },
};

/** In any case of letters, as scripts write it. */
function word<W extends string>({ flags }: Pick<Call, "flags">, name: string, words: readonly W[]): W {
  const given = flags.one(name);
  const found = words.find((each) => each === given?.toUpperCase().replace(" PASS", ""));
  if (found) return found;
  const message = given === undefined ? `\`--${name}\` is missing` : `\`${given}\` is not a ${name}`;
  throw new Usage(
    problem("bad-choice", `${message}: it is one of ${words.join(", ")}`, { hint: `--${name} ${words[0]}` }),
  );
}

function json({ flags }: Pick<Call, "flags">, name: string): Json {
  const text = flags.one(name);
  if (text === undefined) return null;
  const read = readJson(text, { maxLength: 1024 * 1024, maxDepth: 32 });
  if ("value" in read) return read.value as Json;
  const why =
    read.fault.kind === "not-json"
      ? `is not JSON: ${read.fault.message}`
      : `cannot be taken: ${read.fault.message}`;
  throw new Usage(problem("bad-json", `\`--${name}\` ${why}`, { hint: `--${name} '{"types":"PASS"}'` }));
}

export const recordCalibration: Command = {
  name: "state record-calibration",
  summary: "record whether a verification turned out right",
  group: "state",
  args: [
    id,
    { name: "outcome", about: "an outcome", choices: outcomes },
    { name: "notes", about: "why", optional: true, many: true, text: true },
  ],
  examples: ["heddle state record-calibration T001 correct"],
  run: async ({ app, args: [task = "", outcome = "", ...notes] }) => {
    const given = outcome as (typeof outcomes)[number];
    await (await app()).submit({ kind: "record-calibration", task, outcome: given, notes: notes.join(" ") });
    return { text: `Calibration recorded for ${task}: ${outcome}`, json: { task, outcome } };
  },
};

export const logTokens: Command = {
  name: "state log-tokens",
  summary: "add a session's tokens and cost",
  group: "state",
  args: [
    { name: "session", about: "a session's name", text: true },
    { name: "input", about: "the number of input tokens" },
    { name: "output", about: "the number of output tokens" },
    { name: "cost", about: "the cost in US dollars, or `unknown`" },
  ],
  flags: { task: { about: "the task it was spent on", takes: "ID" } },
  examples: ["heddle state log-tokens a1b2c3d4 1200 340 0.0087"],
  run: async ({ app, args: [agent = "", input = "", output = "", cost = ""], flags }) => {
    const inputTokens = numberOf(input, "the number of input tokens", { whole: true });
    const outputTokens = numberOf(output, "the number of output tokens", { whole: true });
    const costUsd = cost === "unknown" ? null : numberOf(cost, "the cost");
    const task = flags.one("task") ?? null;
    await (await app()).submit({ kind: "record-usage", task, agent, inputTokens, outputTokens, costUsd });
    return { text: "Tokens logged", json: { session: agent, inputTokens, outputTokens, costUsd } };
  },
};

export const prepareRollback: Command = {
  name: "state prepare-rollback",
  summary: "remember files as they are now, with a copy, so that a failure can put them back",
  group: "state",
  args: [id, { name: "file", about: "a file, relative to the target", many: true }],
  examples: ["heddle state prepare-rollback T001 src/a.ts src/b.ts"],
  run: async ({ app, args: [task = "", ...files] }) => {
    const { prepare } = await import("../../../hostloop/rollback.ts");
    const count = await prepare(await app(), task, files);
    return { text: `Rollback prepared for ${task} (${count} files)`, json: { task, files: count } };
  },
};

export const verifyRollback: Command = {
  name: "state verify-rollback",
  summary: "check that files are again as they were when the rollback was prepared",
  group: "state",
  args: [id],
  flags: {
    created: { about: "files that the task had created", takes: "FILE", many: true },
    modified: { about: "files that the task had modified", takes: "FILE", many: true },
  },
  examples: ["heddle state verify-rollback T001 --created src/a.ts --modified src/b.ts"],
  run: async ({ app, args: [task = ""], flags }) => {
    const { verify } = await import("../../../hostloop/rollback.ts");
    await verify(await app(), task, { created: flags.all("created"), modified: flags.all("modified") });
    return { text: "Rollback verified successfully", json: { task, verified: true } };
  },
};

export const commitTask: Command = {
  name: "state commit-task",
  summary: "commit exactly the files of a complete task, and nothing else that is staged",
  group: "state",
  args: [id],
  examples: ["heddle state commit-task T001"],
  run: async ({ app, args: [task = ""] }) => {
    const { commit } = await import("../../../hostloop/commit.ts");
    const sha = await commit(await app(), task);
    const text = sha === null ? `Nothing to commit for ${task}` : `Committed ${task}: ${sha.slice(0, 12)}`;
    return { text, json: { task, commit: sha } };
  },
};
