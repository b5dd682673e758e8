// Protocols as text, diagram and data.
import { describe, expect, it } from "vitest";
import { asked, at, end, go, halt, job, type Protocol, rule, saw, wait } from "../../src/core/protocol.ts";
import { protocols } from "../../src/packs/registry.ts";
import { protocolJson, protocolMermaid, protocolTable } from "../../src/view/protocol.ts";

const small: Protocol = {
  name: "small",
  about: "for show",
  phases: [
    { name: "draft", about: 'it is "drafted": quickly; #1' },
    { name: "end", about: "over", end: true },
  ],
  artifacts: { letter: "letter.md" },
  subjects: { letter: { about: "the letter", values: ["no", "yes"], artifact: "letter", see: () => "no" } },
  counters: [],
  rules: [
    rule("the letter --> is\nthere: <b>", at("draft"), saw("letter", "yes"), go("end")),
    rule("no letter", at("draft"), saw("letter", "no"), asked("write"), job("writer", "letter")),
    rule("it waits", at("draft"), wait("write\u001b[31m it")),
    rule("all is over", at("end"), end()),
    rule("never", halt("odd", "-")),
  ],
};

describe("L14 protocol show", () => {
  it("as a table: phase, when, then, rule", () => {
    expect(protocolTable(small)).toBe(
      [
        "phase  when                        then                      rule",
        "draft  letter: yes                 go end                    the letter --> is⏎there: <b>",
        "draft  letter: no, request: write  writer makes letter.md    no letter",
        "draft  otherwise                   wait: write\\u001b[31m it  it waits",
        "end    otherwise                   end done                  all is over",
        "any    otherwise                   halt odd: -               never",
        "",
      ].join("\n"),
    );
  });
  it("as a Mermaid state diagram with escaped labels", () => {
    expect(protocolMermaid(small)).toBe(
      [
        "stateDiagram-v2",
        "  draft : it is #34;drafted#34;#58; quickly#59; #35;1",
        '  state "end" as phase1',
        "  phase1 : over",
        "  [*] --> draft",
        "  draft --> phase1 : the letter --#62; is⏎there#58; #60;b#62;",
        "  phase1 --> [*]",
        "",
      ].join("\n"),
    );
  });
  it("as data that survives JSON", () => {
    const data = protocolJson(small);
    expect(JSON.parse(JSON.stringify(data))).toEqual(data);
    expect(data).toMatchObject({
      name: "small",
      given: [],
      graph: null,
      phases: [
        { name: "draft", end: false },
        { name: "end", end: true },
      ],
      subjects: { letter: { about: "the letter", values: ["no", "yes"], artifact: "letter" } },
    });
  });
  it.each(Object.values(protocols))("$name shows every rule and every transition", (protocol) => {
    expect(protocolTable(protocol).trimEnd().split("\n")).toHaveLength(protocol.rules.length + 1);
    const transitions = protocol.rules.flatMap(({ when, then }) =>
      then.kind === "go" ? (when.phase ?? []) : [],
    );
    const ends = protocol.phases.filter((phase) => phase.end).length;
    expect(protocolMermaid(protocol).match(/ --> /g)).toHaveLength(transitions.length + ends + 1);
    expect(JSON.parse(JSON.stringify(protocolJson(protocol))).rules).toHaveLength(protocol.rules.length);
  });
});
