// How agents that speak the Agent Client Protocol are told that they may follow the repository's own settings, hooks and
// servers, once a person approved them: data, beside what is known of them otherwise (`acp-agents.ts`).
import type { AcpQuirks } from "./acp-agents.ts";
import type { Agent } from "./agent.ts";
import type { Steered } from "./steering.ts";

interface AcpTrust {
  readonly steeredBy: Steered;
  readonly needsTrust?: boolean;
  readonly following: (quirks: AcpQuirks, cwd: string) => Partial<AcpQuirks>;
}

/** By the program's name. */
const trusts: Readonly<Record<string, AcpTrust>> = {
  gemini: {
    steeredBy: "gemini",
    needsTrust: true,
    following: ({ set }) => ({ set: { ...set, GEMINI_CLI_TRUST_WORKSPACE: "true" } }),
  },
  opencode: {
    steeredBy: "opencode",
    following: ({ set: { OPENCODE_DISABLE_PROJECT_CONFIG: _, ...set } }) => ({ set }),
  },
  "claude-agent-acp": {
    steeredBy: "claude",
    following: () => ({ sessionMeta: { claudeCode: { options: { settingSources: ["project"] } } } }),
  },
  "codex-acp": {
    steeredBy: "codex",
    following: ({ home }, cwd) => {
      const trusted = `[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`;
      return { home: { ...home, ".codex/config.toml": `${home[".codex/config.toml"] ?? ""}${trusted}` } };
    },
  },
};

const trustOf = (quirks: AcpQuirks | undefined) => trusts[quirks?.command[0] ?? ""];

export function steeringOf(quirks: AcpQuirks | undefined): Pick<Agent, "steeredBy" | "needsTrust"> {
  const { steeredBy, needsTrust = false } = trustOf(quirks) ?? {};
  return steeredBy === undefined ? {} : { steeredBy, needsTrust };
}

export function followingSettings(quirks: AcpQuirks | undefined, cwd: string): AcpQuirks | undefined {
  return quirks && { ...quirks, ...trustOf(quirks)?.following(quirks, cwd) };
}
