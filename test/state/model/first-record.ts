// The first implementation's records, figures and halts (facts §1.5).
import {
  type CommandShape,
  crashed,
  done,
  type First,
  type Outcome,
  ok,
  refused,
  type Words,
} from "./first.ts";

const plain = { needs: 0, takes: 0 } as const;
const many = Number.POSITIVE_INFINITY;
const verdicts = ["PASS", "FAIL", "CONDITIONAL"];
const outcomes = ["correct", "false_positive", "false_negative"];

export const recordCommands: Readonly<Record<string, CommandShape>> = {
  "log-tokens": {
    needs: 4,
    takes: 4,
    check: (first, { args: [, ...numbers] }) => {
      const strict = first.fixed("values are checked");
      const wrong = numbers.some((word) => Number.isNaN(Number(word)));
      if (wrong && !strict) return crashed;
      return wrong || (strict && numbers.some((word) => Number(word) < 0)) ? first.usage : undefined;
    },
    stateless: (first) => (first.fixed("defect 14") ? refused : crashed),
    run: logTokens,
  },
  "record-verification": {
    needs: 1,
    takes: 1,
    flags: { verdict: "one", recommendation: "one", criteria: "one" },
    check: checkVerification,
    run: recordVerification,
  },
  "record-calibration": {
    needs: 2,
    takes: many,
    check: (first, { args: [, outcome = ""] }) => (outcomes.includes(outcome) ? undefined : first.usage),
    run: recordCalibration,
  },
  metrics: { ...plain, looks: true, run: metrics },
  halt: { needs: 0, takes: many, run: halt },
  "check-halt": { ...plain, apart: true, stateless: checkHalt, run: checkHalt },
  "confirm-halt": { ...plain, run: confirmHalt },
  "halt-status": { ...plain, looks: true, run: haltStatus },
  resume: { ...plain, run: resume },
};

function logTokens(first: First, { args: [, input, output, cost] }: Words): Outcome {
  first.submit();
  first.now.tokens += Number(input) + Number(output);
  first.now.cost += Number(cost);
  return ok("Tokens logged");
}

function checkVerification(first: First, { flags }: Words): Outcome | undefined {
  const [verdict, recommendation] = given(flags);
  if (!verdicts.includes(verdict) || !["PROCEED", "BLOCK"].includes(recommendation)) return first.usage;
  if (!flags.get("criteria")?.includes("{")) return undefined;
  return first.fixed("values are checked") ? first.usage : crashed;
}

const given = (flags: Words["flags"]) =>
  [
    flags.get("verdict")?.[0]?.toUpperCase() ?? "",
    flags.get("recommendation")?.[0]?.toUpperCase() ?? "",
  ] as const;

function recordVerification(first: First, { args: [id], flags }: Words): Outcome {
  first.submit();
  const task = first.task(id);
  if (!task) return refused;
  const [verdict, recommendation] = given(flags);
  task.verification = { verdict, recommendation };
  if (recommendation === "BLOCK") {
    for (const dependent of first.dependents(task.id)) {
      if (dependent.status !== "pending") continue;
      dependent.status = "blocked";
      dependent.error = `Blocked by verification failure of ${task.id}`;
    }
  }
  return ok(`Verification recorded for ${id}: ${verdict} (${recommendation})`);
}

function recordCalibration(first: First, { args: [id = "", outcome = ""] }: Words): Outcome {
  first.submit();
  if (!first.task(id)?.verification) return refused;
  const { calibration } = first.now;
  calibration.total++;
  if (first.fixed("the last calibration names the task")) {
    const others = (list: readonly string[]) => list.filter((each) => each !== id);
    calibration.positives = others(calibration.positives);
    calibration.negatives = others(calibration.negatives);
  }
  if (outcome === "correct") calibration.correct++;
  if (outcome === "false_positive") calibration.positives.push(id);
  if (outcome === "false_negative") calibration.negatives.push(id);
  return done;
}

function metrics({ now }: First): Outcome {
  const { complete, failed } = now.counts;
  const rate = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const atOnce = [...now.tasks.values()].filter(
    ({ status, attempts }) => status === "complete" && attempts === 1,
  ).length;
  return ok(
    `completed ${complete}`,
    `failed ${failed}`,
    `success ${rate(complete, complete + failed)}`,
    `at once ${rate(atOnce, complete)}`,
    `tokens ${now.tokens}`,
  );
}

function halt(first: First, { args }: Words): Outcome {
  first.submit();
  const { now } = first;
  if (now.halt) return refused;
  const reason = args.join(" ") || "manual";
  now.halt = { reason, active: now.active[0] ?? null };
  const { active } = now;
  const running = active.length > 0 ? ` (${active.length} running: ${active.join(", ")})` : "";
  return ok(`Halt requested: ${reason}${first.fixed("lines say more") ? running : ""}`);
}

function checkHalt(first: First): Outcome {
  const { state, files } = first;
  if (!state && !files.stop && first.fixed("check-halt needs a project")) return { exit: 74 };
  if (files.stop) {
    first.look();
    return { exit: 1, lines: ["HALTED: stop_file"] };
  }
  if (files.cut && !first.fixed("defect 18")) return crashed;
  first.look();
  return state?.halt ? { exit: 1, lines: [`HALTED: ${state.halt.reason}`] } : ok("OK");
}

function confirmHalt(first: First): Outcome {
  first.submit();
  const { now, files } = first;
  if (!now.halt && !(files.stop && first.fixed("defect 5"))) return refused;
  const { active } = now;
  const list = `[${active.map((id) => `'${id}'`).join(", ")}]`;
  const shown = first.fixed("lists are plain") ? active.join(", ") || "none" : list;
  return ok(`Halt confirmed. Running tasks: ${shown}`);
}

function haltStatus({ now, files }: First): Outcome {
  const reason = files.stop ? "stop_file" : now.halt?.reason;
  return ok(
    `halted ${files.stop || now.halt !== null}`,
    `reason ${reason ?? "none"}`,
    `running ${now.active.join(" ")}`,
  );
}

function resume(first: First): Outcome {
  const { now, files } = first;
  files.cut = false;
  if (!now.halt && !(files.stop && first.fixed("defect 5"))) return refused;
  const stop = files.stop ? " (STOP file removed)" : "";
  const active = now.halt?.active ? `. Previously active task: ${now.halt.active}` : "";
  files.stop = false;
  now.halt = null;
  return ok(`Execution resumed${stop}${active}`);
}
