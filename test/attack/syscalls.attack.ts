// Which system calls a box lets through: real ones, made by Python's ctypes in a real box.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callFilter } from "../../src/host/program/seccomp.ts";
import { noBox, run, sh, spec, workspace } from "../host/programs.ts";

const hasPython = existsSync("/usr/bin/python3");
const python = (script: string): readonly [string, ...string[]] => ["/usr/bin/python3", "-c", script];

const numbers: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  x64: {
    ...{ add_key: 248, request_key: 249, keyctl: 250, bpf: 321, perf_event_open: 298, userfaultfd: 323 },
    ...{ mount: 165, umount2: 166, pivot_root: 155, open_by_handle_at: 304, setns: 308, syslog: 103 },
    ...{
      kexec_load: 246,
      init_module: 175,
      finit_module: 313,
      reboot: 169,
      unshare: 272,
      fanotify_init: 300,
    },
  },
  arm64: {
    ...{ add_key: 217, request_key: 218, keyctl: 219, bpf: 280, perf_event_open: 241, userfaultfd: 282 },
    ...{ mount: 40, umount2: 39, pivot_root: 41, open_by_handle_at: 265, setns: 268, syslog: 116 },
    ...{ kexec_load: 104, init_module: 105, finit_module: 273, reboot: 142, unshare: 97, fanotify_init: 262 },
  },
};
/** An ELF file for i386, without a compiler: makes the file by `creat`, then ends with 7. */
function i386Program(makes: string): Buffer {
  const [base, header] = [0x8048000, 84];
  const word = (value: number) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);
  const code = (text: number) => [
    // mov eax, 8 (creat); mov ebx, the name; mov ecx, the mode; int 0x80
    ...[0xb8, ...word(8), 0xbb, ...word(text), 0xb9, ...word(0o600), 0xcd, 0x80],
    // mov eax, 1 (exit); mov ebx, 7; int 0x80
    ...[0xb8, ...word(1), 0xbb, ...word(7), 0xcd, 0x80],
  ];
  const size = header + code(0).length;
  const text = Buffer.from(`${makes}\0`);
  const all = word(size + text.length);
  const identity = [0x7f, 0x45, 0x4c, 0x46, 1, 1, 1, ...Array(9).fill(0)];
  const start = word(base + header);
  const elf = [...identity, 2, 0, 3, 0, ...word(1), ...start, ...word(52), ...word(0), ...word(0)];
  const sizes = [52, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0];
  const segment = [...word(1), ...word(0), ...word(base), ...word(base), ...all, ...all, ...word(5)];
  const head = [...elf, ...sizes, ...segment, ...word(0x1000)];
  return Buffer.concat([Buffer.from([...head, ...code(base + size)]), text]);
}
const [program32, made32] = [join(workspace, "i386"), join(workspace, "made-by-i386")];
writeFileSync(program32, i386Program(made32), { mode: 0o755 });
/** Some kernels have no 32-bit calls at all. */
const runs32 = spawnSync(program32).status === 7 && existsSync(made32);
const own = numbers[process.arch];
const EPERM = 1;
const ENOSYS = 38;

const libc = `
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(*[ctypes.c_long(a) for a in args]) == -1 else 0
`;

describe.skipIf(noBox || !hasPython || !own)("G9 system calls in the box", () => {
  const tried = async (script: string) => {
    const story = await run(spec(python(`${libc}\n${script}`), "boxed"));
    return { ...story, said: story.out.trim() };
  };

  it.for(Object.keys(own ?? {}))("G9 `%s` is denied", async (name) => {
    const first = name === "unshare" ? 0x10000000 : name === "keyctl" ? 0 : 1;
    const { said } = await tried(`print(call(${own?.[name]}, ${first}, -3, 0, 0, 0))`);
    expect(said).toBe(`${EPERM}`);
  });

  it.for([
    ["io_uring_setup", 425],
    ["io_uring_enter", 426],
    ["io_uring_register", 427],
    ["clone3", 435],
    ["memfd_secret", 447],
  ] as const)("G9 `%s` is not known, so that programs find another way", async ([, number]) => {
    expect((await tried(`print(call(${number}, 1, 0, 0))`)).said).toBe(`${ENOSYS}`);
  });

  it("G9 the new calls for mounting, namespaces of every kind and sockets of other families are denied", async () => {
    const { said } = await tried(`
mounts = [call(n, -100, 0, 0, 0, 0) for n in (428, 429, 430, 431, 432, 433, 442, 467)]
spaces = [call(${own?.unshare}, flag) for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x20000000, 0x40000000)]
clones = [call(${process.arch === "x64" ? 56 : 220}, flag | 17, 0, 0, 0, 0) for flag in (0x10000000, 0x20000, 0x40000000)]
sockets = [call(${process.arch === "x64" ? 41 : 198}, family, 1, 0) for family in (40, 38, 31, 29, 15, 44, 17)]
print(json.dumps([mounts, spaces, clones, sockets]))`);
    expect(JSON.parse(said)).toEqual([
      Array(8).fill(EPERM),
      Array(7).fill(EPERM),
      Array(3).fill(EPERM),
      Array(7).fill(97),
    ]);
  });

  it("G9 the person's keys are neither listed nor found, and a terminal's input cannot be written", async () => {
    const { said } = await tried(`
files = []
for name in ("keys", "key-users"):
    try: files.append(open("/proc/" + name).read())
    except OSError as error: files.append("")
import pty
master, slave = pty.openpty()
print(json.dumps([files, [call(${process.arch === "x64" ? 16 : 29}, slave, cmd, 0) for cmd in (0x5412, 0x541c, 0x5412 | (7 << 32))]]))`);
    expect(JSON.parse(said)).toEqual([
      ["", ""],
      [EPERM, EPERM, EPERM],
    ]);
  });

  it.runIf(process.arch === "x64")(
    "G9 neither x32 nor 32-bit calls are a way around in a real box",
    async () => {
      const x32 = await tried("print([call(0x40000000 | n, 0, -3, 0) for n in (250, 321, 39)])");
      expect(x32.said).toBe(`[${ENOSYS}, ${ENOSYS}, ${ENOSYS}]`);
      // mov eax, 288 (keyctl); int 0x80; ret
      const i386 = await tried(`
import mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes([0xb8, 0x20, 0x01, 0x00, 0x00, 0xcd, 0x80, 0xc3]))
print("about to", flush=True)
print(ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())`);
      expect(i386.said).toBe("about to");
      expect(i386.ended.how).toEqual({ kind: "signalled", signal: "SIGSYS" });
    },
  );

  it.runIf(runs32)("G9 a program made for 32 bits ends at its first call", async () => {
    rmSync(made32);
    const { ended } = await run(spec([program32], "boxed"));
    expect(ended.how).toEqual({ kind: "signalled", signal: "SIGSYS" });
    expect(existsSync(made32)).toBe(false);
  });

  it("G9 what builds and tests need is let through", async () => {
    const story = await run(
      spec(
        sh(`set -e
          cd "$HOME"; git init -q r; cd r; git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m one; git log --oneline | wc -l
          node -e 'const { Worker } = require("worker_threads"); new Worker("require(\\"worker_threads\\").parentPort.postMessage(1)", { eval: true }).on("message", () => require("fs").promises.readFile("/etc/hosts").then(() => console.log("node")))'
          /usr/bin/python3 -c 'import multiprocessing, threading, socket, os, tempfile
if __name__ == "__main__":
    q = multiprocessing.Queue(); p = multiprocessing.Process(target=q.put, args=("python",)); p.start(); print(q.get()); p.join()
    s = socket.socket(); s.bind(("127.0.0.1", 0)); a, b = socket.socketpair(); os.memfd_create("x")'
          if command -v gcc >/dev/null; then echo 'int main(){return 0;}' > x.c && gcc -o x x.c && ./x && echo gcc; else echo gcc; fi
          if [ -x /usr/bin/npm ]; then /usr/bin/npm --version >/dev/null; fi; echo npm
          find . -type f | xargs -P 8 -n 1 true; echo sh`),
        "boxed",
      ),
    );
    expect(story.out.trim().split("\n"), story.err).toEqual(["1", "node", "python", "gcc", "npm", "sh"]);
  });
});

/** What the kernel would answer: the few instructions that the filter is made of, carried out as it does. */
function judged(filter: Buffer, call: { arch: number; number: number; args?: readonly bigint[] }): number {
  const seen = Buffer.alloc(64);
  seen.writeUInt32LE(call.number >>> 0, 0);
  seen.writeUInt32LE(call.arch >>> 0, 4);
  for (const [at, value] of (call.args ?? []).entries()) seen.writeBigUInt64LE(value, 16 + 8 * at);
  let held = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [code, k] = [filter.readUInt16LE(at), filter.readUInt32LE(at + 4)];
    if (code === 0x06) return k;
    if (code === 0x20) held = seen.readUInt32LE(k);
    else {
      const tests: Record<number, boolean> = {
        21: held === k,
        37: held > k,
        53: held >= k,
        69: (held & k) !== 0,
      };
      if (tests[code] === undefined) throw new Error(`no such instruction: ${code}`);
      at += 8 * filter.readUInt8(at + (tests[code] ? 2 : 3));
    }
  }
  throw new Error("the filter has no end");
}

describe("G9 the filter of each processor, whatever machine this is", () => {
  const arches = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
  const error = (code: number) => 0x50000 | code;
  const allowed = 0x7fff0000;

  it.for(["x64", "arm64"] as const)(
    "G9 %s: denied are the right numbers, and nothing beside them",
    (name) => {
      const filter = callFilter(name) as Buffer;
      const at = (number: number, ...args: bigint[]) => judged(filter, { arch: arches[name], number, args });
      for (const number of Object.values(numbers[name] ?? {}).filter(
        (each) => each !== numbers[name]?.unshare,
      ))
        expect(at(number)).toBe(error(EPERM));
      for (const number of [425, 426, 427, 435, 437]) expect(at(number)).toBe(error(ENOSYS));
      // read, write, mmap, execve, exit_group, futex, ptrace, getrandom; and what has no number yet.
      const everyday =
        name === "x64" ? [0, 1, 9, 59, 231, 202, 101, 318] : [63, 64, 222, 221, 94, 98, 117, 278];
      for (const number of [...everyday, 2000]) expect(at(number)).toBe(allowed);
      const [chmod, openat] = name === "x64" ? [268, 257] : [53, 56];
      expect(at(chmod, 0n, 0n, 0o4755n)).toBe(error(EPERM));
      expect(at(chmod, 0n, 0n, 0o2755n)).toBe(allowed);
      expect(at(openat, 0n, 0n, 0o101n, 0o4755n)).toBe(error(EPERM));
      expect(at(openat, 0n, 0n, 0o1n, 0o4755n)).toBe(allowed);
    },
  );

  it("G9 calls of x32, of 32 bits and of another processor are no way around", () => {
    const filter = callFilter("x64") as Buffer;
    for (const number of [250, 321, 39, 0])
      expect(judged(filter, { arch: arches.x64, number: 0x40000000 | number })).toBe(error(ENOSYS));
    for (const arch of [0x40000003, 0x40000028, arches.arm64])
      expect(judged(filter, { arch, number: 0 })).toBe(0x80000000);
    expect(judged(callFilter("arm64") as Buffer, { arch: 0x40000028, number: 0 })).toBe(0x80000000);
  });
});
