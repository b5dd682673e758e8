// What a box may reach beside its model, as a person writes it. No I/O, and nothing to load: every command reads the configuration.

/** Everything, nothing, or these hosts: `packages.example.org`, `*.docs.example.org`, `example.org:8443`. */
export type Reach = boolean | readonly string[];

/** What programs print that found no way to a host. */
export const unreached =
  /ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|name resolution|resolve host|network is unreachable|no such host|failed to lookup|could not connect/i;

/** What both allow. A list and another one: the hosts that stand in both. */
export function narrower(one: Reach, other: Reach): Reach {
  if (one === true) return other;
  if (other === true) return one;
  if (one === false || other === false) return false;
  return one.filter((host) => other.includes(host));
}

export const isSame = (one: Reach, other: Reach) => JSON.stringify(one) === JSON.stringify(other);

/** A host as a person writes it. What it resolves to is looked at when it is asked for. */
export const hostPattern =
  /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*(?::\d{1,5})?$/i;
