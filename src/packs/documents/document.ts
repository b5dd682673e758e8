// A document as a role's product: checked, put into the run's folder, and registered with what it was made from.
import { isByHand, saidIn } from "../../core/artifact.ts";
import type { Input } from "../../core/input.ts";
import { problem } from "../../core/problem.ts";
import type { Json } from "../../core/run.ts";
import { textDigest } from "../../host/digest.ts";
import { replaceFile } from "../../host/files.ts";
import type { Product } from "../../work/product.ts";
import { textOf } from "../decomposition/product.ts";
import { checkDocument, questionsOf } from "./check-document.ts";
import { keepOwnVersion, ownVersionLine } from "./own-version.ts";
import { fileOf, inputsFor, type RunFiles } from "./run-files.ts";

/** `more`: what heddle itself adds to what the rules read of it. */
export function documentProduct(
  run: RunFiles,
  name: string,
  more: Readonly<Record<string, Json>> = {},
): Product {
  return {
    kind: "file",
    check: (path) => {
      const checked = checkDocument(run.protocol, name, path);
      if (!checked) throw new Error(`bug: \`${name}\` is no document`);
      const { problems, warnings, content } = checked;
      if (!content) return { problems, warnings, inputs: [] };
      const digest = textDigest(textOf(path));
      const kept = isByHand(run.artifacts[name]) ? [] : ownVersionLine(run, name);
      const said = [...saidIn(content), ...kept];
      const all = { ...content, ...more, ...(said.length > 0 && { said }) };
      const register = registering(run, { name, digest, content: all });
      if (isUnchanged(run, register)) return { problems: [unchanged], warnings, inputs: [] };
      return { problems: [], warnings, inputs: [register, ...questionsOf({ name, digest, content })] };
    },
    keep: (path) => {
      // A person's own word that is carried out is kept as it is, or as heddle had to change it.
      if (!isByHand(run.artifacts[name])) keepOwnVersion(run, name);
      replaceFile(fileOf(run, name), textOf(path));
    },
  };
}

const unchanged = problem("unchanged", "it is the same document that was sent back", {
  hint: "the other inputs say what was wrong with it",
});

interface Made {
  readonly name: string;
  readonly digest: string;
  readonly content: Readonly<Record<string, Json>>;
}

export type Register = Extract<Input, { kind: "register" }>;

export function registering(run: RunFiles, { name, digest, content }: Made): Register {
  const path = fileOf(run, name);
  const inputs = inputsFor(run, name);
  return { kind: "register", artifact: name, path, digest, inputs, valid: true, problems: [], content };
}

/**
 * A job was asked for because what is there will not do. The same again, made from the same, changes nothing: it
 * would be asked for for ever.
 */
function isUnchanged({ artifacts }: RunFiles, { artifact, digest, inputs }: Register): boolean {
  const there = artifacts[artifact];
  if (!there?.valid || there.digest !== digest) return false;
  const keys = new Set([...Object.keys(inputs), ...Object.keys(there.inputs)]);
  return [...keys].every((key) => inputs[key] === there.inputs[key]);
}
