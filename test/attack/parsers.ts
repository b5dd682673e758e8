// Every parser of text from outside, by the file of the corpus that it reads: the real functions, in this process.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AcpStream } from "../../src/agents/acp-stream.ts";
import { ClaudeStream } from "../../src/agents/claude-stream.ts";
import { Rollout } from "../../src/agents/codex-rollout.ts";
import { CodexStream } from "../../src/agents/codex-stream.ts";
import type { Stream } from "../../src/agents/conversation.ts";
import { readScript } from "../../src/agents/scripted.ts";
import { parseConfig } from "../../src/config/config.ts";
import { ownRecord } from "../../src/core/json.ts";
import { discoverProject } from "../../src/discovery/discover.ts";
import { Talk } from "../../src/host/program/talk.ts";
import { serve } from "../../src/mcp/server.ts";
import { checkCapabilityMap } from "../../src/packs/decomposition/checks/check-capability-map.ts";
import { checkBundle, checkState } from "../../src/packs/decomposition/checks/check-execution-files.ts";
import { checkPhysicalMap } from "../../src/packs/decomposition/checks/check-physical-map.ts";
import { checkTaskValidation } from "../../src/packs/decomposition/checks/check-task-validation.ts";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { quotations } from "../../src/packs/decomposition/checks/quotation.ts";
import {
  excludedSections,
  headingsOf,
  specRequirements,
} from "../../src/packs/decomposition/checks/specification.ts";
import { checkTaskArtifact, type TaskArtifact } from "../../src/packs/lifecycle/artifacts/check.ts";
import {
  checkPlan,
  checkSession,
  checkSummary,
  checkVerification,
} from "../../src/packs/mission/artifacts/check.ts";
import { measure } from "../../src/packs/tuning/skill/measure.ts";
import { skillFile } from "../../src/packs/tuning/skill/read.ts";
import type { Skill } from "../../src/packs/tuning/skill/skill.ts";
import { checkProtocol } from "../../src/protocols/check.ts";
import { protocolFrom } from "../../src/protocols/own.ts";
import { repairDocument } from "../../src/protocols/repair.ts";
import { parseYaml } from "../../src/protocols/yaml.ts";
import { differences, parse } from "../../src/published/drift.ts";
import { isIntact, readSeal } from "../../src/view/state-json.ts";
import { checkResult } from "../../src/work/result.ts";

/** Throws only what carries its problem; `whole` is the text before it was broken. */
export type Parser = (text: string, whole: string) => unknown;

const known = new Set(["B1", "T001", "T003"]);
const source = (text: string) => ({ file: "a.json", text });

const state: Parser = (text, whole) => {
  const seal = readSeal(text);
  if (seal) isIntact(text, seal);
  return [differences(parse(whole), parse(text)), checkState(source(text))];
};

const artifact =
  (name: TaskArtifact): Parser =>
  (text) =>
    checkTaskArtifact(name, source(text));

const stream =
  (make: () => Stream): Parser =>
  (text) => {
    const reading = make();
    const limits = { wallMs: 1000, silenceMs: 1000, outputBytes: 1e6, lineBytes: 1e6 };
    return [
      ...text
        .split("\n")
        .flatMap((line) => reading.hear({ kind: "line", from: "stdout", text: line, cut: false })),
      ...reading.end({ kind: "exited", code: 0 }, limits),
    ];
  };

function acp(): AcpStream {
  const talk = new Talk();
  talk.write = () => {};
  return new AcpStream({ talk, title: "X", cwd: "/w", prompt: () => "do it", named: () => {}, servers: [] });
}

const mcp: Parser = async (text) => {
  async function* input() {
    yield Buffer.from(text);
  }
  const call = async () => ({ texts: ["done"], isError: false });
  const tool = { name: "echo", description: "", inputSchema: {}, readOnly: true, long: false, call };
  const said: string[] = [];
  const words = {
    name: "heddle",
    version: "1",
    instructions: "",
    tools: [tool],
    unknown: async () => "no such tool",
  };
  await serve({ ...words, input: input(), write: (line) => said.push(line) });
  for (const line of said) JSON.parse(line);
};

const yaml: Parser = (text) => {
  const document = parseYaml("a.yaml", text);
  if ("problems" in document) return document.problems;
  const made = protocolFrom("a.yaml", document.value);
  if ("problems" in made) return made.problems.map(({ place }) => document.lineOf(place?.pointer ?? ""));
  return checkProtocol(made, { roles: ["writer"] });
};

const skill =
  (name: string): Parser =>
  (text) => {
    const entry = skillFile(name, text);
    const whole: Skill = {
      name: "a",
      kind: "skill",
      folder: "/nowhere",
      entry,
      files: [entry],
      has: () => false,
      problems: [],
    };
    return measure(whole);
  };

const spec: Parser = (text) => [
  headingsOf(text),
  specRequirements(text),
  quotations(text, excludedSections(text))("The notebook keeps every note."),
];

function inFolder<T>(name: string, text: string, work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "heddle-mutant-"));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, name), text);
  const over = () => rmSync(folder, { recursive: true, force: true });
  const result = work(folder);
  if (result instanceof Promise) return result.finally(over) as T;
  over();
  return result;
}

const manifest =
  (name: string): Parser =>
  (text) =>
    inFolder(name, text, (folder) => discoverProject(folder));

export const parsers: Readonly<Record<string, Parser>> = {
  "state.json": state,
  "task-state.json": state,
  "session.json": (text) => checkSession(source(text)),
  "task.json": (text) => checkTasks({ files: [source(text)], behaviours: known, mapped: known }),
  "capability-map.json": (text) => checkCapabilityMap({ ...source(text), spec: "" }),
  "physical-map.json": (text) =>
    checkPhysicalMap({ ...source(text), behaviours: known, exists: () => false }),
  "task-validation.json": (text) => checkTaskValidation({ ...source(text), tasks: known }),
  "bundle.json": (text) => checkBundle({ ...source(text), taskId: "T003" }),
  "result.json": (text) => [checkResult({ ...source(text), taskId: "T003" }), repairDocument(text)],
  "lifecycle-plan.json": artifact("plan"),
  "code-review.json": artifact("code_review"),
  "decision.json": artifact("decision"),
  "mission-plan.json": (text) => checkPlan(source(text)),
  "mission-summary.json": (text) => checkSummary({ ...source(text), taskId: "1-1" }),
  "mission-verification.json": (text) => checkVerification(source(text)),
  "config.json": (text) => parseConfig("config.json", text),
  "protocol.yaml": yaml,
  "started.json": (text) => ownRecord("started.json", text),
  "script.json": (text) => inFolder("script.json", text, (folder) => readScript(join(folder, "script.json"))),
  "answer.md": (text) => repairDocument(text),
  "claude.jsonl": stream(() => new ClaudeStream()),
  "codex.jsonl": stream(() => new CodexStream({ rollout: new Rollout("/nowhere"), model: "m", prices: {} })),
  "acp.jsonl": stream(acp),
  "mcp.jsonl": mcp,
  "skill.md": skill("SKILL.md"),
  "command.toml": skill("a.toml"),
  "spec.md": spec,
  "manifests/package.json": manifest("package.json"),
  "manifests/pyproject.toml": manifest("pyproject.toml"),
  "manifests/Cargo.toml": manifest("Cargo.toml"),
  "manifests/go.mod": manifest("go.mod"),
  "manifests/build.gradle": manifest("build.gradle"),
  "manifests/Makefile": manifest("Makefile"),
  "manifests/Gemfile": manifest("Gemfile"),
};
