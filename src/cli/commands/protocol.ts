// `heddle protocol`: the machines as data, drawn and checked (L14), and a project's own beside them (U8).

import type { Call, Command } from "../../command/command.ts";
import { toCall } from "../../core/hint.ts";
import { closest, type Problem, problem } from "../../core/problem.ts";
import type { Protocol } from "../../core/protocol.ts";
import { Refused } from "../../engine/app.ts";
import { pathsIn } from "../../engine/paths.ts";
import { allProtocols, builtIn } from "../../packs/load.ts";
import { packNamed, packs } from "../../packs/packs.ts";
import { checkProtocol } from "../../protocols/check.ts";
import { protocolJson, protocolMermaid, protocolTable } from "../../view/protocol.ts";

const name = { name: "protocol", about: "a protocol's name" } as const;

const example = packs.find((pack) => pack.beginsWithBrief)?.name ?? "";

const heddleDir = ({ root }: Pick<Call, "root">) => pathsIn(root).heddle;
const own = () => import("../../packs/own-protocols.ts");

async function named(call: Pick<Call, "root">, word: string): Promise<Protocol> {
  const { ownFiles, ownProtocolNamed } = await own();
  const found = packNamed(word) ? await builtIn.load(word) : await ownProtocolNamed(heddleDir(call), word);
  if (found) return found;
  const names = [...packs.map((pack) => pack.name), ...ownFiles(heddleDir(call)).keys()];
  const meant = closest(word, names);
  throw new Refused([
    problem("unknown-protocol", `\`${word}\` is not a protocol: there are ${names.join(", ")}`, {
      hint: meant ? `did you mean \`${meant}\`?` : toCall("protocol list"),
    }),
  ]);
}

export const list: Command = {
  name: "protocol list",
  summary: "list the ways of working",
  group: "look",
  examples: ["heddle protocol list"],
  run: async (call) => {
    const { ownFiles, readOwn } = await own();
    const built = Object.values(await allProtocols()).map((each) => ({
      ...shortly(each),
      file: null,
      problem: null,
    }));
    const files = [...ownFiles(heddleDir(call))];
    const others = await Promise.all(
      files.map(async ([word, file]) => {
        const found = await readOwn(heddleDir(call), file);
        if (!("problems" in found)) return { ...shortly(found), file, problem: null };
        return { name: word, about: "", phases: [], file, problem: found.problems[0]?.message ?? null };
      }),
    );
    const all = [...built, ...others];
    const line = (each: (typeof all)[number]) =>
      `${each.name.padEnd(14)} ${each.problem === null ? each.about : `cannot be used: ${each.problem}`}`;
    return { text: all.map(line).join("\n"), json: all };
  },
};

const shortly = ({ name: word, about, phases }: Protocol) => ({
  ...{ name: word, about, phases: phases.map((phase) => phase.name) },
});

export const show: Command = {
  name: "protocol show",
  summary: "print a protocol as a table, as Mermaid, as a drawing or as JSON",
  group: "look",
  args: [name],
  flags: {
    mermaid: { about: "as a Mermaid state diagram" },
    svg: { about: "as a drawing that a browser shows" },
  },
  examples: [
    `heddle protocol show ${example}`,
    `heddle protocol show ${example} --mermaid`,
    `heddle protocol show ${example} --svg > ${example}.svg`,
  ],
  run: async (call) => {
    const { args, flags } = call;
    const protocol = await named(call, args[0] ?? "");
    const { protocolSvg } = await import("../../view/protocol-svg.ts");
    const drawn = flags.has("svg") ? protocolSvg : flags.has("mermaid") ? protocolMermaid : protocolTable;
    return { text: drawn(protocol), json: protocolJson(protocol) };
  },
};

export const check: Command = {
  name: "protocol check",
  summary: "prove that every phase is reachable, every state has a way on and every loop a bound",
  group: "look",
  args: [{ ...name, optional: true }],
  examples: ["heddle protocol check", `heddle protocol check ${example}`],
  run: async (call) => {
    const [word] = call.args;
    const { ownFiles } = await own();
    const words =
      word === undefined ? [...packs.map((pack) => pack.name), ...ownFiles(heddleDir(call)).keys()] : [word];
    const found = await Promise.all(words.map((each) => named(call, each).catch(refusal)));
    const chosen = found.flatMap((each) => (each instanceof Refused ? [] : [each]));
    const broken = found.flatMap((each) => (each instanceof Refused ? each.problems : []));
    const problems = [...broken, ...(await Promise.all(chosen.map((each) => findings(call, each)))).flat()];
    if (problems.length > 0) throw new Refused(problems);
    return {
      text: chosen
        .map((each) => `${each.name}: ${each.phases.length} phases, ${each.rules.length} rules, no finding`)
        .join("\n"),
      json: { ok: true, checked: chosen.map((each) => each.name) },
    };
  },
};

/** One that cannot be read keeps nobody from checking the others. */
function refusal(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}

async function findings(call: Pick<Call, "root">, protocol: Protocol): Promise<Problem[]> {
  const { skilledRoles } = await own();
  return checkProtocol(protocol, { roles: skilledRoles(heddleDir(call)) });
}

export const create: Command = {
  name: "protocol new",
  summary: "write a protocol of your own to begin with, as one YAML file",
  group: "keep",
  args: [{ name: "name", about: "a lower-case name" }],
  examples: ["heddle protocol new review-loop"],
  run: async (call) => {
    const [word = ""] = call.args;
    const { newProtocol } = await own();
    const file = newProtocol(heddleDir(call), word);
    return {
      text: [
        file,
        `hint: ${call.manner(`protocol check ${word}`)}; ${call.manner(`protocol start ${word} "<brief>"`)}`,
      ].join("\n"),
      json: { name: word, file },
    };
  },
};

export const approve: Command = {
  name: "protocol approve",
  summary: "let a protocol in TypeScript run as it is now; a changed one must be approved again",
  group: "keep",
  args: [name],
  byHand: true,
  examples: ["heddle protocol approve release"],
  run: async (call) => {
    const { approve: agree } = await own();
    const approved = agree(heddleDir(call), call.args[0] ?? "");
    return { text: `approved: ${approved.file} (sha256 ${approved.sha256.slice(0, 16)}…)`, json: approved };
  },
};

export const start: Command = {
  name: "protocol start",
  summary: "begin a run of a protocol of your own; `heddle next` takes its steps",
  group: "run",
  args: [name, { name: "brief", about: "what it is about, in your own words", text: true }],
  flags: { target: { about: "the directory that it is about; this one unless said", takes: "DIR" } },
  examples: ['heddle protocol start review-loop "a letter to the tax office"'],
  run: async (call) => {
    const [word = "", brief = ""] = call.args;
    const protocol = await named(call, word);
    if (packNamed(word) && !packNamed(word)?.beginsWithBrief)
      throw new Refused([
        problem("built-in", `\`${word}\` has commands of its own`, { hint: toCall("help") }),
      ]);
    const problems = await findings(call, protocol);
    if (problems.length > 0) throw new Refused(problems);
    const { newRun } = await import("../../packs/documents/runs.ts");
    const by = process.env.HEDDLE_ACTOR ?? "operator";
    const target = call.flags.one("target");
    const app = await newRun({
      root: call.root,
      packs: call.packs,
      journals: call.journals,
      by,
      warn: call.warn,
      protocol: word,
      brief,
      target,
    });
    try {
      return await app.look((run) => ({
        text: [
          `${run.id}: ${protocol.about}`,
          `RUN_DIR=${run.planningDir}`,
          `hint: ${call.manner("next")}`,
        ].join("\n"),
        json: { run: run.id, run_dir: run.planningDir, target_dir: run.targetDir, phase: run.phase },
      }));
    } finally {
      app.close();
    }
  },
};
