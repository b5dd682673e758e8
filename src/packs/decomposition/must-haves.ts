// What must be true when a plan is done, for the one who verifies it as a whole: what a mission said that handed it over,
// and every capability, in the specification's own words. What would show it are the commands of its tasks.
import { jsonIn } from "../../core/json.ts";
import type { Json, Run } from "../../core/run.ts";
import { readText } from "../../host/files.ts";
import { quoteOf } from "../../protocols/fields.ts";
import { type Capability, capabilityMap } from "./artifacts/capability-map.ts";
import { fileOf, type Places } from "./plan-files.ts";

export interface MustHave {
  readonly truth: string;
  readonly evidence_required: string;
}

export function mustHavesOf(run: Run): MustHave[] {
  const handed = handedOver(run.metadata.must_haves);
  const known = new Set(handed.map(({ truth }) => truth));
  return [...handed, ...capabilities(run).filter(({ truth }) => !known.has(truth))];
}

/** As `heddle mission --then execute` wrote it down. */
function handedOver(said: Json | undefined): MustHave[] {
  return Array.isArray(said) ? (said as unknown as MustHave[]) : [];
}

const mostCommands = 5;

function capabilities(run: Run): MustHave[] {
  const commands = commandsByBehaviour(run);
  return readCapabilities(run).map(({ name, spec_ref: reference, behaviors }) => {
    const shown = [...new Set(behaviors.flatMap(({ id }) => commands.get(id) ?? []))];
    const quote = reference === undefined ? "" : `: ${quoteOf(reference)}`;
    const all = shown.slice(0, mostCommands).map((command) => `\`${command}\``);
    const rest = shown.length > mostCommands ? ["and the rest in the task files"] : [];
    return {
      truth: `${name}${quote}`.trim().replace(/\s+/g, " "),
      evidence_required: [...all, ...rest].join(", ") || "what the specification says of it, tried out",
    };
  });
}

function commandsByBehaviour({ tasks }: Run): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { def } of tasks.all())
    for (const id of def.behaviours)
      found.set(id, [...(found.get(id) ?? []), ...def.criteria.map(({ command }) => command)]);
  return found;
}

/** Of the map as it lies there; none where it cannot be read. */
export function readCapabilities(places: Pick<Places, "planningDir">): Capability[] {
  const read = readText(fileOf(places, "capability_map"));
  if ("problem" in read) return [];
  const { data } = capabilityMap.safeParse(jsonIn(read.text));
  return data?.domains.flatMap((domain) => domain.capabilities) ?? [];
}
