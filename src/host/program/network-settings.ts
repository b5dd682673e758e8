// What a program needs to reach the network from this machine: the certificates that the person's company put in, and its
// proxy. It is given to programs that have the network, and to no others; a proxy whose address holds a password only
// where the person names the variable. Behind heddle's gateway the certificates alone: the proxy is asked by heddle.
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Environment } from "./environment.ts";
import { isWithin } from "./mounts.ts";

const certificates = [
  ...[
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
  ],
  ...["GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE", "NIX_SSL_CERT_FILE", "BUNDLE_SSL_CA_CERT"],
];
const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

export interface NetworkSettings {
  readonly set: Environment;
  /** What the box must show for them. */
  readonly readable: readonly string[];
}

export function networkSettings(own: NodeJS.ProcessEnv, network: boolean | "by-gateway"): NetworkSettings {
  if (!network) return { set: {}, readable: [] };
  const trusted = certificates.filter((name) => isThere(own[name]));
  const reached =
    network === "by-gateway"
      ? []
      : proxies.filter((name) => own[name] !== undefined && !/\/\/[^/]*@/.test(own[name]));
  const set = Object.fromEntries([...trusted, ...reached].map((name) => [name, own[name] ?? ""]));
  const files = new Set(trusted.map((name) => own[name] ?? ""));
  return { set, readable: [...files].filter((file) => !isShown(file)) };
}

/** In every box already. */
const isShown = (file: string) =>
  ["/usr", "/etc/ssl/certs", "/etc/pki/ca-trust", "/etc/pki/tls/certs"].some((folder) =>
    isWithin(folder, file),
  );

function isThere(path: string | undefined): boolean {
  return path !== undefined && isAbsolute(path) && statSync(path, { throwIfNoEntry: false }) !== undefined;
}
