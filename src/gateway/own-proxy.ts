// The person's own proxy, as their variables name it: what leaves a box by the gateway goes through it, as every other program
// on this machine does. Its password stays here. No I/O.

export interface OwnProxy {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** What it wants to see, where its address holds a name and a password. */
  readonly authorization?: string;
}

interface Target {
  readonly host: string;
  readonly port: number;
  /** Whether it is asked without encryption. */
  readonly isPlain?: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Nothing, where the target is reached directly; a proxy that is not spoken to by HTTP is not known here. */
export function proxyFor(target: Target, own: Variables): OwnProxy | undefined {
  const of = (name: string) => own[name.toLowerCase()] || own[name] || undefined;
  const first = target.isPlain ? "HTTP_PROXY" : "HTTPS_PROXY";
  const address = of(first) ?? of("ALL_PROXY");
  if (address === undefined || isAround(of("NO_PROXY") ?? "", target)) return undefined;
  return proxyAt(address);
}

function proxyAt(address: string): OwnProxy | undefined {
  const url = URL.parse(address.includes("://") ? address : `http://${address}`);
  if (!url || !["http:", "https:"].includes(url.protocol)) return undefined;
  const isSecure = url.protocol === "https:";
  const who = `${decoded(url.username)}:${decoded(url.password)}`;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isSecure ? 443 : 80),
    isSecure,
    ...(who !== ":" && { authorization: `Basic ${Buffer.from(who).toString("base64")}` }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `example.org` and `.example.org` are the host and everything below it, as in curl. */
function isAround(list: string, { host, port }: Target): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((each) => each !== "")
    .some((each) => {
      const [, pattern = "", only] = /^(.*?)(?::(\d+))?$/.exec(each) ?? [];
      if (only !== undefined && Number(only) !== port) return false;
      const bare = pattern.replace(/^\*?\./, "");
      return pattern === "*" || name === bare || name.endsWith(`.${bare}`);
    });
}
