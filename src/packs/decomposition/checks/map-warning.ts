// What looks wrong about a capability map when it is held against the specification (D6). How a specification numbers
// its requirements is its own matter, so heddle may be mistaken here: these are warnings.
import type { Problem } from "../../../core/problem.ts";
import { type Spot, shown } from "../../../protocols/spot.ts";
import { plain } from "./quotation.ts";
import { headingsOf, requirementIds, specRequirements } from "./specification.ts";

export function mapWarnings(root: Spot, spec: string): Problem[] {
  const requirements = specRequirements(spec);
  const active = requirements.filter(({ excluded }) => !excluded);
  const filtering = root.at("phase_filtering");
  return [
    ...wrongCount(root.at("coverage").at("total_requirements"), active.length, "numbered requirements"),
    ...wrongCount(
      filtering.at("total_excluded_requirements"),
      requirements.length - active.length,
      "numbered requirements of later phases",
    ),
    ...unknownGaps(root.at("coverage").at("gaps"), new Set(requirements.map(({ id }) => id))),
    ...inventedSections(filtering.at("excluded_phases"), spec),
  ];
}

function wrongCount(given: Spot, actual: number, what: string): Problem[] {
  if (typeof given.value !== "number" || given.value === actual || actual === 0) return [];
  const key = given.pointer.slice(1).replaceAll("/", ".");
  const message = `\`${key}\` is ${given.value}, but the specification has ${actual} ${what}`;
  return [given.problem("wrong-count", message, `count again; ${actual} is what heddle finds`)];
}

function unknownGaps(gaps: Spot, known: ReadonlySet<string>): Problem[] {
  if (known.size === 0) return [];
  return gaps.items.flatMap((gap) => {
    const text = gap.text ?? JSON.stringify(gap.value);
    const unknown = requirementIds(text).find((id) => !known.has(id));
    if (unknown === undefined) return [];
    const message = `the gap names ${shown(unknown)}, which the specification does not have`;
    return [gap.problem("unknown-requirement", message, "name the requirement as the specification does")];
  });
}

function inventedSections(listed: Spot, spec: string): Problem[] {
  const headings = headingsOf(spec).map(letters);
  return listed.items.flatMap((entry) => {
    const heading = entry.at("heading");
    const said = letters(heading.text ?? "");
    if (said === "" || headings.some((one) => one.includes(said) || (one !== "" && said.includes(one))))
      return [];
    const message = `the specification has no heading ${shown(heading.text)}`;
    return [heading.problem("unknown-heading", message, "copy the heading of the section that is left out")];
  });
}

/** A heading without its marks and punctuation, to be compared. */
export function letters(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
