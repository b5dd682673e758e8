// The coding agents that heddle knows by name: how a person names them, installs them and signs in, and which version was
// tried in `test/live`. Others work as `acp:./program` or `command:./program`.
import type { LoginName } from "../gateway/vendors.ts";
import { locate } from "../host/program/programs.ts";
import { acpAgents } from "./acp-agents.ts";
import { claudeCredentials } from "./claude.ts";
import { codexCredentials } from "./codex.ts";
import { claudeProgram, codexProgram } from "./find-native.ts";
import { storedLogin } from "./stored-login.ts";

export interface KnownAgent {
  /** As `--agent` takes it. */
  readonly word: string;
  readonly title: string;
  readonly command: string;
  readonly install: string;
  /** One of them must be set. */
  readonly credentials: readonly string[];
  /** The version that was tried. */
  readonly tried: string;
}

const native = [
  { ...claudeProgram, credentials: claudeCredentials, tried: "2.1.325" },
  { ...codexProgram, credentials: codexCredentials.toReversed(), tried: "0.166.0" },
].map(({ command, title, credentials, tried, package: name }) => ({
  ...{ word: command, title, command, install: `npm install -g ${name}`, credentials, tried },
}));

const triedOverAcp: Readonly<Record<string, string>> = {
  gemini: "0.61.0",
  opencode: "1.18.33",
  "claude-agent-acp": "0.99.1",
  "codex-acp": "2.6.0",
};

const overAcp = Object.entries(acpAgents).map(([name, { title, command, install, credentials }]) => ({
  ...{ word: `acp:${name}`, title, command: command[0] ?? name, install, credentials },
  tried: triedOverAcp[name] ?? "",
}));

export const knownAgents: readonly KnownAgent[] = [...native, ...overAcp];

/** What a person new to this is told of: one name per maker. */
export const offeredAgents = knownAgents.filter(({ command }) => !command.endsWith("-acp"));

/** `claude:opus` is `claude`, `acp:gemini:flash` is `acp:gemini`. */
export function knownBy(word: string): KnownAgent | undefined {
  const [kind = "", name = ""] = word.split(":");
  const plain = kind === "acp" ? `acp:${name}` : kind;
  return knownAgents.find((each) => each.word === plain);
}

export const isInstalled = ({ command }: KnownAgent) => locate(command, process.env.PATH ?? "") !== undefined;

/** Which logins may be used, as the configuration says it. */
export type LoginChoice = { readonly [Name in LoginName]?: boolean | undefined };

/** Codex's unless a person says no; Claude Code's only where a person says yes: docs/agents.md says why. */
export const mayUse = (name: LoginName, choice: LoginChoice = {}) => choice[name] ?? name === "codex";

/** With what it would ask its model: the name of a variable, or whose login. */
export function keyOf(known: KnownAgent, choice?: LoginChoice): string | undefined {
  const key = known.credentials.find((name) => process.env[name]);
  return key ?? loginOf(known, choice);
}

function loginOf({ word, title }: KnownAgent, choice: LoginChoice | undefined): string | undefined {
  if (word !== "claude" && word !== "codex") return undefined;
  return mayUse(word, choice) && storedLogin(word) ? `the login of ${title} on this machine` : undefined;
}

/** One that is there and not used, for whoever has no key: what would use it. */
function unusedLogin(choice: LoginChoice): string | undefined {
  return !mayUse("claude", choice) && storedLogin("claude")
    ? 'or "logins": { "claude": true } in .heddle/config.json, to use the login of Claude Code on this machine'
    : undefined;
}

/** `choice` for those whose own login could be used. */
export function signIn(
  { credentials: [first = ""] }: Pick<KnownAgent, "credentials">,
  choice?: LoginChoice,
): string {
  const unused = choice && unusedLogin(choice);
  const other = {
    ANTHROPIC_API_KEY: `, or CLAUDE_CODE_OAUTH_TOKEN from \`claude setup-token\`${unused ? `, ${unused}` : ""}`,
    OPENAI_API_KEY: choice ? ", or sign in with Codex itself: codex login" : "",
  }[first];
  return `export ${first}=…${other ?? ""}`;
}

const addresses: Readonly<Record<string, readonly [string, string]>> = {
  claude: ["ANTHROPIC_BASE_URL", "https://api.anthropic.com"],
  codex: ["OPENAI_BASE_URL", "https://api.openai.com/v1"],
  gemini: ["GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"],
};

/** Where it asks its model, as far as that is known. */
export function addressOf({ command }: KnownAgent): string | undefined {
  const [variable, usual] = addresses[command] ?? addresses[command.split("-")[0] ?? ""] ?? [];
  return variable === undefined ? undefined : (process.env[variable] ?? usual);
}

/** Negative when `version` is older than `other`; what is no number does not count. */
export function compareVersions(version: string, other: string): number {
  const parts = (text: string) => text.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [ours, theirs] = [parts(version), parts(other)];
  const at = [0, 1, 2].find((index) => (ours[index] ?? 0) !== (theirs[index] ?? 0));
  return at === undefined ? 0 : (ours[at] ?? 0) - (theirs[at] ?? 0);
}
