// A check as SARIF 2.1.0, which code-scanning views read. Its types come from the official schema.
import { join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { ArtifactLocation, Log, ReportingDescriptor, Result } from "sarif";
import type { CheckedSkill, SkillCheck } from "./check.ts";
import { type Finding, isCounted, type Pattern, type PatternId, patterns, type Severity } from "./finding.ts";

const levels: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
};

export function checkSarif({ skills, problems, encoding }: SkillCheck, version: string): Log {
  const used = [...new Set(skills.flatMap(({ findings }) => findings.map(({ pattern }) => pattern)))].sort();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "heddle tune", semanticVersion: version, rules: used.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        results: skills.flatMap((skill) => skill.findings.map((finding) => resultOf(skill, finding, used))),
        invocations: [
          {
            executionSuccessful: problems.length === 0,
            toolExecutionNotifications: problems.map(({ message }) => ({
              level: "error",
              message: { text: message },
            })),
          },
        ],
        properties: { encoding },
      },
    ],
  };
}

function ruleOf(id: PatternId): ReportingDescriptor {
  const { title, cause, impact, severity, certainty, advice, type, diagnosis }: Pattern = patterns[id];
  return {
    id,
    name: type,
    shortDescription: { text: title },
    fullDescription: { text: `${cause}; ${impact}` },
    help: { text: advice },
    defaultConfiguration: { level: certainty === "proven" ? levels[severity] : "note" },
    properties: { tags: [diagnosis, certainty] },
  };
}

function resultOf({ folder, path }: CheckedSkill, finding: Finding, rules: readonly PatternId[]): Result {
  const { pattern, severity, certainty, description, file, line, endLine, evidence, advice, suppressed } =
    finding;
  return {
    ruleId: pattern,
    ruleIndex: rules.indexOf(pattern),
    // A suggestion is a note, whatever it would weigh; so is what somebody has suppressed.
    level: isCounted(finding) ? levels[severity] : "note",
    message: { text: `${description}. ${advice}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: locationOf(join(folder, file)),
          region: { startLine: line, endLine, snippet: { text: evidence } },
        },
      },
    ],
    // Lines move; what was found, and in which file, stays.
    partialFingerprints: { "heddle/v1": `${path}:${pattern}:${file}:${description}` },
    properties: { certainty, counts: isCounted(finding) },
    ...(suppressed && {
      suppressions: [
        {
          kind: suppressed.by === "comment" ? ("inSource" as const) : ("external" as const),
          justification: suppressed.why,
        },
      ],
    }),
  };
}

/** What lies outside the place where heddle was called is no part of that source. */
function locationOf(path: string): ArtifactLocation {
  if (path.startsWith("..")) return { uri: pathToFileURL(resolve(path)).href };
  return { uri: path.split(sep).map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" };
}
