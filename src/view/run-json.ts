// `state.json` of a run that is about documents: its phase, who stands where in it, the round, and the artifacts that heddle has
// seen (L2). Sealed like every view (`state-json.ts`).
import { freshness } from "../core/artifact.ts";
import type { Json, Run } from "../core/run.ts";
import type { Artifact } from "../core/run-parts.ts";

export type Document = { readonly [key: string]: Json };

export function runView(run: Run): Document {
  const { inputTokens, outputTokens, costUsd, unknownCosts } = run.usage;
  return {
    version: "1.0",
    run: run.id,
    position: run.position,
    digest: "",
    protocol: run.protocolName,
    phase: run.phase,
    completed_phases: run.completedPhases,
    round: run.counters.rounds ?? 0,
    target_dir: run.targetDir,
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    metadata: run.metadata,
    actors: run.protocol.own?.actors?.(run) ?? rolesOf(run),
    artifacts: Object.fromEntries(Object.values(run.artifacts).map((each) => [each.name, seen(run, each)])),
    counters: run.counters,
    vars: run.vars,
    job: run.job ? { role: run.job.role, makes: run.job.makes, stage: run.job.stage } : null,
    questions: run.questions.map((question) => ({ ...question })),
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cost_usd: costUsd,
      unknown_costs: unknownCosts,
    },
  };
}

function seen(run: Run, { name, path, digest, valid, problems, validatedAt, content }: Artifact): Document {
  const state = freshness(name, { run, request: null, digests: {} });
  return { path, checksum: digest.slice(0, 16), state, valid, validated_at: validatedAt, problems, content };
}

function rolesOf(run: Run): Document {
  const known = Object.values(run.jobs).map(({ role, attempts, problems }) => [
    role,
    { status: run.job?.role === role ? run.job.stage : "idle", attempts, problems },
  ]);
  return Object.fromEntries(known);
}
