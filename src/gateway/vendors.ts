// The vendors of models that heddle knows: by which variables a person gives their keys and addresses, and which of their
// requests ask a model. An agent's token is good for these and for nothing else that the key could do. Data, no I/O.

type KeyVendorName = "anthropic" | "openai" | "gemini";
export type VendorName = KeyVendorName | "chatgpt";

export interface Vendor<Name extends VendorName = VendorName> {
  readonly name: Name;
  /** Variables that hold a key; what a person has set decides which. */
  readonly credentials: readonly string[];
  /** The variable with the address, and the address where it is not set. */
  readonly address: string;
  readonly usual: string;
  /** The variable with the real address, where that is another one. */
  readonly reachedAt?: string;
  /** Behind the address: requests that a model is paid for, and those that cost nothing. */
  readonly paid: RegExp;
  readonly free: RegExp;
}

export const vendors: readonly Vendor<KeyVendorName>[] = [
  {
    name: "anthropic",
    credentials: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    address: "ANTHROPIC_BASE_URL",
    usual: "https://api.anthropic.com",
    paid: /^POST \/v1\/(?:messages|complete)$/,
    free: /^(?:POST \/v1\/messages\/count_tokens|(?:GET|HEAD) \/v1\/models(?:\/[\w.:-]+)?)$/,
  },
  {
    name: "openai",
    credentials: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
    usual: "https://api.openai.com/v1",
    paid: /^POST \/(?:responses(?:\/compact)?|chat\/completions|completions|embeddings)$/,
    free: /^(?:GET|HEAD) \/models(?:\/[\w.:-]+)?$/,
  },
  {
    name: "gemini",
    credentials: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    address: "GOOGLE_GEMINI_BASE_URL",
    usual: "https://generativelanguage.googleapis.com",
    paid: /^POST \/v1\w*\/models\/[\w.-]+:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents)$/,
    free: /^(?:POST \/v1\w*\/models\/[\w.-]+:countTokens|(?:GET|HEAD) \/v1\w*\/models(?:\/[\w.-]+)?)$/,
  },
];

/** Behind a ChatGPT login: the API of Codex, which a key cannot be used for. */
const chatgpt: Vendor<"chatgpt"> = {
  name: "chatgpt",
  credentials: [],
  address: "OPENAI_BASE_URL",
  reachedAt: "CHATGPT_BASE_URL",
  usual: "https://chatgpt.com/backend-api/codex",
  paid: /^POST \/responses(?:\/compact)?$/,
  free: /^(?:GET|HEAD) \/models(?:\/[\w.:-]+)?$/,
};

const all: readonly Vendor[] = [...vendors, chatgpt];

function vendorOf(name: VendorName): Vendor {
  const found = all.find((each) => each.name === name);
  if (!found) throw new Error(`bug: \`${name}\` is not a vendor`);
  return found;
}

export const isCredential = (variable: string) =>
  vendors.some(({ credentials }) => credentials.includes(variable));

export type LoginName = "claude" | "codex";

/** A login that a vendor's own program keeps on the machine where the agent works. */
export interface LoginRoute {
  readonly name: LoginName;
  /** The program itself, which alone renews it. */
  readonly program: string;
}

/** One key that an agent may use, by the name of its variable: the key itself stays in the environment of the host. */
export interface Route {
  readonly vendor: VendorName;
  readonly variable: string;
  /** Set where there is no such key, and a login takes its place. */
  readonly login?: LoginRoute;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The keys among these variables that are set. */
export function routesAmong(variables: readonly string[], own: Variables): Route[] {
  return vendors.flatMap(({ name, credentials }) =>
    credentials
      .filter((variable) => variables.includes(variable) && own[variable])
      .map((variable) => ({ vendor: name, variable })),
  );
}

/** Where a vendor's requests really go. */
export function upstreamOf({ address, usual, reachedAt = address }: Vendor, own: Variables): string {
  let found = own[reachedAt] || usual;
  while (found.endsWith("/")) found = found.slice(0, -1);
  return found;
}

/**
 * The person's variables as a program behind the gateway sees them: each of its keys is a token, the address of each vendor is
 * the gateway, and no other key of a known vendor is there at all.
 */
export function variablesBehind(gateway: string, tokens: ReadonlyMap<string, Route>): Record<string, string> {
  const nothing = vendors.flatMap(({ credentials }) => credentials.map((name) => [name, ""] as const));
  const given = [...tokens].map(([token, { variable }]) => [variable, token] as const);
  const used = new Set([...tokens.values()].map(({ vendor }) => vendor));
  const addresses = [...used].map((name) => [vendorOf(name).address, `${gateway}/${name}`] as const);
  return Object.fromEntries([...nothing, ...given, ...addresses]);
}

/** What is asked of whom: `/openai/responses?x=1` is `/responses?x=1` of OpenAI. */
export function askedOf(
  url: string,
): { readonly vendor: Vendor; readonly path: string; readonly query: string } | undefined {
  const [, name = "", path = "", query = ""] = /^\/([a-z]+)(\/[^?#]*)(\?[^#]*)?$/.exec(url) ?? [];
  const vendor = all.find((each) => each.name === name);
  // What a vendor's server would take for another path than the one that was looked at.
  const isPlain = !/%2f|%5c|%2e|\\|\/\.{1,2}(?:\/|$)|\/\//i.test(path);
  return vendor && isPlain ? { vendor, path, query } : undefined;
}

export function isAllowed(vendor: Vendor, method: string, path: string): "paid" | "free" | undefined {
  const asked = `${method} ${path}`;
  if (vendor.paid.test(asked)) return "paid";
  return vendor.free.test(asked) ? "free" : undefined;
}
