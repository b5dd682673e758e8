// The artifacts of a run as they lie in its folder: where each is, what it is now, and which of them a person has
// changed, made or taken away since heddle looked (L4–L6). Nothing here opens the journal.
import { join } from "node:path";
import { saidIn } from "../../core/artifact.ts";
import type { Input } from "../../core/input.ts";
import type { Protocol } from "../../core/protocol.ts";
import type { Json } from "../../core/run.ts";
import type { Artifact } from "../../core/run-parts.ts";
import { fileDigest, textDigest } from "../../host/digest.ts";
import { isPlainFolder } from "../../host/files.ts";
import { walkHandedIn } from "../../host/handed-in.ts";
import { located } from "../../work/given/for-the-role.ts";
import { checkDocument, questionsOf } from "./check-document.ts";

/** What is known of a run, as far as its files are concerned. */
export interface RunFiles {
  readonly protocol: Protocol;
  readonly planningDir: string;
  readonly artifacts: Readonly<Record<string, Artifact>>;
}

export function fileOf({ protocol, planningDir }: Pick<RunFiles, "protocol" | "planningDir">, name: string) {
  return join(planningDir, protocol.artifacts[name] ?? name);
}

/** Nothing when there is neither a file nor a folder. */
export function digestAt(path: string): string | null {
  if (!isPlainFolder(path)) return fileDigest(path);
  const files = walkHandedIn(path, { depth: 64, most: 200_000 })
    .map((name) => join(path, name))
    .sort();
  return textDigest(files.map((file) => `${file.slice(path.length)}\0${fileDigest(file)}\n`).join(""));
}

/** Digests of the protocol's files as they are now. */
export function digestsNow(run: RunFiles): Record<string, string | null> {
  return Object.fromEntries(
    Object.keys(run.protocol.artifacts).map((name) => [name, digestAt(fileOf(run, name))]),
  );
}

/** What an artifact would be made from if it were made now. */
export function inputsFor(run: RunFiles, name: string): Record<string, string> {
  const from = run.protocol.madeFrom?.[name] ?? [];
  const known = from.map((input) => [input, run.artifacts[input]?.digest ?? ""] as const);
  return Object.fromEntries(known.filter(([, digest]) => digest !== ""));
}

/** Stands for a file that was there and is gone. */
const gone = "";

/**
 * Artifacts that are not as they were registered: a person's work, judged like an agent's. `carriedOut`: artifacts
 * that only count once heddle has done what they say, and never because a file says so.
 */
export function foundByHand(run: RunFiles, carriedOut: ReadonlySet<string>): Input[] {
  let known = run;
  const found: Input[] = [];
  for (const name of Object.keys(run.protocol.artifacts)) {
    const path = fileOf(run, name);
    const digest = digestAt(path) ?? gone;
    const before = known.artifacts[name]?.digest ?? gone;
    if (digest === before) continue;
    const inputs = judged(known, { name, path, digest, isCarriedOut: carriedOut.has(name) });
    found.push(...inputs);
    const [register] = inputs;
    if (register?.kind !== "register") continue;
    const artifact: Artifact = { ...register, name, validatedAt: "" };
    known = { ...known, artifacts: { ...known.artifacts, [name]: artifact } };
  }
  return found;
}

interface FoundFile {
  readonly name: string;
  readonly path: string;
  readonly digest: string;
  readonly isCarriedOut: boolean;
}

/** What stays true whatever a person writes: commits that were made, and where the code began. */
function lasting({ artifacts }: RunFiles, name: string): Record<string, Json> {
  const before = artifacts[name]?.content ?? {};
  const kept = ["commits", "reverted", "base"].filter((key) => before[key] !== undefined);
  return Object.fromEntries(kept.map((key) => [key, before[key] as Json]));
}

function judged(run: RunFiles, { name, path, digest, isCarriedOut }: FoundFile): Input[] {
  const base = { kind: "register", artifact: name, path, digest, inputs: inputsFor(run, name) } as const;
  const file = run.protocol.artifacts[name] ?? name;
  const edited = { ...lasting(run, name), edited: true };
  const refused = (...problems: string[]): Input[] => [{ ...base, valid: false, problems, content: edited }];
  const toCarryOut = (problem: string, said: readonly string[]): Input[] => {
    const content = { ...lasting(run, name), said: [...said], by_hand: true };
    return [{ ...base, valid: false, problems: [problem], content }];
  };
  if (digest === gone) return refused(`${file} is gone`);
  const checked = checkDocument(run.protocol, name, path);
  if (!checked && name === "diff") return toCarryOut(`${file} was edited by hand, and is taken next`, []);
  if (!checked) return refused(`${file} was changed by hand, and only heddle writes it`);
  if (checked.problems.length > 0) return refused(...checked.problems.slice(0, 50).map(located));
  const content = { ...checked.content, ...edited };
  if (isCarriedOut)
    return toCarryOut(`${file} was written by hand, and heddle has not carried it out yet`, saidIn(content));
  return [{ ...base, valid: true, problems: [], content }, ...questionsOf({ name, digest, content })];
}
