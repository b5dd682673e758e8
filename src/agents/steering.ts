// What of a repository steers an agent beyond its text: settings, hooks, MCP servers, skills and commands, each a
// program that would run unasked. They are off unless a person approved them, byte for byte (`orders/approved.ts`).
// Which files they are is data; how an agent is told that it may follow them is its adapter's affair.
import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { textDigest } from "../host/digest.ts";
import { listHandedIn, readBytes } from "../host/handed-in.ts";
import type { Agent } from "./agent.ts";

export interface Steering {
  readonly title: string;
  /** Names, wherever in the repository they lie; a folder ends in a slash, and all that it holds counts. */
  readonly names: readonly string[];
}

/** By the agent's maker: the same program is steered by the same files, whatever protocol it speaks. */
export const steering = {
  claude: { title: "Claude Code", names: [".claude/", ".mcp.json"] },
  codex: { title: "Codex", names: [".codex/", ".agents/"] },
  gemini: { title: "Gemini CLI", names: [".gemini/", ".agents/", ".env"] },
  opencode: {
    title: "opencode",
    names: ["opencode.json", "opencode.jsonc", ".opencode/", ".claude/", ".agents/"],
  },
} as const satisfies Readonly<Record<string, Steering>>;

export type Steered = keyof typeof steering;
export const steeredAgents = Object.keys(steering) as Steered[];

/** One of the files, as it is now. */
export interface SteeringFile {
  /** Relative to the repository's root. */
  readonly path: string;
  /** Of what it holds; null for a link, because what it leads to is not seen here. */
  readonly sha256: string | null;
}

export function steers(agent: Steered, path: string): boolean {
  const parts = path.split("/");
  return steering[agent].names.some((name) =>
    name.endsWith("/") ? parts.slice(0, -1).includes(name.slice(0, -1)) : parts.at(-1) === name,
  );
}

/** What an approval is about: every file by its path and content. Nothing where there is none. */
export function steeringDigest(files: readonly SteeringFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const lines = files.map(({ path, sha256 }) => `${sha256 ?? "link"} ${path}\n`).sort();
  return textDigest(lines.join(""));
}

/** Not looked into: what git keeps, and what set-up fetched. */
const passedOver = [".git", "node_modules", ".heddle"];

/** More than any project has; what is beyond it was not looked at, and cannot be approved. */
const mostEntries = 500_000;
const unseen = (path: string): SteeringFile => ({ path, sha256: null });

/** In a folder as it lies there, wherever the files came from: set-up, or an agent that was cut off, may have written some. */
export function steeringIn(root: string, agent: Steered): SteeringFile[] {
  const found: SteeringFile[] = [];
  const folders = [""];
  let left = mostEntries;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const listed = folder.length > longestPath ? "too many" : listHandedIn(join(root, folder), left);
    if (listed === "too many") {
      found.push(unseen(folder));
      continue;
    }
    left -= listed.length;
    for (const { name, kind } of listed) {
      const path = folder + name;
      if (kind === "folder") {
        if (!passedOver.includes(name)) folders.push(`${path}/`);
      } else if (steers(agent, path) || (kind === "other" && steers(agent, `${path}/x`)))
        found.push({ path, sha256: kind === "file" ? contentOf(root, path) : null });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Below it the system takes no longer paths. */
const longestPath = 3000;
const mostBytes = 64 * 1024 * 1024;

function contentOf(root: string, path: string): string | null {
  const read = readBytes(join(root, path), { bytes: mostBytes }, { within: root });
  return typeof read === "string" || read.size > mostBytes ? null : textDigest(read.bytes);
}

/** For a person who looks at them. */
export function steeringText(root: string, { path, sha256 }: SteeringFile): string | Buffer {
  const full = join(root, path);
  if (sha256 === null) return isLink(full) ? `-> ${readlinkSync(full)}` : "(not a plain file)";
  const read = readBytes(full, { bytes: mostBytes }, { within: root });
  return typeof read === "string" ? "(not a plain file)" : read.bytes;
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** What a person approved, as the digest of the files, by agent. */
export type Approvals = { readonly [A in Steered]?: string };

/** Whether an agent may follow what lies in its workspace, and what to say where it was approved and changed. */
export interface Trust {
  readonly isTrusted: boolean;
  readonly note?: string;
}

export function trustBy(approvals: Approvals, root: string): (agent: Agent) => Trust {
  return ({ steeredBy: agent, needsTrust = false }) => {
    if (agent === undefined) return { isTrusted: false };
    const approved = approvals[agent];
    // A look at all of its files costs something.
    if (approved === undefined && !needsTrust) return { isTrusted: false };
    const sha256 = steeringDigest(steeringIn(root, agent));
    // Where there is nothing to follow, it may.
    if (sha256 === undefined) return { isTrusted: needsTrust };
    if (approved === undefined) return { isTrusted: false };
    if (approved === sha256) return { isTrusted: true };
    const { title } = steering[agent];
    return {
      isTrusted: false,
      note: `heddle: the repository's settings for ${title} are off: they are not as you approved them (heddle settings show ${agent})`,
    };
  };
}
