// `heddle protocol`: the machines as data, drawn and checked (L14).
import { closest, problem } from "../../core/problem.ts";
import type { Protocol } from "../../core/protocol.ts";
import { Refused } from "../../engine/app.ts";
import { checkProtocol } from "../../protocols/check.ts";
import { protocolNamed, protocols } from "../../protocols/registry.ts";
import { protocolJson, protocolMermaid, protocolTable } from "../../view/protocol.ts";
import type { Command } from "../command.ts";

const name = { name: "protocol", about: "a protocol's name" } as const;

function named(word: string): Protocol {
  const found = protocolNamed(word);
  if (found) return found;
  const names = Object.keys(protocols);
  const meant = closest(word, names);
  throw new Refused([
    problem("unknown-protocol", `\`${word}\` is not a protocol: there are ${names.join(", ")}`, {
      hint: meant ? `did you mean \`${meant}\`?` : "heddle protocol list",
    }),
  ]);
}

export const list: Command = {
  name: "protocol list",
  summary: "list the ways of working",
  group: "look",
  examples: ["heddle protocol list"],
  run: () => {
    const all = Object.values(protocols);
    return {
      text: all.map((each) => `${each.name.padEnd(14)} ${each.about}`).join("\n"),
      json: all.map((each) => ({
        name: each.name,
        about: each.about,
        phases: each.phases.map((phase) => phase.name),
      })),
    };
  },
};

export const show: Command = {
  name: "protocol show",
  summary: "print a protocol as a table, as Mermaid or as JSON",
  group: "look",
  args: [name],
  flags: { mermaid: { about: "as a Mermaid state diagram" } },
  examples: ["heddle protocol show lifecycle", "heddle protocol show lifecycle --mermaid"],
  run: ({ args: [word = ""], flags }) => {
    const protocol = named(word);
    return {
      text: flags.has("mermaid") ? protocolMermaid(protocol) : protocolTable(protocol),
      json: protocolJson(protocol),
    };
  },
};

export const check: Command = {
  name: "protocol check",
  summary: "prove that every phase is reachable, every state has a way on and every loop a bound",
  group: "look",
  args: [{ ...name, optional: true }],
  examples: ["heddle protocol check", "heddle protocol check lifecycle"],
  run: ({ args: [word] }) => {
    const chosen = word === undefined ? Object.values(protocols) : [named(word)];
    const problems = chosen.flatMap((protocol) => checkProtocol(protocol));
    if (problems.length > 0) throw new Refused(problems);
    return {
      text: chosen
        .map((each) => `${each.name}: ${each.phases.length} phases, ${each.rules.length} rules, no finding`)
        .join("\n"),
      json: { ok: true, checked: chosen.map((each) => each.name) },
    };
  },
};
