// A guard around callbacks that must only compute: while it is on, every function of Node that touches a file or starts a process
// throws. The functions are replaced before any other module is loaded, so whoever takes them has the replaced ones.
export type Guard = <T>(work: () => T) => T;

let isOn = false;

/** Something was done in a callback that is no computing. */
class Impure extends Error {
  override readonly name = "Impure";
}

function guardAll(name: "node:fs" | "node:child_process"): void {
  const module = process.getBuiltinModule(name) as unknown as Record<string, unknown>;
  for (const [key, real] of Object.entries(module)) {
    if (typeof real !== "function" || /^[A-Z_]/.test(key)) continue;
    module[key] = Object.assign(function guarded(this: unknown, ...args: unknown[]) {
      if (isOn) throw new Impure(`bug: ${key}(${String(args[0])}) while a journal was asking`);
      return real.apply(this, args);
    }, real);
  }
}

const guard: Guard = (work) => {
  const was = isOn;
  isOn = true;
  try {
    return work();
  } finally {
    isOn = was;
  }
};

guardAll("node:fs");
guardAll("node:child_process");
Object.assign(globalThis, { heddleGuard: guard });
