// What is known of agents that speak the Agent Client Protocol: data, not code. An agent that is not here works with
// what its person configures.
import { fieldsOf, recordIn } from "../core/json.ts";
import { vendors } from "../gateway/vendors.ts";
import { codexCredentials, codexProvider } from "./codex.ts";

export interface AcpQuirks {
  readonly title: string;
  readonly command: readonly string[];
  readonly vendor?: string;
  /** How it is installed, for a person who has not. */
  readonly install: string;
  /** One of them must be set, unless the person names others. */
  readonly credentials: readonly string[];
  /** Variables that it may have from the person's environment beside its key: an address, no secrets. */
  readonly passes: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  /** Further ones, made from the person's environment. */
  readonly made?: (own: NodeJS.ProcessEnv) => Readonly<Record<string, string>>;
  /** What leads it to the gateway, where an address in a variable is not enough; the addresses are in `own`. */
  readonly gated?: (own: NodeJS.ProcessEnv) => Readonly<Record<string, string>>;
  /** Files that it wants in its home. */
  readonly home: Readonly<Record<string, string>>;
  /** How a model is named on its command line, or by a variable; otherwise it is chosen by the protocol. */
  readonly modelFlag?: string;
  readonly modelVariable?: string;
  /** What of a repository it obeys whatever it is told: it is not started where there is such a thing. */
  readonly obeys?: readonly string[];
  /** What goes with `initialize`, and with `session/new` and `session/load`. */
  readonly clientMeta?: object;
  readonly sessionMeta?: object;
  /** Its tokens are those of the last step alone, so that only its cost can be believed. */
  readonly tokensOfLastStep?: boolean;
}

/** As in `codex.ts`. */
function codexSettings(own: NodeJS.ProcessEnv) {
  const key = codexCredentials.find((name) => own[name]) ?? "OPENAI_API_KEY";
  return {
    model_providers: { heddle: codexProvider(own, key) },
    shell_environment_policy: { exclude: codexCredentials },
    features: { plugins: false, hooks: false, unbounded_connection_retries: false },
    analytics: { enabled: false },
    check_for_update_on_startup: false,
  };
}

/** opencode has the addresses of vendors in its configuration alone, each with the version of the API behind it. */
const openCodeVendors = { anthropic: "/v1", openai: "", gemini: "/v1beta" } as const;
const openCodeNames = { anthropic: "anthropic", openai: "openai", gemini: "google" } as const;

function throughGateway(own: NodeJS.ProcessEnv): string {
  const config = recordIn(own.OPENCODE_CONFIG_CONTENT) ?? {};
  const provider = { ...fieldsOf(config.provider) };
  for (const { name, address, credentials } of vendors) {
    if (!credentials.some((variable) => own[variable])) continue;
    const known = fieldsOf(provider[openCodeNames[name]]);
    const baseURL = `${own[address]}${openCodeVendors[name]}`;
    provider[openCodeNames[name]] = { ...known, options: { ...fieldsOf(known.options), baseURL } };
  }
  return JSON.stringify({ ...config, provider });
}

/** Where opencode's own configuration leads: what it says goes before variables. */
export function openCodeAddresses(own: NodeJS.ProcessEnv): Record<string, string> {
  const provider = fieldsOf(recordIn(own.OPENCODE_CONFIG_CONTENT)?.provider);
  const found = vendors.flatMap(({ name, address }) => {
    const { baseURL } = fieldsOf(fieldsOf(provider[openCodeNames[name]]).options);
    if (typeof baseURL !== "string") return [];
    const version = openCodeVendors[name];
    return [
      [address, baseURL.endsWith(version) ? baseURL.slice(0, baseURL.length - version.length) : baseURL],
    ];
  });
  return Object.fromEntries(found) as Record<string, string>;
}

/** Whether it is led to vendors that no gateway knows. */
export function leadsElsewhere(own: NodeJS.ProcessEnv): boolean {
  const known: readonly string[] = Object.values(openCodeNames);
  return Object.keys(fieldsOf(recordIn(own.OPENCODE_CONFIG_CONTENT)?.provider)).some(
    (name) => !known.includes(name),
  );
}

const claudeVariables = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

export const acpAgents: Readonly<Record<string, AcpQuirks>> = {
  gemini: {
    title: "Gemini CLI",
    command: ["gemini", "--acp"],
    vendor: "google",
    install: "npm install -g @google/gemini-cli",
    credentials: ["GEMINI_API_KEY"],
    passes: ["GOOGLE_GEMINI_BASE_URL"],
    // It starts itself again otherwise, and the outer one is deaf to signals.
    set: { GEMINI_CLI_NO_RELAUNCH: "true", GEMINI_TELEMETRY_ENABLED: "false" },
    home: {
      ".gemini/settings.json": JSON.stringify({
        // It would guess another way to sign in as soon as an address is set.
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: true } },
        // It would ask a dead address for minutes.
        general: { maxAttempts: 3, enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
    // Without a model it asks another one which to take.
    modelFlag: "-m",
  },
  opencode: {
    title: "opencode",
    command: ["opencode", "acp"],
    install: "npm install -g opencode-ai",
    credentials: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENCODE_API_KEY"],
    passes: ["OPENCODE_CONFIG_CONTENT"],
    set: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    },
    gated: (own) => ({ OPENCODE_CONFIG_CONTENT: throughGateway(own) }),
    home: {},
    // Its plugins are loaded a second time, whatever it is told about the first.
    obeys: [".opencode", "opencode.json", "opencode.jsonc"],
    tokensOfLastStep: true,
  },
  "claude-agent-acp": {
    title: "Claude Code over ACP",
    command: ["claude-agent-acp"],
    vendor: "anthropic",
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    credentials: claudeVariables,
    passes: ["ANTHROPIC_BASE_URL", "CLAUDE_CODE_MAX_RETRIES"],
    set: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // Tools of a server would be hidden behind a search.
      ENABLE_TOOL_SEARCH: "false",
    },
    home: {},
    modelVariable: "ANTHROPIC_MODEL",
    sessionMeta: { claudeCode: { options: { settingSources: [] } } },
  },
  "codex-acp": {
    title: "Codex over ACP",
    command: ["codex-acp"],
    vendor: "openai",
    install: "npm install -g @agentclientprotocol/codex-acp",
    credentials: codexCredentials,
    passes: [],
    set: {
      // Its own sandbox is off, because ours is around it, and no model is asked what it may do.
      INITIAL_AGENT_MODE: "agent-full-access",
      MODEL_PROVIDER: "heddle",
      NO_BROWSER: "1",
      // It would ask its model what the person might say next.
      CODEX_ACP_PROMPT_SUGGESTIONS: "false",
    },
    // It declares the workspace trusted.
    obeys: [".codex"],
    made: (own) => ({ CODEX_CONFIG: JSON.stringify(codexSettings(own)) }),
    home: {},
    // An API's error comes as talk and a good end, unless one asks for it.
    clientMeta: { jetbrains: { air: { version: 1, capabilities: ["sessionFailure"] } } },
  },
};
