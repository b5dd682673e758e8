// The board's filter: by phase, agent, tag, and words that all must be in a task's id, name or tags. Pure.
import type { TaskRow } from "../../src/page/model.ts";
import type { Query } from "../route.ts";

export interface Choices {
  readonly phases: readonly number[];
  readonly agents: readonly string[];
  readonly tags: readonly string[];
}

export function choicesOf(rows: readonly TaskRow[]): Choices {
  const [phases, agents, tags] = [new Set<number>(), new Set<string>(), new Set<string>()];
  for (const { phase, agent, tags: own } of rows) {
    phases.add(phase);
    if (agent !== null) agents.add(agent);
    for (const tag of own) tags.add(tag);
  }
  return {
    phases: [...phases].sort((a, b) => a - b),
    agents: [...agents].sort(),
    tags: [...tags].sort(),
  };
}

export function filtered(rows: readonly TaskRow[], { phase, agent, tag, q }: Query): readonly TaskRow[] {
  const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (!phase && !agent && !tag && words.length === 0) return rows;
  return rows.filter((row) => {
    if (phase && String(row.phase) !== phase) return false;
    if (agent && row.agent !== agent) return false;
    if (tag && !row.tags.includes(tag)) return false;
    if (words.length === 0) return true;
    const text = `${row.id} ${row.name} ${row.tags.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export const isFiltered = ({ phase, agent, tag, q }: Query): boolean =>
  [phase, agent, tag, q].some((each) => each !== undefined && each !== "");
