// Whether a protocol's parts name each other rightly: phases, subjects, values, counters, artifacts, roles.
import { closest, type Problem, problem } from "../core/problem.ts";
import type { Protocol, Rule } from "../core/protocol.ts";

interface Name {
  readonly code: string;
  /** What the name is the name of. */
  readonly kind: string;
  readonly name: string;
  /** Who uses it. */
  readonly by: string;
  readonly known: readonly string[];
}

export function checkNames(protocol: Protocol): Problem[] {
  return unique([
    ...phaseProblems(protocol),
    ...protocol.rules.flatMap((rule) => conditionProblems(protocol, rule)),
    ...protocol.rules.flatMap((rule) => actionProblems(protocol, rule)),
    ...counterProblems(protocol),
    ...artifactProblems(protocol),
  ]);
}

/** Without its skill a role cannot work: its prompt, and what it may do. */
export function checkRoles(protocol: Protocol, roles: readonly string[]): Problem[] {
  const used = protocol.rules.flatMap(({ then }) => (then.kind === "job" ? [then.role] : []));
  const known = [...roles, ...(protocol.commands ?? [])];
  return [...new Set(used)]
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = closest(name, known);
      return problem("unknown-role", `role \`${name}\` of protocol \`${protocol.name}\` has no skill`, {
        hint: meant ? `did you mean \`${meant}\`?` : `write .heddle/roles/${name}/SKILL.md`,
      });
    });
}

/** An artifact that rules wait for, and that neither a job makes nor a person brings. */
export function checkArtifacts(protocol: Protocol): Problem[] {
  const made = new Set(protocol.given ?? []);
  const read = new Set<string>();
  for (const { when, then } of protocol.rules) {
    if (then.kind === "job") made.add(then.makes);
    for (const subject of Object.keys(when)) {
      const name = protocol.subjects[subject]?.artifact;
      if (name !== undefined) read.add(name);
    }
  }
  return [...read]
    .filter((name) => !made.has(name))
    .map((name) =>
      problem("unmade-artifact", `artifact \`${name}\` is looked at, but no job makes it`, {
        hint: `add a rule with \`job: { role: <role>, makes: ${name} }\`, or say \`given: true\` if a person brings it`,
      }),
    );
}

function phaseProblems(protocol: Protocol): Problem[] {
  const names = protocol.phases.map((phase) => phase.name);
  if (names.length === 0)
    return [problem("no-phases", `protocol \`${protocol.name}\` has no phases`, { hint: "add a phase" })];
  const doubled = names.filter((name, index) => names.indexOf(name) !== index);
  const { opens, runs } = protocol.graph ?? {};
  const graph = [opens, runs].filter((name) => name !== undefined);
  return [
    ...doubled.map((name) =>
      problem("doubled-phase", `phase \`${name}\` is listed twice`, { hint: "remove one, or rename it" }),
    ),
    ...graph.flatMap((name) =>
      unknown({ code: "unknown-phase", kind: "phase", name, by: "`graph`", known: names }),
    ),
  ];
}

function conditionProblems(protocol: Protocol, rule: Rule): Problem[] {
  const by = `rule \`${rule.name}\``;
  const phases = protocol.phases.map((phase) => phase.name);
  return Object.entries(rule.when).flatMap(([name, wanted]) => {
    if (name === "request") return [];
    if (name === "phase")
      return wanted.flatMap((phase) =>
        unknown({ code: "unknown-phase", kind: "phase", name: phase, by, known: phases }),
      );
    const subject = Object.hasOwn(protocol.subjects, name) ? protocol.subjects[name] : undefined;
    if (!subject)
      return unknown({
        code: "unknown-subject",
        kind: "subject",
        name,
        by,
        known: Object.keys(protocol.subjects),
      });
    const kind = `value of \`${name}\``;
    return wanted.flatMap((value) =>
      unknown({ code: "unknown-value", kind, name: value, by, known: subject.values }),
    );
  });
}

function actionProblems(protocol: Protocol, { name: ruleName, then }: Rule): Problem[] {
  const by = `rule \`${ruleName}\``;
  const phases = protocol.phases.map((phase) => phase.name);
  if (then.kind === "job")
    return unknown({
      code: "unknown-artifact",
      kind: "artifact",
      name: then.makes,
      by,
      known: Object.keys(protocol.artifacts),
    });
  if (then.kind !== "go") return [];
  const counted = then.counts === undefined ? [] : [then.counts];
  return [
    ...unknown({ code: "unknown-phase", kind: "phase", name: then.to, by, known: phases }),
    ...counted.flatMap((name) =>
      unknown({ code: "unknown-counter", kind: "counter", name, by, known: protocol.counters }),
    ),
  ];
}

function counterProblems(protocol: Protocol): Problem[] {
  return protocol.counters
    .filter((name) => !protocol.subjects[name]?.values.includes("reached"))
    .map((name) =>
      problem("unknown-counter", `counter \`${name}\` has no subject that can be \`reached\``, {
        hint: `add a subject \`${name}\` with the values below and reached`,
      }),
    );
}

function artifactProblems(protocol: Protocol): Problem[] {
  const known = Object.keys(protocol.artifacts);
  const code = "unknown-artifact";
  const given = (protocol.given ?? []).map((name) => ({ name, by: "`given`" }));
  const read = Object.entries(protocol.subjects).flatMap(([subject, { artifact: name }]) =>
    name === undefined ? [] : [{ name, by: `subject \`${subject}\`` }],
  );
  return [...given, ...read].flatMap(({ name, by }) => unknown({ code, kind: "artifact", name, by, known }));
}

function unknown({ code, kind, name, by, known }: Name): Problem[] {
  if (known.includes(name)) return [];
  const meant = closest(name, known);
  const hint = meant ? `did you mean \`${meant}\`?` : `known: ${known.join(", ") || "none"}`;
  return [problem(code, `${by} names the unknown ${kind} \`${name}\``, { hint })];
}

function unique(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((each) => [each.message, each])).values()];
}
