// Which system calls a program in the box may not make, as a program for the kernel (classic BPF). Denied is what reaches
// past the box's namespaces (the person's keyring, other machines' sockets), what only an administrator needs, and the parts
// of the kernel whose bugs let programs out of boxes before. A program that asks first (`ENOSYS`) finds another way.
// The numbers are the kernel's own and never change.

const errors = { EPERM: 1, EINVAL: 22, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
type Refusal = keyof typeof errors;

/** The calls that Linux has on every machine under the same number, since 5.0. */
const later: Readonly<Record<string, number>> = {
  ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, open_tree: 428, move_mount: 429 },
  ...{ fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433, clone3: 435, openat2: 437, mount_setattr: 442 },
  ...{ quotactl_fd: 443, memfd_secret: 447, fchmodat2: 452, open_tree_attr: 467 },
};

const x64: Readonly<Record<string, number>> = {
  ...later,
  ...{ open: 2, ioctl: 16, shmget: 29, socket: 41, socketpair: 53, clone: 56, creat: 85, chmod: 90 },
  ...{ fchmod: 91, syslog: 103, mknod: 133, uselib: 134, openat: 257, mknodat: 259, fchmodat: 268 },
  ...{ vhangup: 153, modify_ldt: 154, pivot_root: 155, sysctl: 156, adjtimex: 159, acct: 163 },
  ...{ settimeofday: 164, mount: 165, umount2: 166, swapon: 167, swapoff: 168, reboot: 169 },
  ...{ sethostname: 170, setdomainname: 171, iopl: 172, ioperm: 173, init_module: 175, delete_module: 176 },
  ...{ quotactl: 179, nfsservctl: 180, lookup_dcookie: 212, clock_settime: 227, kexec_load: 246 },
  ...{ add_key: 248, request_key: 249, keyctl: 250, unshare: 272, perf_event_open: 298 },
  ...{ fanotify_init: 300, open_by_handle_at: 304, clock_adjtime: 305, setns: 308, finit_module: 313 },
  ...{ kexec_file_load: 320, bpf: 321, userfaultfd: 323 },
};

/** What newer machines share. */
const generic: Readonly<Record<string, number>> = {
  ...later,
  ...{ lookup_dcookie: 18, ioctl: 29, mknodat: 33, umount2: 39, mount: 40, pivot_root: 41, nfsservctl: 42 },
  ...{ fchmod: 52, fchmodat: 53, openat: 56, vhangup: 58 },
  ...{ quotactl: 60, acct: 89, unshare: 97, kexec_load: 104, init_module: 105, delete_module: 106 },
  ...{ clock_settime: 112, syslog: 116, reboot: 142, sethostname: 161, setdomainname: 162 },
  ...{ settimeofday: 170, adjtimex: 171, shmget: 194, socket: 198, socketpair: 199, add_key: 217 },
  ...{ request_key: 218, keyctl: 219, clone: 220, swapon: 224, swapoff: 225, perf_event_open: 241 },
  ...{ fanotify_init: 262, open_by_handle_at: 265, clock_adjtime: 266, setns: 268, finit_module: 273 },
  ...{ bpf: 280, userfaultfd: 282, kexec_file_load: 294 },
};

interface Machine {
  /** What the kernel calls it: calls of another one, 32-bit programs among them, end the program. */
  readonly arch: number;
  readonly calls: Readonly<Record<string, number>>;
}

const machines: Readonly<Record<string, Machine>> = {
  x64: { arch: 0xc000003e, calls: x64 },
  arm64: { arch: 0xc00000b7, calls: generic },
  riscv64: { arch: 0xc00000f3, calls: generic },
  loong64: { arch: 0xc0000102, calls: generic },
};

/** Asked for before something else is tried: libuv without io_uring, glibc and Rust without clone3. */
const unknown = [
  ...["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "memfd_secret"],
  // Its mode lies in memory, where no filter can look.
  "openat2",
];
/** They have a rule of their own. */
const judged = [
  ...["ioctl", "shmget", "socket", "socketpair", "clone", "unshare", "open", "openat", "creat"],
  ...["chmod", "fchmod", "fchmodat", "fchmodat2", "mknod", "mknodat"],
];

/** Namespaces of all kinds: in one of its own a program is an administrator again. */
const newNamespaces = 0x7e020080;
const tty = { pushesInput: 0x5412, controlsConsole: 0x541c };
/** Unix, IPv4, IPv6, netlink. Others are not kept apart by a network namespace, vsock among them, or read keys (AF_ALG). */
const families = [0, 1, 2, 10, 16];
/** Segments that no process holds count in no process's memory limit; databases need a small one. */
const mostSharedBytes = 1024 * 1024;
const x32Bit = 0x40000000;
/** A file with it runs as the person who owns it, whoever starts it. Folders may have the group's bit. */
const setUserId = 0o4000;
const setAnyId = 0o6000;
/** Without these the mode of an open is whatever the register held. */
const creates = 0o100 | 0o20000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, k: number];

const [load, jumpIfEqual, jumpIfGreater, jumpIfAtLeast, jumpIfSet, answer] = [
  0x20, 0x15, 0x25, 0x35, 0x45, 0x06,
];
const allowed = 0x7fff0000;
const ended = 0x80000000;
const refused = (why: Refusal) => 0x00050000 | errors[why];
const numberAt = 0;
const archAt = 4;
const argumentAt = (n: number) => 16 + 8 * n;

/** What is denied, for those who put it into other words (`host/box/seccomp-profile.ts`). */
export const denials = {
  errors,
  /** By name; the kernel's numbers are those of `callFilter`. */
  plain: () => Object.keys(x64).filter((name) => !judged.includes(name)),
  refusalOf: (name: string): Refusal => (unknown.includes(name) ? "ENOSYS" : "EPERM"),
  ...{ newNamespaces, tty, families, mostSharedBytes, setUserId, setAnyId, creates },
} as const;

/** For this machine's processor, or nothing where its calls are not known here. */
export function callFilter(processor: string = process.arch): Buffer | undefined {
  const machine = machines[processor];
  if (!machine) return undefined;
  const { arch, calls } = machine;
  const plain = Object.keys(calls).filter((name) => !judged.includes(name));
  return encoded([
    [load, 0, 0, archAt],
    ...unless([jumpIfEqual, arch], ended),
    [load, 0, 0, numberAt],
    ...(processor === "x64" ? when([jumpIfAtLeast, x32Bit], refused("ENOSYS")) : []),
    ...plain.flatMap((name) =>
      when([jumpIfEqual, calls[name] as number], refused(unknown.includes(name) ? "ENOSYS" : "EPERM")),
    ),
    ...rules(calls),
    [answer, 0, 0, allowed],
  ]);
}

/** Only the lower half of an argument is looked at where the kernel, too, takes no more of it. */
function rules(calls: Machine["calls"]): Instruction[] {
  const rule = (name: string, body: readonly Instruction[]): Instruction[] => {
    const whole = [...body, [answer, 0, 0, allowed] as const];
    const number = calls[name];
    return number === undefined ? [] : [[jumpIfEqual, 0, whole.length, number], ...whole];
  };
  const noBit = (name: string, at: number, bits: number): Instruction[] =>
    rule(name, [[load, 0, 0, argumentAt(at)], ...when([jumpIfSet, bits], refused("EPERM"))]);
  const opening = (name: string, flagsAt: number): Instruction[] =>
    rule(name, [
      [load, 0, 0, argumentAt(flagsAt)],
      ...unless([jumpIfSet, creates], allowed),
      [load, 0, 0, argumentAt(flagsAt + 1)],
      ...when([jumpIfSet, setAnyId], refused("EPERM")),
    ]);
  const noNamespace = [
    [load, 0, 0, argumentAt(0)] as const,
    ...when([jumpIfSet, newNamespaces], refused("EPERM")),
  ];
  const knownFamily = [
    [load, 0, 0, argumentAt(0)] as const,
    ...families.flatMap((family) => when([jumpIfEqual, family], allowed)),
    [answer, 0, 0, refused("EAFNOSUPPORT")] as const,
  ];
  return [
    ...opening("open", 1),
    ...opening("openat", 2),
    ...noBit("creat", 1, setAnyId),
    ...noBit("mknod", 1, setAnyId),
    ...noBit("mknodat", 2, setAnyId),
    ...noBit("chmod", 1, setUserId),
    ...noBit("fchmod", 1, setUserId),
    ...noBit("fchmodat", 2, setUserId),
    ...noBit("fchmodat2", 2, setUserId),
    ...rule("clone", noNamespace),
    ...rule("unshare", noNamespace),
    ...rule("socket", knownFamily),
    ...rule("socketpair", knownFamily),
    ...rule("ioctl", [
      [load, 0, 0, argumentAt(1)],
      ...when([jumpIfEqual, tty.pushesInput], refused("EPERM")),
      ...when([jumpIfEqual, tty.controlsConsole], refused("EPERM")),
    ]),
    ...rule("shmget", [
      [load, 0, 0, argumentAt(1) + 4],
      ...unless([jumpIfEqual, 0], refused("EINVAL")),
      [load, 0, 0, argumentAt(1)],
      ...when([jumpIfGreater, mostSharedBytes], refused("EINVAL")),
    ]),
  ];
}

type Test = readonly [jump: number, k: number];

const when = ([jump, k]: Test, reply: number): Instruction[] => [
  [jump, 0, 1, k],
  [answer, 0, 0, reply],
];

const unless = ([jump, k]: Test, reply: number): Instruction[] => [
  [jump, 1, 0, k],
  [answer, 0, 0, reply],
];

function encoded(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, ifTrue, ifFalse, k]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, at * 8 + 4);
  }
  return bytes;
}
