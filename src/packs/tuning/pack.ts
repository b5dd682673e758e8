// Tuning as a pack: a skill is improved beside whatever else goes on in the project.
import type { Pack } from "../pack.ts";

export const tuningPack: Pack = {
  name: "tuning",
  protocol: async () => (await import("./protocol.ts")).tuning,
  everyday: ["tune"],
  commands: [{ load: () => import("./commands/tune.ts"), commands: { tune: "tune" } }],
  // It is moved by `heddle tune` alone, which knows its actions.
  next: async (call, app) => (await import("./commands/next.ts")).showTuning(call, app),
  isBeside: () => true,
};
