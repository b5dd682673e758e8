// The names of heddle's containers: each says which process it belongs to, so that whoever comes after a kill knows whether
// it is still needed. Another machine's, or another boot's on a shared store, has another name.
import { textDigest } from "../digest.ts";
import { isAlive, thisProcess } from "../program/process.ts";

const machineOf = ({ bootId, host }: { readonly bootId: string; readonly host: string }) =>
  textDigest(`${bootId} ${host}`).slice(0, 12);

export function newName(): string {
  const { pid, startTime, ...machine } = thisProcess();
  return `heddle-${pid}-${startTime || "0"}-${machineOf(machine)}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Those of `names` that belong to a process of this machine which is gone. */
export function abandoned(names: readonly string[]): string[] {
  const own = thisProcess();
  return names.filter((name) => {
    const [, pid, startTime, machine] = /^heddle-(\d+)-(\d+)-([0-9a-f]{12})-[0-9a-f]{8}$/.exec(name) ?? [];
    if (pid === undefined || startTime === undefined || machine !== machineOf(own)) return false;
    return !isAlive({ ...own, pid: Number(pid), startTime });
  });
}
