// The same as a program: a protocol whose subject is a function. It may import types alone, and runs only as a person has
// approved it: `heddle protocol approve postmortem`.
import type { Protocol } from "heddle";

const postmortem: Protocol = {
  name: "postmortem",
  about: "what went wrong is written down until it names its causes",
  phases: [
    { name: "write", about: "the report is written" },
    { name: "filed", about: "the report names its causes", end: true },
  ],
  artifacts: { report: "report.json" },
  counters: [],
  subjects: {
    causes: {
      about: "how many causes the report counts: its `causes`",
      artifact: "report",
      values: ["none", "one", "several"],
      see: ({ run }) => {
        const { valid = false, content = {} } = run.artifacts.report ?? {};
        // Of a document a function sees what is short: numbers, booleans and short strings.
        const causes = valid ? Number(content.causes ?? 0) : 0;
        if (causes >= 2) return "several";
        return causes === 1 ? "one" : "none";
      },
    },
  },
  rules: [
    { name: "the report names several causes", when: { phase: ["write"], causes: ["several"] }, then: { kind: "go", to: "filed" } },
    {
      name: "one cause is hardly ever all",
      when: { phase: ["write"], causes: ["one"] },
      then: { kind: "wait", hint: "name a second cause in report.json, or: heddle next --override \"<why>\"" },
    },
    { name: "no cause is named", when: { phase: ["write"] }, then: { kind: "job", role: "writer", makes: "report" } },
    { name: "the report is filed", when: { phase: ["filed"] }, then: { kind: "end", outcome: "done" } },
  ],
};

export default postmortem;
