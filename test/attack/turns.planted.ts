// Planted bugs of an orchestrator's turn.
import type { Planted } from "./planted.ts";

const file = "turns.attack.ts";

export const planted: readonly Planted[] = [
  {
    name: "a mark is looked for as it was named, and not as it was given",
    file: "src/host/program/processes.ts",
    from: "const mark = asMark(name);",
    to: "const mark = name;",
    caughtBy: [file, "ends a task's agent before the next orchestrator's turn"],
  },
  {
    name: "nothing of the earlier turn is ended",
    file: "src/engine/drive.ts",
    from: "[...(await endMarked(turn)), ",
    to: "[",
    caughtBy: [file, "ends a planning role's agent as well"],
  },
  {
    name: "two names share a mark",
    file: "src/host/program/marks.ts",
    from: "plain === name ? plain :",
    to: "plain.length > 0 ? plain :",
    caughtBy: [file, "leaves the agents of another project alone"],
  },
  {
    name: "being replaced is a bug of heddle's",
    file: "src/engine/hold.ts",
    from: "throw new Replaced(run);",
    to: 'throw new Error("replaced");',
    caughtBy: [file, "one that was replaced while it was stopped"],
  },
  {
    name: "what was left behind is told before the refusal",
    file: "src/packs/decomposition/commands/execute.ts",
    from: "    await refuseWhileHeld(app);\n    const onOrphan",
    to: "    const onOrphan",
    caughtBy: [file, "a second one is refused before it says"],
  },
  {
    name: "one that failed takes over from itself under another name",
    file: "src/orders/make-agent.ts",
    from: "agent.name === word ? agent : agentFrom({ ...recipe, word })",
    to: "agent.name === word ? agent : agentFrom({ ...recipe })",
    caughtBy: [file, "a scripted agent without a turn for a task"],
  },
];
