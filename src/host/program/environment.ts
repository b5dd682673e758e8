// The environment that programs get: an allow-list, never a copy of heddle's own. What a person names is passed
// on; what is only matched by a pattern is passed on unless its name says that it holds a secret or steers
// another program.

import { trustedPath } from "./programs.ts";

export type Environment = Readonly<Record<string, string>>;

export interface Wishes {
  /** A folder of the program's own; never the person's. */
  readonly home: string;
  readonly tmp: string;
  /** Names to pass on: exact ones whatever they are called, `MY_*` only where nothing sensitive matches. */
  readonly names?: readonly string[];
  /** Values that heddle sets itself; they win. */
  readonly set?: Environment;
}

const always = ["PATH", "LANG", "LC_*", "TERM", "TZ"];
const secretName = /(TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?(_|$)/i;
const whereabouts = /_(FILE|PATH|DIR)$/i;
const steering = /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GIT_.*|NODE_OPTIONS|LD_.*|DYLD_.*|npm_config_.*)$/i;

/** Contract: holds nothing but what `wishes` names, HOME, TMPDIR and the few variables every program needs. */
export function environmentFor(own: NodeJS.ProcessEnv, wishes: Wishes): Environment {
  const given: Record<string, string> = {};
  for (const wish of [...always, ...(wishes.names ?? [])])
    for (const name of matching(wish, own)) {
      const value = own[name];
      if (value !== undefined) given[name] = name === "PATH" ? trustedPath(value) : value;
    }
  return { ...given, ...wishes.set, HOME: wishes.home, TMPDIR: wishes.tmp };
}

function matching(wish: string, own: NodeJS.ProcessEnv): string[] {
  if (!wish.endsWith("*")) return [wish];
  return Object.keys(own).filter((name) => name.startsWith(wish.slice(0, -1)) && !isSensitive(name));
}

export function isSensitive(name: string): boolean {
  return secretName.test(name) || steering.test(name);
}

/** Values that must never be stored, for `redactor`. Where a secret lies is no secret. */
export function secretValues(environment: NodeJS.ProcessEnv | Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    secretName.test(name) && !whereabouts.test(name) && value !== undefined ? [value] : [],
  );
}
