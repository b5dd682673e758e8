import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/agents/agent.ts";
import { FinalMessage } from "../../src/work/final-message.ts";

const said = (text: string): AgentEvent => ({ kind: "said", text });
const tool: AgentEvent = { kind: "used-tool", name: "Read", detail: "a.txt" };

function documentOf(...events: readonly AgentEvent[]): unknown {
  const message = new FinalMessage();
  for (const event of events) message.hear(event);
  const text = message.document();
  return text === undefined ? undefined : JSON.parse(text);
}

describe("M13 a final message", () => {
  it.each([
    ["the document itself", [said('{"a": 1}')]],
    ["in a fence with a sentence around it", [said('Here it is:\n```json\n{"a": 1}\n```\nDone.')]],
    ["with a trailing comma", [said('{"a": 1,}')]],
    ["line by line, as a program prints it", [said("working"), said("{"), said('  "a": 1'), said("}")]],
    ["after its last tool", [said('{"old": true}'), tool, said('{"a": 1}')]],
    ["before a closing word", [tool, said('{"a": 1}'), said("That is all.")]],
  ])("M13 is the document when it is %s", (_, events) => {
    expect(documentOf(...events)).toEqual({ a: 1 });
  });

  it.each([
    ["prose", [said("I wrote the plan.")]],
    ["prose that names a placeholder", [said("use {name} and [index] there")]],
    ["said before its last tool", [said('{"a": 1}'), tool, said("done")]],
    ["a list", [said("[1, 2]")]],
    ["nothing", []],
  ])("M13 is no document when it is %s", (_, events) => {
    expect(documentOf(...events)).toBeUndefined();
  });

  it("M13 is no document when it is longer than any", () => {
    expect(documentOf(said(`{"a": "${"x".repeat(1024 * 1024)}"}`))).toBeUndefined();
  });
});
