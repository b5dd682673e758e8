// Who may speak to the page's server: whoever had a link. A link's token is good once and for a while; it is exchanged for a
// cookie, and a key that no other port is sent. All of it lives in memory alone.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const tokenBytes = 32;

/** How long a link that nobody used is good. */
const linkMs = 30 * 60_000;

/** No person has more at once; the oldest goes. */
const mostSessions = 64;

interface Session {
  readonly cookie: Buffer;
  readonly key: Buffer;
}

export interface Credentials {
  readonly cookie: string;
  readonly key: string;
}

const secret = () => randomBytes(tokenBytes).toString("base64url");

/** Of equal length whatever was sent, so that comparing tells nothing. */
const digest = (text: string) => createHash("sha256").update(text).digest();

export class Sessions {
  readonly #links: { readonly token: Buffer; readonly untilMs: number }[] = [];
  readonly #sessions: Session[] = [];

  /** The token of a new link. */
  link(): string {
    const token = secret();
    this.#links.push({ token: digest(token), untilMs: performance.now() + linkMs });
    if (this.#links.length > mostSessions) this.#links.shift();
    return token;
  }

  /** Uses a link up. */
  begin(token: string): Credentials | undefined {
    const given = digest(token);
    const at = this.#links.findIndex((link) => timingSafeEqual(link.token, given));
    const [link] = at < 0 ? [] : this.#links.splice(at, 1);
    if (!link || link.untilMs < performance.now()) return undefined;
    const [cookie, key] = [secret(), secret()];
    this.#sessions.push({ cookie: digest(cookie), key: digest(key) });
    if (this.#sessions.length > mostSessions) this.#sessions.shift();
    return { cookie, key };
  }

  isOpen({ cookie, key }: Credentials): boolean {
    const [ofCookie, ofKey] = [digest(cookie), digest(key)];
    const found = this.#sessions.filter((each) => timingSafeEqual(each.cookie, ofCookie));
    return found.some((each) => timingSafeEqual(each.key, ofKey));
  }
}
