// The physical map beyond its schema (D8): every behaviour has files, paths stay in the target, actions fit what is
// there, and the summary counts what the map says.
import type { Problem } from "../../../core/problem.ts";
import { type Checked, checkArtifact, type Known } from "../../../protocols/check-artifact.ts";
import type { Source } from "../../../protocols/document.ts";
import { type Spot, shown } from "../../../protocols/spot.ts";
import { normalPath, pathFault, pathProblems } from "../../../protocols/target-path.ts";
import { type PhysicalMap, physicalMap } from "../artifacts/physical-map.ts";
import { suggester } from "./suggestion.ts";

export interface PhysicalMapInput extends Source {
  /** Behaviours of the capability map; not compared when left out. */
  readonly behaviours: Known | undefined;
  /** Whether the target has this file; gets paths such as `src/main.ts`. */
  readonly exists: (path: string) => boolean;
  /** Whether a link in the target leads this path out of it; not looked at when left out. */
  readonly leadsOut?: ((path: string) => boolean) | undefined;
  readonly targetDir?: string | undefined;
}

export function checkPhysicalMap(input: PhysicalMapInput): Checked<PhysicalMap> {
  return checkArtifact(physicalMap, input, {
    wrong: (root) => {
      const mapping = root.at("file_mapping");
      const entries = entriesOf(root);
      return [
        ...(input.behaviours ? behaviourProblems(mapping, input.behaviours) : []),
        ...entries.flatMap((entry) => pathProblems(entry.at("path"))),
        ...(input.leadsOut ? linkProblems(entries, input.leadsOut) : []),
        ...actionProblems(entries, input.exists),
        ...wrongTarget(root.at("target_dir"), input.targetDir),
        ...wrongCounts(root.at("summary"), mapping, entries),
      ];
    },
    unwise: (root) => root.at("file_mapping").items.flatMap(vagueEntry),
  });
}

const tested = new Set<unknown>(["api", "domain"]);

/** What the documents ask of a mapping, and the schema lets pass because older maps do without. */
function vagueEntry(entry: Spot): Problem[] {
  const files = entry.at("files").items;
  const name = `behaviour ${shown(entry.at("behavior_id").value)}`;
  const missing = files.flatMap((file) => {
    const lacking = ["layer", "purpose"].filter((key) => (file.at(key).text ?? "").trim() === "");
    if (lacking.length === 0) return [];
    const message = `${shown(file.at("path").value)} of ${name} has no ${lacking.join(" and no ")}`;
    const hint = "add `layer` (api, domain, data, infra or test) and `purpose` (what the file is for)";
    return [file.problem("vague-file", message, hint)];
  });
  const untested =
    files.some((file) => tested.has(file.at("layer").value)) && entry.at("tests").items.length === 0;
  if (!untested) return missing;
  const hint = "add `tests` with the path of the test file";
  return [...missing, entry.problem("no-tests", `${name} has api or domain files and no tests`, hint)];
}

function linkProblems(entries: readonly Spot[], leadsOut: (path: string) => boolean): Problem[] {
  return entries.flatMap((entry) => {
    const path = goodPath(entry);
    if (path === undefined || !leadsOut(path)) return [];
    const message = `the path ${shown(path)} goes through a link that leads out of the target`;
    return [entry.at("path").problem("outside-target", message, "choose a path that stays in the target")];
  });
}

/** Everything in the map that names a file. */
function entriesOf(root: Spot): Spot[] {
  return [
    ...root
      .at("file_mapping")
      .items.flatMap((entry) => [...entry.at("files").items, ...entry.at("tests").items]),
    ...root.at("cross_cutting").items.flatMap((entry) => entry.at("files").items),
    ...root.at("infrastructure").items,
  ];
}

function behaviourProblems(mapping: Spot, behaviours: Known): Problem[] {
  if (!mapping.isList) return [];
  const suggest = suggester(behaviours);
  const ids = mapping.items.map((entry) => entry.at("behavior_id"));
  const unknown = ids.flatMap((id) => {
    if (id.text === undefined || behaviours.has(id.text)) return [];
    const hint = suggest(id.text, "name a behaviour of the capability map");
    return [id.problem("unknown-behaviour", `the map has unknown behaviour ${shown(id.text)}`, hint)];
  });
  const mapped = new Set(ids.map((id) => id.text));
  const unmapped = [...behaviours.keys()]
    .filter((id) => !mapped.has(id))
    .map((id) => {
      const message = `behaviour ${shown(id)} has no files`;
      return mapping.problem(
        "unmapped-behaviour",
        message,
        `add an entry with \`"behavior_id": "${id}"\` and its files`,
      );
    });
  return unknown.concat(unmapped);
}

function goodPath(entry: Spot): string | undefined {
  const path = entry.at("path").text;
  return path === undefined || pathFault(path) !== undefined ? undefined : normalPath(path);
}

function pathsCreated(entries: readonly Spot[]): Set<string> {
  return new Set(
    entries.flatMap((entry) => (entry.at("action").value === "create" ? (goodPath(entry) ?? []) : [])),
  );
}

function actionProblems(entries: readonly Spot[], exists: (path: string) => boolean): Problem[] {
  const created = pathsCreated(entries);
  return entries.flatMap((entry) => {
    const path = goodPath(entry);
    const action = entry.at("action");
    if (path === undefined) return [];
    if (action.value === "create" && exists(path)) {
      const message = `${shown(path)} is to be created, but exists`;
      return [action.problem("file-exists", message, "write `modify`, or choose another path")];
    }
    const changes = action.value === "modify" || action.value === "extend";
    if (!changes || created.has(path) || exists(path)) return [];
    const message = `${shown(path)} is to be changed, but does not exist and no entry creates it`;
    return [action.problem("file-missing", message, "write `create`, or correct the path")];
  });
}

function wrongTarget(target: Spot, wanted: string | undefined): Problem[] {
  const bare = (path: string) => path.replace(/(?<=[^/])\/{1,9}$/, "");
  if (wanted === undefined || target.text === undefined || bare(target.text) === bare(wanted)) return [];
  const message = `the map is for ${shown(target.text)}, but the target is ${shown(wanted)}`;
  return [target.problem("wrong-target", message, `write \`"target_dir": ${JSON.stringify(wanted)}\``)];
}

function wrongCounts(summary: Spot, mapping: Spot, entries: readonly Spot[]): Problem[] {
  const paths = new Set(entries.flatMap((entry) => goodPath(entry) ?? []));
  const created = pathsCreated(entries);
  const counts: Readonly<Record<string, number>> = {
    total_behaviors: new Set(mapping.items.map((entry) => entry.at("behavior_id").value)).size,
    total_files: paths.size,
    files_to_create: created.size,
    files_to_modify: paths.size - created.size,
  };
  return Object.entries(counts).flatMap(([key, actual]) => {
    const given = summary.at(key);
    if (typeof given.value !== "number" || given.value === actual) return [];
    const message = `\`summary.${key}\` is ${given.value}, but the map has ${actual}`;
    return [given.problem("wrong-count", message, `write ${actual}`)];
  });
}
