// Which port an attempt is given for the servers that it starts.
import { checksum } from "../journal/checksum.ts";

const [firstPort, ports] = [20_000, 10_000];
const given = new Map<string, number>();

/** A port that no other attempt of this process was given: where the network is shared, servers must not collide. */
export function portFor(mark: string): number {
  const known = given.get(mark);
  if (known !== undefined) return known;
  const taken = new Set(given.values());
  let port = firstPort + (checksum(mark) % ports);
  while (taken.has(port)) port = firstPort + ((port + 1 - firstPort) % ports);
  given.set(mark, port);
  return port;
}
