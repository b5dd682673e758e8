// What of a repository steers an agent beyond its text: settings, hooks, MCP servers, skills and commands, each a
// program that would run unasked. They are off unless a person approved them, byte for byte (`engine/approved.ts`).
// Which files they are is data; how an agent is told that it may follow them is its adapter's affair.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { textDigest } from "../host/digest.ts";

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

/** In a folder as it lies there, wherever the files came from: set-up may have written some of them. */
export function steeringIn(root: string, agent: Steered): SteeringFile[] {
  const found: SteeringFile[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder + entry.name;
      if (entry.isDirectory()) {
        if (!passedOver.includes(entry.name)) folders.push(`${path}/`);
      } else if (steers(agent, path) || (entry.isSymbolicLink() && steers(agent, `${path}/x`)))
        found.push({ path, sha256: contentOf(join(root, path)) });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function contentOf(path: string): string | null {
  return lstatSync(path).isFile() ? textDigest(readFileSync(path)) : null;
}

/** For a person who looks at them. */
export function steeringText(root: string, { path, sha256 }: SteeringFile): string | Buffer {
  const full = join(root, path);
  return sha256 === null ? `-> ${readlinkSync(full)}` : readFileSync(full);
}
