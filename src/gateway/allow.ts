// Which hosts a box may reach by name, and which addresses no name may lead to: the machine itself, its neighbours, and the
// services of a cloud that answer whoever is inside. No I/O.
import { BlockList, isIP } from "node:net";
import { hostPattern } from "./reach.ts";

const usualPorts = [443, 80];

/** Names only: an address has no name that a person could have meant. */
export function allows(hosts: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  if (isIP(name) !== 0 || !hostPattern.test(name) || name.startsWith("*")) return false;
  return hosts.some((each) => {
    const [pattern = "", only] = each.toLowerCase().split(":");
    if (only === undefined ? !usualPorts.includes(port) : Number(only) !== port) return false;
    return pattern.startsWith("*.")
      ? name.endsWith(pattern.slice(1)) && name !== pattern.slice(2)
      : name === pattern;
  });
}

/** `example.org:443`, of a CONNECT. */
export function targetOf(authority: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = "", port = ""] = /^([^\s/:@[\]]{1,253}):(\d{1,5})$/.exec(authority) ?? [];
  return host === "" || Number(port) < 1 || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

const closed = new BlockList();
for (const [network, bits] of [
  ...([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ] as const),
  ...([
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.88.99.0", 24],
    ["192.168.0.0", 16],
  ] as const),
  ...([
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
  ] as const),
] as const)
  closed.addSubnet(network, bits, "ipv4");
const open = new BlockList();
// Of IPv6 only what is given out to the world, without the ranges in it that hold an IPv4 address or are for examples.
open.addSubnet("2000::", 3, "ipv6");
for (const [network, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  closed.addSubnet(network, bits, "ipv6");

const never = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
  ["224.0.0.0", 3],
] as const)
  never.addSubnet(network, bits, "ipv4");
const near = new BlockList();
near.addSubnet("2000::", 3, "ipv6");
near.addSubnet("fc00::", 7, "ipv6");
never.addAddress("fd00:ec2::254", "ipv6");

/** Whether a mirror of the machine's own network may stand there: not the machine itself, and no service of its cloud. */
export function mayBeMirror(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !never.check(address, "ipv4");
  return family === 6 && near.check(address, "ipv6") && !never.check(address, "ipv6");
}

/** Whether an address is somewhere in the world, not on this machine, in its network or in its cloud. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  return family === 6 && open.check(address, "ipv6") && !closed.check(address, "ipv6");
}
