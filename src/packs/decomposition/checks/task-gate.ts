// What makes a plan prove less than it says, or impossible to build (D22): commands that are green without the work,
// behaviours without a task, paths that cannot stand beside each other, criteria that need a later task's file. They are
// errors; those of `allowable` a person may allow, with a reason that is recorded.

import type { Hint } from "../../../core/hint.ts";
import type { Problem } from "../../../core/problem.ts";
import { isAlwaysGreen } from "../../../protocols/always-green.ts";
import type { Known } from "../../../protocols/check-artifact.ts";
import { shown } from "../../../protocols/spot.ts";
import { normalPath } from "../../../protocols/target-path.ts";
import { unorderedPairs } from "./dependency-graph.ts";
import { commandFault } from "./task-command.ts";
import type { TaskGraph } from "./task-graph.ts";
import { type Sketch, spotIn } from "./task-sketch.ts";

/** What a person may allow, and what it is to allow it. */
export const allowable = {
  "empty-command": "criteria whose command passes no matter what the task does",
  "behaviour-without-task": "behaviours that no task has",
  "case-clash": "paths that differ in capitals alone",
  "later-file": "criteria that need a file of a task they do not depend on",
} as const;

export type Allowable = keyof typeof allowable;

export interface Gate {
  /** Behaviours that some task must have; left out when no map is known. */
  readonly wanted?: Known | undefined;
  readonly exists?: ((path: string) => boolean) | undefined;
  readonly allowed?: ReadonlySet<string> | undefined;
}

/** Nobody reads more than this. */
const most = 1000;

const orAllow = (hint: string, code: Allowable): Hint => [`${hint}, or: `, { do: "allow", code }];

export function gateProblems(graph: TaskGraph, { wanted, exists, allowed = new Set() }: Gate): Problem[] {
  const { sketches } = graph;
  const unless = (code: Allowable, find: () => Problem[]) => (allowed.has(code) ? [] : find().slice(0, most));
  return [
    ...unless("empty-command", () => sketches.flatMap(emptyCommands)),
    ...unless("behaviour-without-task", () => missingBehaviours(sketches, wanted)),
    ...fileAsFolder(sketches).slice(0, most),
    ...unless("case-clash", () => otherCapitals(sketches)),
    ...unless("later-file", () => laterFiles(graph, exists)),
  ];
}

function emptyCommands(sketch: Sketch): Problem[] {
  return sketch.commands.flatMap((command, index) => {
    if (command === "" || !isAlwaysGreen(command) || commandFault(command) !== undefined) return [];
    const spot = spotIn(sketch, `/acceptance_criteria/${index}/verification`);
    const hint = orAllow("write a command that is red until the criterion holds", "empty-command");
    return [spot.problem("empty-command", `${shown(command)} passes no matter what the task does`, hint)];
  });
}

function missingBehaviours(sketches: readonly Sketch[], wanted: Known | undefined): Problem[] {
  const [first] = sketches;
  if (!wanted || !first) return [];
  const had = new Set(sketches.flatMap(({ behaviours }) => behaviours));
  return [...wanted.keys()]
    .filter((id) => !had.has(id))
    .map((id) => {
      const hint = orAllow(`add \`${id}\` to the \`behaviors\` of a task`, "behaviour-without-task");
      return spotIn(first, "").problem("behaviour-without-task", `no task has behaviour \`${id}\``, hint);
    });
}

interface Written {
  readonly sketch: Sketch;
  readonly index: number;
  readonly path: string;
}

/** The first task that writes each path; what some task deletes may become something else. */
function writtenPaths(sketches: readonly Sketch[]): Map<string, Written> {
  const written = new Map<string, Written>();
  const deleted = new Set<string>();
  for (const sketch of sketches)
    for (const [index, raw] of sketch.paths.entries()) {
      const path = normalPath(raw);
      if (sketch.task?.files[index]?.action === "delete") deleted.add(path);
      else if (path !== "" && !written.has(path)) written.set(path, { sketch, index, path });
    }
  for (const path of deleted) written.delete(path);
  return written;
}

function fileAsFolder(sketches: readonly Sketch[]): Problem[] {
  const written = writtenPaths(sketches);
  const problems: Problem[] = [];
  for (const { sketch, index, path } of written.values())
    for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) {
      const file = written.get(path.slice(0, end));
      if (!file) continue;
      const message = `${shown(path)} needs a folder where task \`${file.sketch.id}\` has the file ${shown(file.path)}`;
      const spot = spotIn(sketch, `/files/${index}/path`);
      problems.push(spot.problem("path-clash", message, "give one of the two another name"));
    }
  return problems;
}

/** On a Mac or on Windows they are one file, and in every checkout there one of them is lost. */
function otherCapitals(sketches: readonly Sketch[]): Problem[] {
  const known = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { sketch, index, path } of writtenPaths(sketches).values()) {
    const letters = path.toLowerCase();
    const other = known.get(letters);
    if (other === undefined) known.set(letters, path);
    else {
      const message = `${shown(path)} and ${shown(other)} differ in capitals alone`;
      const hint = orAllow("write one of them", "case-clash");
      problems.push(spotIn(sketch, `/files/${index}/path`).problem("case-clash", message, hint));
    }
  }
  return problems;
}

interface Need {
  readonly earlier: number;
  readonly later: number;
  readonly path: string;
  readonly at: number;
}

/** A command names a file that only another task creates, and its own task does not wait for that one. */
function laterFiles({ sketches, edges, condensed }: TaskGraph, exists: Gate["exists"]): Problem[] {
  const { rank } = condensed;
  const creators = createdBy(sketches, exists);
  const [needs, impossible]: [Need[], Need[]] = [[], []];
  for (const { index: later, commands } of sketches)
    for (const [at, command] of commands.entries())
      for (const word of wordsIn(command)) {
        const path = normalPath(word);
        const makers = creators.get(path);
        const earlier = makers?.[0];
        if (earlier === undefined || makers?.includes(later)) continue;
        const need = { earlier, later, path, at };
        ((rank[earlier] ?? 0) > (rank[later] ?? 0) ? impossible : needs).push(need);
      }
  return [...impossible, ...unorderedPairs(edges, condensed, needs)].flatMap(
    ({ earlier, later, path, at }) => {
      const [maker, sketch] = [sketches[earlier], sketches[later]];
      if (!maker || !sketch) return [];
      const message = `task \`${sketch.id}\` is checked with ${shown(path)}, which task \`${maker.id}\` creates, but does not depend on that task`;
      const hint = orAllow(`add \`${maker.id}\` to its dependencies`, "later-file");
      return [spotIn(sketch, `/acceptance_criteria/${at}/verification`).problem("later-file", message, hint)];
    },
  );
}

function createdBy(sketches: readonly Sketch[], exists: Gate["exists"]): Map<string, number[]> {
  const creators = new Map<string, number[]>();
  for (const { index, task } of sketches)
    for (const { path: raw, action } of task?.files ?? []) {
      const path = normalPath(raw);
      if (action !== "create" || exists?.(path)) continue;
      const makers = creators.get(path);
      if (makers) makers.push(index);
      else creators.set(path, [index]);
    }
  return creators;
}

const wordsIn = (command: string) =>
  command.split(/[\s"'`=;|&()<>,:]+/).filter((word) => /[./]/.test(word) && !word.startsWith("/"));
