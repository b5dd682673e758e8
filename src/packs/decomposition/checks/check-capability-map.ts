// The capability map beyond its schema (D6, D7): unique ids, flows of known behaviours, one steel thread, and quotes
// that the specification really has, in a part of it that is not left for later.
import type { Problem } from "../../../core/problem.ts";
import { type Checked, checkArtifact } from "../../../protocols/check-artifact.ts";
import type { Source } from "../../../protocols/document.ts";
import { type Spot, shown } from "../../../protocols/spot.ts";
import { type CapabilityMap, capabilityMap } from "../artifacts/capability-map.ts";
import { letters, mapWarnings } from "./map-warning.ts";
import { plain, quotations } from "./quotation.ts";
import { excludedSections, type Section } from "./specification.ts";
import { suggester } from "./suggestion.ts";

export interface CapabilityMapInput extends Source {
  /** Quotes are not looked up without one. */
  readonly spec: string | undefined;
}

export function checkCapabilityMap(input: CapabilityMapInput): Checked<CapabilityMap> {
  const { spec } = input;
  const sections = spec === undefined ? [] : excludedSections(spec);
  return checkArtifact(capabilityMap, input, {
    wrong: (root) => {
      const map = partsOf(root);
      return [
        ...duplicateIds("domain", map.domains),
        ...duplicateIds("capability", map.capabilities),
        ...duplicateIds("behaviour", map.behaviours),
        ...duplicateIds("flow", map.flows),
        ...unknownSteps(map),
        ...strayBehaviours(map),
        ...steelThread(root.at("flows")),
        ...quoteProblems(map.capabilities, spec, sections),
        ...unlistedSections(root.at("phase_filtering").at("excluded_phases"), sections),
        ...coverageCounts(root.at("coverage")),
      ];
    },
    unwise: (root) => (spec === undefined ? [] : mapWarnings(root, spec)),
  });
}

interface Parts {
  readonly domains: readonly Spot[];
  readonly capabilities: readonly Spot[];
  readonly behaviours: readonly Spot[];
  readonly flows: readonly Spot[];
  /** The behaviour ids that flows have as steps. */
  readonly steps: readonly Spot[];
}

function partsOf(root: Spot): Parts {
  const domains = root.at("domains").items;
  const capabilities = domains.flatMap((domain) => domain.at("capabilities").items);
  const behaviours = capabilities.flatMap((capability) => capability.at("behaviors").items);
  const flows = root.at("flows").items;
  const steps = flows.flatMap((flow) => flow.at("steps").items.map((step) => step.at("behavior_id")));
  return { domains, capabilities, behaviours, flows, steps };
}

function duplicateIds(noun: string, entries: readonly Spot[]): Problem[] {
  const seen = new Set<string>();
  return entries.flatMap((entry) => {
    const id = entry.at("id");
    if (id.text === undefined) return [];
    if (seen.has(id.text)) {
      return [
        id.problem(
          "duplicate-id",
          `${noun} ${shown(id.text)} is defined twice`,
          "give one of the two another id",
        ),
      ];
    }
    seen.add(id.text);
    return [];
  });
}

function textsOf(spots: readonly Spot[]): Set<string> {
  return new Set(spots.flatMap((spot) => spot.text ?? []));
}

function unknownSteps({ behaviours, steps }: Parts): Problem[] {
  const known = textsOf(behaviours.map((behaviour) => behaviour.at("id")));
  const suggest = suggester(known);
  return steps.flatMap((step) => {
    if (step.text === undefined || known.has(step.text)) return [];
    const hint = suggest(step.text, "define this behaviour in a capability, or remove the step");
    return [
      step.problem("unknown-behaviour", `the flow has unknown behaviour ${shown(step.text)} as a step`, hint),
    ];
  });
}

function strayBehaviours({ behaviours, steps }: Parts): Problem[] {
  const used = textsOf(steps);
  return behaviours.flatMap((behaviour) => {
    const id = behaviour.at("id").text;
    const reason = behaviour.at("no_flow_reason").text ?? "";
    if (id === undefined || used.has(id) || reason.trim() !== "") return [];
    const hint = "add it as a step to a flow, or say why not in `no_flow_reason`";
    return [behaviour.problem("stray-behaviour", `behaviour ${shown(id)} is in no flow`, hint)];
  });
}

function steelThread(flows: Spot): Problem[] {
  if (!flows.isList) return [];
  const steel = flows.items.filter((flow) => flow.at("is_steel_thread").value === true);
  const hint = "mark the one thinnest path through the whole system with `is_steel_thread`";
  if (steel.length === 0) return [flows.problem("no-steel-thread", "no flow is the steel thread", hint)];
  const empty = steel
    .slice(0, 1)
    .filter((flow) => flow.at("steps").isList && flow.at("steps").items.length === 0)
    .map((flow) => flow.at("steps").problem("empty-steel-thread", "the steel thread has no steps", hint));
  return steel
    .slice(1)
    .map((flow) => {
      const message = `flow ${shown(flow.at("id").value)} is a second steel thread, beside ${shown(steel[0]?.at("id").value)}`;
      return flow.at("is_steel_thread").problem("second-steel-thread", message, hint);
    })
    .concat(empty);
}

function quoteProblems(
  capabilities: readonly Spot[],
  spec: string | undefined,
  sections: readonly Section[],
): Problem[] {
  const lookUp = spec === undefined ? undefined : quotations(spec, sections);
  return capabilities.flatMap((capability) => {
    const name = `capability ${shown(capability.at("id").value)}`;
    const reference = capability.at("spec_ref");
    const quote = reference.text === undefined ? reference.at("quote") : reference;
    if (reference.value !== undefined && quote.text === undefined) return [];
    if (quote.text === undefined || plain(quote.text) === "") {
      const hint = "add `spec_ref` with the passage of the specification that asks for it, word for word";
      return [reference.problem("missing-quote", `${name} quotes nothing`, hint)];
    }
    const quotation = lookUp?.(quote.text);
    if (quotation?.found === "nowhere") {
      const message = `${name} quotes what the specification does not say: ${shown(quote.text)}`;
      return [quote.problem("unknown-quote", message, quotation.hint())];
    }
    if (quotation?.found === "too short") {
      const message = `${name} quotes only ${shown(quote.text)}, which says nothing about it`;
      return [quote.problem("quote-too-short", message, "quote the whole sentence that asks for it")];
    }
    if (quotation?.found === "excluded") {
      const message = `${name} quotes text under ${shown(quotation.section.heading)}, which is left for later`;
      const hint = "remove the capability; the section belongs in `phase_filtering.excluded_phases`";
      return [quote.problem("excluded-quote", message, hint)];
    }
    return [];
  });
}

function unlistedSections(listed: Spot, sections: readonly Section[]): Problem[] {
  if (!listed.isList) return [];
  const headings = listed.items.map((entry) => letters(entry.at("heading").text ?? ""));
  return sections.flatMap(({ heading, phase, firstLine }) => {
    const wanted = letters(heading);
    if (headings.some((one) => one !== "" && (one.includes(wanted) || wanted.includes(one)))) return [];
    const message = `the section ${shown(heading)} (line ${firstLine} of the specification) is left out but not listed`;
    const hint = `add { "phase": ${JSON.stringify(phase)}, "heading": ${JSON.stringify(heading)}, "summary": "…" }`;
    return [listed.problem("unlisted-phase", message, hint)];
  });
}

/** Every requirement is either covered or a gap. */
function coverageCounts(coverage: Spot): Problem[] {
  const [total, covered, gaps] = ["total_requirements", "covered_requirements", "gaps"].map((key) =>
    coverage.at(key),
  );
  if (typeof total?.value !== "number" || typeof covered?.value !== "number") return [];
  const missing = gaps?.isList ? gaps.items.length : 0;
  if (covered.value <= total.value && (!gaps?.isList || covered.value + missing === total.value)) return [];
  const message = `coverage names ${covered.value} of ${total.value} requirements as covered and ${missing} as gaps, which does not add up`;
  return [
    covered.problem(
      "wrong-count",
      message,
      "list every requirement that is not covered in `gaps`, and count again",
    ),
  ];
}
