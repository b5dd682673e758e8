// Whether programs can be boxed on this machine. Without a sandbox heddle refuses, unless the person said that agents
// may run unconfined; nothing that a model says can change that.

import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { type DevcontainerImage, devcontainerFiles, devcontainerImage } from "../config/devcontainer.ts";
import { joined } from "../core/hint.ts";
import { type Problem, problem } from "../core/problem.ts";
import { type App, Refused } from "../engine/app.ts";
import { type BoxWish, findSandbox } from "../host/box/box.ts";
import type { ContainerWish } from "../host/box/container-find.ts";
import { textDigest } from "../host/digest.ts";
import { readText } from "../host/files.ts";
import type { Sandbox } from "../host/program/sandbox.ts";
import { distrustTargets } from "./target-repository.ts";

export type BoxChoice =
  | { readonly kind: "boxed"; readonly sandbox: Sandbox }
  | { readonly kind: "unconfined" }
  /** There is none here, and the person did not say that none is needed: nothing runs, for this reason. */
  | { readonly kind: "missing"; readonly problem: Problem };

/** A box, or the person's word that none is needed. */
export type UsableBox = Exclude<BoxChoice, { kind: "missing" }>;

export interface Waiver {
  /** Whether the person said that none is needed. */
  readonly unconfined: boolean;
  /** Which one, and of what image. */
  readonly config: Pick<Config, "box">;
  /** Where the project lies, whose devcontainer.json may name an image. */
  readonly root?: string;
}

/**
 * Before any program is looked for, heddle knows every folder in which agents' work lands. That there is no box is no
 * reason to refuse yet: what needs none works without.
 */
export async function findBox(app: App | undefined, waiver: Waiver): Promise<BoxChoice> {
  if (app) await distrustTargets(app);
  if (waiver.unconfined) return { kind: "unconfined" };
  const found = await findSandbox(boxWish(waiver.config, app?.paths.root ?? waiver.root));
  if (found.ok) return { kind: "boxed", sandbox: found };
  const { hint = "apt-get install bubblewrap" } = found.problem;
  return {
    kind: "missing",
    problem: { ...found.problem, hint: joined(hint, "; or --unconfined, if you trust the agent") },
  };
}

/** What the configuration says of the box; the image is looked for only when a container is. */
export function boxWish({ box }: Pick<Config, "box">, root: string | undefined): BoxWish {
  const kind = typeof box === "object" ? "container" : box;
  const { image, engine } = typeof box === "object" ? box.container : {};
  const container = (): ContainerWish | { readonly problem: Problem } => {
    const named = image === undefined ? imageOf(root) : { image };
    return "problem" in named ? named : { ...named, ...(engine && { engine }) };
  };
  return { container, ...(kind && { kind }) };
}

function imageOf(root: string | undefined): DevcontainerImage | { readonly problem: Problem } {
  const read = (path: string) => {
    const found = root === undefined ? undefined : readText(join(root, path), 1024 * 1024);
    return found && "text" in found ? found.text : undefined;
  };
  const digestOf = (path: string) => {
    const text = read(path);
    return text === undefined ? undefined : textDigest(text);
  };
  for (const file of devcontainerFiles) {
    const text = read(file);
    if (text !== undefined) return devcontainerImage(file, text, digestOf);
  }
  const message =
    "no image is named for the container in which programs are to run, and there is no devcontainer.json";
  const hint = '"box": {"container": {"image": "<image>"}} in .heddle/config.json';
  return { problem: problem("no-sandbox", message, { hint }) };
}

/** For those who are about to run something. */
export async function needBox(app: App, waiver: Waiver): Promise<UsableBox> {
  return usable(await findBox(app, waiver));
}

export function usable(box: BoxChoice): UsableBox {
  if (box.kind === "missing") throw new Refused([box.problem]);
  return box;
}
