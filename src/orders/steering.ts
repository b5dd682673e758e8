// Whether the files of a repository that steer an agent may do so: only as a person approved them. Looked at twice: in
// what the next attempt would begin from, for the person; and in the attempt's own workspace, before its agent starts.
import {
  type Approvals,
  type Steered,
  type SteeringFile,
  steeredAgents,
  steering,
  steeringDigest,
  steeringIn,
  steeringText,
  steers,
} from "../agents/steering.ts";
import { type Hint, toCall } from "../core/hint.ts";
import { isProblem, problem, Refused } from "../core/problem.ts";
import type { App } from "../engine/app.ts";
import { textDigest } from "../host/digest.ts";
import { isThere } from "../host/files.ts";
import { findRepository } from "../host/git/find-repository.ts";
import { demandGit, fields } from "../host/git/git.ts";
import type { Repository } from "../host/git/repository.ts";
import { approvedDigest, forgetApproval, recordApproval, type Subject } from "./approved.ts";
import { repositoryOf } from "./target-repository.ts";

export { type Steered, steeredAgents };

export interface Settings {
  readonly agent: Steered;
  readonly title: string;
  readonly files: readonly (SteeringFile & { readonly text: string })[];
  readonly sha256: string;
  /** `changed`: other content was approved before. */
  readonly state: "on" | "off" | "changed";
}

const subjectOf = (target: string, agent: Steered): Subject => ({
  kind: "settings",
  place: target,
  name: agent,
});

function stateOf(target: string, agent: Steered, sha256: string): Settings["state"] {
  const approved = approvedDigest(subjectOf(target, agent));
  return approved === undefined ? "off" : approved === sha256 ? "on" : "changed";
}

/** Whether anything was ever approved here: a question that costs no look at the repository. */
export async function anyApproved(app: App): Promise<boolean> {
  const target = await app.look((run) => run.targetDir);
  return steeredAgents.some((agent) => approvedDigest(subjectOf(target, agent)) !== undefined);
}

/** Whatever steers somebody in what the next attempt would begin from. */
export async function settingsOf(app: App): Promise<Settings[]> {
  const { target, commit } = await app.look((run) => ({
    target: run.targetDir,
    commit: run.branch?.tip ?? null,
  }));
  const all = await filesOf(app, target, commit);
  return steeredAgents.flatMap((agent) => {
    const files = all.filter(
      ({ path, sha256 }) => steers(agent, sha256 === null ? `${path}/x` : path) || steers(agent, path),
    );
    const sha256 = steeringDigest(files);
    if (sha256 === undefined) return [];
    return [{ agent, title: steering[agent].title, files, sha256, state: stateOf(target, agent, sha256) }];
  });
}

/** Only a look: a target without git has no repository before something is executed. */
async function filesOf(app: App, target: string, tip: string | null): Promise<Settings["files"]> {
  if (tip === null && !isThere(target)) return [];
  const place = tip === null ? await findRepository(target) : undefined;
  if (place === null || isProblem(place)) return onDisk(target);
  const repository = await repositoryOf(app);
  const commit = tip ?? (repository.isPrivate ? null : repository.head);
  return commit === null ? onDisk(target) : inCommit(repository, commit);
}

function onDisk(root: string): Settings["files"] {
  const files = new Map(
    steeredAgents.flatMap((agent) => steeringIn(root, agent).map((file) => [file.path, file] as const)),
  );
  return [...files.values()].map((file) => ({ ...file, text: String(steeringText(root, file)) }));
}

async function inCommit(repository: Repository, commit: string): Promise<Settings["files"]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit];
  const listed = fields(await demandGit(repository, { args })).flatMap((line) => {
    const [, mode, id, path] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? [];
    const isLink = mode === "120000";
    const wanted = steeredAgents.some(
      (agent) => steers(agent, path ?? "") || (isLink && steers(agent, `${path}/x`)),
    );
    return wanted && mode !== "160000" ? [{ id: id ?? "", path: path ?? "", isLink }] : [];
  });
  return Promise.all(
    listed.map(async ({ id, path, isLink }) => {
      const content = await demandGit(repository, { args: ["cat-file", "blob", id] });
      const text = content.toString("utf8");
      return isLink
        ? { path, sha256: null, text: `-> ${text}` }
        : { path, sha256: textDigest(content), text };
    }),
  );
}

export async function settingsFor(app: App, agent: Steered): Promise<Settings> {
  const found = (await settingsOf(app)).find((each) => each.agent === agent);
  if (found) return found;
  throw new Refused([
    problem("no-settings", `no file of the target steers ${steering[agent].title}`, {
      hint: `it would be one of ${steering[agent].names.join(", ")}`,
    }),
  ]);
}

/** `sha256`, or the beginning of it: what the person looked at. */
export async function approveSettings(app: App, agent: Steered, seen: string | undefined): Promise<Settings> {
  const found = await settingsFor(app, agent);
  const link = found.files.find(({ sha256 }) => sha256 === null);
  if (link)
    throw new Refused([
      problem("link", `\`${link.path}\` is a link: what it leads to cannot be approved`, {
        hint: "put the file itself there",
      }),
    ]);
  if (seen !== undefined && (seen.length < 8 || !found.sha256.startsWith(seen)))
    throw new Refused([
      problem("changed", `they are not as you saw them: ${seen} is now ${found.sha256.slice(0, 16)}`, {
        hint: toCall(`settings show ${agent}`),
      }),
    ]);
  recordApproval(subjectOf(await app.look((run) => run.targetDir), agent), found.sha256);
  return { ...found, state: "on" };
}

export async function revokeSettings(app: App, agent: Steered): Promise<boolean> {
  return forgetApproval(subjectOf(await app.look((run) => run.targetDir), agent));
}

/** What is said of settings that do not count, and what to type. */
export function saySettings({ agent, title, files, state }: Settings): { what: string; hint: Hint } {
  const named = `${files
    .slice(0, 3)
    .map(({ path }) => path)
    .join(", ")}${files.length > 3 ? `, and ${files.length - 3} more` : ""}`;
  const what =
    state === "on"
      ? `${named}: as you approved them, they steer ${title}`
      : state === "changed"
        ? `${named}: changed since you approved them, so they are off for ${title}`
        : `${named}: off for ${title}, because they are not approved`;
  return { what, hint: toCall(`settings show ${agent}`) };
}

/** What the person approved for this target, by agent: it goes with the order. */
export function approvalsFor(target: string): Approvals {
  const all = steeredAgents.map((agent) => [agent, approvedDigest(subjectOf(target, agent))] as const);
  return Object.fromEntries(all.filter(([, sha256]) => sha256 !== undefined));
}
