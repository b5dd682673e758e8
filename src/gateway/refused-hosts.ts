// What a person is told of the hosts that a box wanted and did not get: each once, with the line that would open it.
import { isIP } from "node:net";

/** As it stands in `.heddle/config.json`, with one host more. */
export type LineFor = (host: string) => string;

/** `agents`, `setup` or `checks`, and what is open there already. */
export const networkLine =
  (setting: string, open: readonly string[]): LineFor =>
  (host) =>
    `"network": { ${JSON.stringify(setting)}: ${JSON.stringify([...open, host])} }`;

export interface RefusedHost {
  readonly host: string;
  /** An address cannot be opened at all, and a name that leads to one of this machine's network neither. */
  readonly why: "not-allowed" | "address" | "not-public";
  readonly sentence: string;
}

const mostHosts = 100;

export class RefusedHosts {
  readonly #known = new Set<string>();
  readonly #line: LineFor;
  readonly #say: (refused: RefusedHost) => void;

  constructor(line: LineFor, say: (refused: RefusedHost) => void) {
    this.#line = line;
    this.#say = say;
  }

  /** A host without a name is an address that no tunnel leads to. */
  readonly add = (host: string | undefined, isPublic: boolean): void => {
    const named = host ?? "an address";
    if (this.#known.has(named) || this.#known.size >= mostHosts) return;
    this.#known.add(named);
    const isAddress = host === undefined || isIP(host.split(":")[0] ?? "") !== 0;
    const why = isAddress ? "address" : isPublic ? "not-allowed" : "not-public";
    this.#say({ host: named, why, sentence: `(${this.#sentence(named, why)})` });
  };

  #sentence(host: string, why: RefusedHost["why"]): string {
    if (why === "not-public") return `${host} leads to an address that is not public: it stays closed`;
    if (why === "address") return `the network is closed to ${host}: only names can be opened, not addresses`;
    return `the network is closed to ${host}: ${this.#line(host)} in .heddle/config.json opens it`;
  }
}
