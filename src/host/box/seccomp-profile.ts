// The system calls that a container's programs may not make, as a profile for podman and docker: the same list as
// bubblewrap's (`program/seccomp.ts`). The engines' own profiles differ between versions, and some allow what reaches past a
// box: the person's keyring, namespaces of one's own.
import { denials } from "../program/seccomp.ts";

interface Condition {
  readonly index: number;
  readonly op: "SCMP_CMP_MASKED_EQ" | "SCMP_CMP_GT";
  readonly value: number;
  readonly valueTwo: number;
}

interface Rule {
  readonly names: readonly string[];
  readonly action: "SCMP_ACT_ERRNO";
  readonly errnoRet: number;
  readonly args?: readonly Condition[];
}

const { errors, families } = denials;
/** Of most arguments the kernel takes the lower half; a comparison of the whole would be a way around. */
const lowerHalf = 0xffffffff;
/** More families than there are in a kernel. */
const mostFamilies = 64;

const bits = (mask: number) =>
  Array.from({ length: 31 }, (_, at) => 2 ** at).filter((bit) => (mask & bit) !== 0);
const hasBit = (index: number, bit: number): Condition => ({
  ...{ index, op: "SCMP_CMP_MASKED_EQ", value: bit, valueTwo: bit },
});
const isWord = (index: number, word: number): Condition => ({
  ...{ index, op: "SCMP_CMP_MASKED_EQ", value: lowerHalf, valueTwo: word },
});
const refused = (name: string, errnoRet: number, args: readonly Condition[]): Rule => ({
  ...{ names: [name], action: "SCMP_ACT_ERRNO", errnoRet, args },
});

/** JSON in the form that both engines read from a file. */
export function callProfile(): string {
  const byRefusal = Object.groupBy(denials.plain(), denials.refusalOf);
  const plain = Object.entries(byRefusal).map(([refusal, names = []]): Rule => {
    const own = names.map((name) => (name === "sysctl" ? "_sysctl" : name));
    return { names: own, action: "SCMP_ACT_ERRNO", errnoRet: errors[refusal as keyof typeof errors] };
  });
  return JSON.stringify({ defaultAction: "SCMP_ACT_ALLOW", syscalls: [...plain, ...judged()] });
}

function judged(): Rule[] {
  const noBit = (name: string, index: number, mask: number) =>
    bits(mask).map((bit) => refused(name, errors.EPERM, [hasBit(index, bit)]));
  const opening = (name: string, flagsAt: number) =>
    bits(denials.creates).flatMap((creating) =>
      bits(denials.setAnyId).map((bit) =>
        refused(name, errors.EPERM, [hasBit(flagsAt, creating), hasBit(flagsAt + 1, bit)]),
      ),
    );
  const strange = Array.from({ length: mostFamilies }, (_, family) => family).filter(
    (family) => !families.includes(family),
  );
  return [
    ...[...opening("open", 1), ...opening("openat", 2)],
    ...[noBit("creat", 1, denials.setAnyId), noBit("mknod", 1, denials.setAnyId)].flat(),
    ...[noBit("mknodat", 2, denials.setAnyId), noBit("chmod", 1, denials.setUserId)].flat(),
    ...[noBit("fchmod", 1, denials.setUserId), noBit("fchmodat", 2, denials.setUserId)].flat(),
    ...noBit("fchmodat2", 2, denials.setUserId),
    ...[noBit("clone", 0, denials.newNamespaces), noBit("unshare", 0, denials.newNamespaces)].flat(),
    ...["socket", "socketpair"].flatMap((name) =>
      strange.map((family) => refused(name, errors.EAFNOSUPPORT, [isWord(0, family)])),
    ),
    ...Object.values(denials.tty).map((asked) => refused("ioctl", errors.EPERM, [isWord(1, asked)])),
    refused("shmget", errors.EINVAL, [
      { index: 1, op: "SCMP_CMP_GT", value: denials.mostSharedBytes, valueTwo: 0 },
    ]),
  ];
}
