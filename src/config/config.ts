// `.heddle/config.json`: what a project sets for itself. Comments are allowed; a mistake is named with its line. Nothing is optional silently: a key that heddle does not know is a mistake too.
import { applyEdits, modify, stripComments } from "jsonc-parser";
import * as z from "zod";
import { closest, type Problem, problem } from "../core/problem.ts";
import { hostPattern } from "../gateway/reach.ts";
import { type JsonDocument, parseDocument, placeOf, segment } from "../protocols/document.ts";
import { schemaProblems } from "../protocols/schema-problem.ts";
import { box, container } from "./box.ts";
import { hostSchema, label, unclearHosts, workersSchema, workersWithout } from "./hosts.ts";

const positive = z.number().positive();
const name = z.string().regex(/^[a-z][a-z0-9-]*$/, "must be a lower-case name");

const limits = z.strictObject({
  minutes: positive.optional().describe("wall-clock time of one call"),
  firstMinutes: positive.optional().describe("time until its first output"),
  silenceMinutes: positive.optional().describe("time without any output"),
  outputMegabytes: positive.optional().describe("what a call may print"),
  memoryMegabytes: positive.optional().describe("what a call may hold in memory, /tmp of its box included"),
  processes: z.int().min(8).optional().describe("how many processes a call may have at once; 1024"),
});

const price = z.strictObject({
  input: z.number().nonnegative(),
  cachedInput: z
    .number()
    .nonnegative()
    .optional()
    .describe("input that comes from a cache; as input otherwise"),
  cacheWrite: z
    .number()
    .nonnegative()
    .optional()
    .describe("input that is written to a cache; as input otherwise"),
  cacheWriteHour: z
    .number()
    .nonnegative()
    .optional()
    .describe("the same, kept for an hour; as `cacheWrite` otherwise"),
  output: z.number().nonnegative(),
});

const host = z
  .string()
  .regex(hostPattern, "must be a host, such as example.org, *.example.org or example.org:8443");
const hosts = z.array(host);
const reach = z.union([z.boolean(), z.literal("model"), hosts]);
const commandReach = z.union([z.boolean(), hosts]);

const agent = z.strictObject({
  kind: z
    .enum(["command", "claude", "codex", "acp"])
    .optional()
    .describe(
      "a program of your own (default), Claude Code, Codex, or one that speaks the Agent Client Protocol",
    ),
  command: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("the program and its first arguments; the bundle's path is added, but not for `acp`"),
  model: z.string().min(1).optional().describe("the model, as the agent calls it"),
  effort: z.string().min(1).optional().describe("how hard it thinks, as the agent calls it"),
  path: z.string().min(1).optional().describe("where the agent's program is; looked for in PATH otherwise"),
  maxTurns: z.int().min(1).optional().describe("turns of one call"),
  maxCostUsd: positive.optional().describe("what one call may cost; the task's budget otherwise"),
  env: z
    .array(z.string().regex(/^[A-Z_][A-Z0-9_]*$/))
    .optional()
    .describe("variables that it gets from your environment"),
  readable: z.array(z.string()).optional().describe("further paths that it may read in its box"),
  network: reach.optional().describe("what it may reach: see `network.agents`, which this goes before"),
  limits: limits.optional(),
});

const worker = z.strictObject({
  agent: z.string().optional().describe("who works"),
  model: z.string().min(1).optional().describe("with which model, instead of the agent's own"),
  effort: z.string().min(1).optional().describe("how hard it thinks, instead of the agent's own"),
  fallback: z
    .array(z.string().min(1))
    .optional()
    .describe("who takes over while it may not be asked, in order"),
  limits: limits.optional(),
});

const tagged = worker.extend({
  labels: z
    .array(label)
    .optional()
    .describe("labels of `hosts` that such a task needs; its tag, where a host has that label"),
});

export const configSchema = z
  .strictObject({
    $schema: z.string().optional(),
    agent: z
      .string()
      .optional()
      .describe(
        "the agent that works unless something else is configured: `command:./x`, or a name from `agents`",
      ),
    agents: z.record(name, agent).optional(),
    roles: z.record(name, worker).optional().describe("per role: which agent, set up how, with which limits"),
    phases: z
      .record(z.string().min(1), worker)
      .optional()
      .describe("per phase of a protocol: the same; the role goes before it"),
    tags: z
      .record(z.string().min(1), tagged)
      .optional()
      .describe("per tag of a task: who executes it, and where; goes before the role"),
    fallback: z
      .array(z.string().min(1))
      .optional()
      .describe("who takes over while an agent may not be asked, in order"),
    limits: limits.optional(),
    prices: z
      .record(z.string().min(1), price)
      .optional()
      .describe("by model, US dollars per million tokens; goes before heddle's own table"),
    attempts: z
      .int()
      .min(1)
      .max(20)
      .optional()
      .describe("tries per task and per role; 3 unless said otherwise"),
    parallel: z.int().min(1).max(64).optional(),
    hosts: z
      .array(hostSchema)
      .optional()
      .describe("machines that work on tasks beside this one, over ssh; docs/machines.md"),
    workers: workersSchema
      .optional()
      .describe("take workers that join by themselves (`heddle worker`); docs/workers.md"),
    setup: z
      .array(z.string().min(1))
      .optional()
      .describe(
        "commands that fetch dependencies; what lock files and manifests ask for unless said otherwise",
      ),
    setupReads: z
      .array(z.string().min(1))
      .optional()
      .describe("paths that the commands of `setup` read, as git patterns; without it any file may be read"),
    network: z
      .strictObject({
        agents: reach
          .optional()
          .describe(
            'what agents may reach: their model alone, through heddle\'s gateway and without a key in the box (`model`, the default where heddle knows the vendor and there is a box), everything (true), their model and a list of hosts (`["packages.example.org", "*.docs.example.org"]`), or nothing',
          ),
        setup: commandReach
          .optional()
          .describe(
            "what set-up may reach: hosts, in which `registries` stands for those of what is found in the project (the default), everything (true) or nothing",
          ),
        changedSetup: commandReach.optional(),
        checks: commandReach.optional(),
      })
      .optional()
      .describe(
        "who may use the network beside agents: set-up (its registries), set-up that an attempt changed (as its agent may) and acceptance commands (false)",
      ),
    checks: z
      .strictObject({
        minutes: positive.optional().describe("wall-clock time of one acceptance command; 10"),
        env: z
          .array(z.string())
          .optional()
          .describe("variables that acceptance commands and set-up get from your environment"),
        baseline: z
          .boolean()
          .optional()
          .describe("whether every check runs on your last commit once, before anybody works on it; true"),
      })
      .optional(),
    logins: z
      .strictObject({ claude: z.boolean().optional(), codex: z.boolean().optional() })
      .optional()
      .describe(
        "whether the login of Claude Code (false) and of Codex (true) on this machine is used where no key is set",
      ),
    readable: z
      .array(z.string())
      .optional()
      .describe("paths that every box may read, such as a toolchain in your home directory"),
    verifyClaims: z
      .boolean()
      .optional()
      .describe("whether `state complete-task` always runs the acceptance commands first, as with --verify"),
    scope: z
      .enum(["strict", "new-files", "any"])
      .optional()
      .describe("what a task may change beside its declared files: nothing, new files (default), anything"),
    judging: z
      .array(z.string().min(1))
      .optional()
      .describe(
        "files that decide how a task is judged and that every task may change: paths, folders (`tools/`), names (`conftest.py`) or `*`; none",
      ),
    review: z.boolean().optional().describe("whether a second agent judges every task before it is merged"),
    land: z
      .union([z.enum(["auto", "ask", "never"]), z.string().regex(/^into:\S+$/, "must be into:BRANCH")])
      .optional()
      .describe(
        "where finished work goes: `never` stays on heddle/<run>, `auto` brings a clean checkout to it, `ask` asks each time, `into:develop` moves that branch; asked once on a terminal",
      ),
    budget: z.strictObject({ taskUsd: positive.optional(), runUsd: positive.optional() }).optional(),
    mcp: z
      .strictObject({
        allow: z
          .array(z.string().min(1))
          .optional()
          .describe("commands that an agent of yours may call over `heddle mcp`"),
      })
      .optional(),
    journal: z
      .string()
      .min(1)
      .optional()
      .describe(
        "where the journal is: `sqlite`, a file in .heddle (default), or a Postgres server, `postgres://user@host:5432/database?project=name`; the password comes from PGPASSWORD or ~/.pgpass",
      ),
    box: box
      .optional()
      .describe(
        'in what programs run: bubblewrap (Linux), a container of podman or docker (`container`, or `{"container": {"image": …}}`), or seatbelt (macOS, untested); what the system has otherwise',
      ),
    unconfined: z.boolean().optional().describe("run agents without a sandbox; every view then says so"),
  })
  .meta({ title: "Configuration", description: ".heddle/config.json, what a project sets for itself." });

export type Config = z.infer<typeof configSchema>;
export type AgentConfig = z.infer<typeof agent>;
export type WorkerConfig = z.infer<typeof worker>;

export interface ParsedConfig {
  readonly config: Config;
  readonly problems: readonly Problem[];
}

/** Whether a project's own protocols have a role or a phase of that name. */
export type IsOwn = (kind: "roles" | "phases", name: string) => boolean;

export function parseConfig(file: string, text: string, isOwn: IsOwn = () => false): ParsedConfig {
  // Comments become blanks, so that every place is still where it was.
  const document = parseDocument(file, stripComments(text, " "));
  if ("problems" in document) return { config: {}, problems: document.problems };
  const parsed = configSchema.safeParse(document.value);
  if (parsed.success)
    return {
      config: parsed.data,
      problems: [
        ...unknownNames(document, parsed.data, isOwn),
        ...unsuitableAgents(document, parsed.data),
        ...unclearHosts(document, parsed.data.hosts),
        ...workersWithout(document, parsed.data),
      ],
    };
  const { issues } = parsed.error;
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" ? unknownSettings(document, issue) : [],
  );
  const wrong = schemaProblems(
    document,
    issues.filter((issue) => issue.code !== "unrecognized_keys"),
  );
  return { config: {}, problems: [...unknown, ...wrong] };
}

/** A configuration's text with one setting changed, or taken out; comments and everything else stay as they are. */
export function withSetting(text: string, key: keyof Config, value: unknown): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  return applyEdits(text, modify(text, [key], value, { formattingOptions }));
}

/** Who can be set up; the four protocols bring more of them. */
const roles = [
  "logic-architect",
  "physical-architect",
  "task-author",
  "task-plan-verifier",
  "plan-auditor",
  "fixer",
  "task-executor",
  "task-verifier",
  "planner",
  "plan-reviewer",
  "coder",
  "code-reviewer",
  "acceptor",
  "researcher",
  "mission-planner",
  "executor",
  "verifier",
  "requirement-analyst",
  "deep-analyst",
  "finding-judge",
  "fix-author",
];

/** Phases in which somebody works; here as well as in the protocols, because their tables take long to load. */
export const phases = [
  ...["ingestion", "logical", "physical", "definition", "validation", "sequencing", "executing"],
  ...[
    "planning",
    "plan_review",
    "codegen",
    "review",
    "accept",
    "research",
    "verifying",
    "gap_planning",
    "tuning",
  ],
];

function unknownNames(document: JsonDocument, config: Config, isOwn: IsOwn): Problem[] {
  const unknown = (where: "roles" | "phases", known: readonly string[], what: (name: string) => string) =>
    Object.keys(config[where] ?? {})
      .filter((word) => !known.includes(word) && !isOwn(where, word))
      .map((word) => {
        const meant = closest(word, known);
        return problem(`unknown-${where.slice(0, -1)}`, what(word), {
          place: placeOf(document, `/${where}${segment(word)}`, { key: true }),
          hint: meant ? `did you mean \`${meant}\`?` : `the ${where} are ${known.join(", ")}`,
        });
      });
  return [
    ...unknown("roles", roles, (role) => `no protocol has a role \`${role}\``),
    ...unknown("phases", phases, (phase) => `no protocol has a phase \`${phase}\` in which agents work`),
  ];
}

/** Each kind of agent has settings of its own. */
const unsuitable = {
  command: ["model", "effort", "path"],
  claude: ["command"],
  codex: ["command"],
  acp: ["path", "effort"],
} as const;

function unsuitableAgents(document: JsonDocument, { agents = {} }: Config): Problem[] {
  return Object.entries(agents).flatMap(([name, set]) => {
    const { kind = "command" } = set;
    const here = `/agents${segment(name)}`;
    const strange = unsuitable[kind]
      .filter((key) => set[key] !== undefined)
      .map((key) =>
        problem("unsuitable-setting", `\`agents.${name}.${key}\` is not a setting of a ${kind} agent`, {
          place: placeOf(document, here + segment(key), { key: true }),
          hint: kind === "command" ? '"kind": "claude" or "codex", or take it out' : "take it out",
        }),
      );
    const known = kind === "claude" || kind === "codex" || set.command !== undefined;
    if (known || strange.length > 0) return strange;
    // A program of one's own cannot be guessed.
    const hint = kind === "acp" ? '"command": ["gemini", "--acp"]' : '"command": ["./my-agent"]';
    return [
      problem("missing-field", `\`agents.${name}.command\` is missing`, {
        place: placeOf(document, here),
        hint,
      }),
    ];
  });
}

type Unknown = Extract<z.core.$ZodIssue, { code: "unrecognized_keys" }>;

function unknownSettings(document: JsonDocument, { keys, path }: Unknown): Problem[] {
  const known = knownKeys(path.map(String));
  return keys.map((key) => {
    const meant = closest(key, known);
    const hint = meant ? `did you mean \`${meant}\`?` : `known here: ${known.join(", ")}`;
    const pointer = [...path, key].map(segment).join("");
    return problem("unknown-setting", `\`${[...path, key].map(String).join(".")}\` is not a setting`, {
      place: placeOf(document, pointer, { key: true }),
      hint,
    });
  });
}

function knownKeys(path: readonly string[]): string[] {
  const [top, , inner] = path;
  if (path.length === 0) return Object.keys(configSchema.shape);
  if (top === "limits" || inner === "limits") return Object.keys(limits.shape);
  if (top === "agents") return Object.keys(agent.shape);
  if (top === "prices") return Object.keys(price.shape);
  if (top === "tags") return Object.keys(tagged.shape);
  if (top === "roles" || top === "phases") return Object.keys(worker.shape);
  if (top === "hosts") return Object.keys(hostSchema.shape);
  if (top === "workers") return Object.keys(workersSchema.shape);
  if (top === "network") return ["agents", "setup", "changedSetup", "checks"];
  if (top === "checks") return ["minutes", "env", "baseline"];
  if (top === "mcp") return ["allow"];
  if (top === "logins") return ["claude", "codex"];
  if (top === "box") return path[1] === "container" ? Object.keys(container.shape) : ["container"];
  return top === "budget" ? ["taskUsd", "runUsd"] : [];
}
