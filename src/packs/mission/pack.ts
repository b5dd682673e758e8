// Mission as a pack: a goal, reached phase by phase.
import type { Pack } from "../pack.ts";

export const missionPack: Pack = {
  name: "mission",
  protocol: async () => (await import("./protocol.ts")).mission,
  hasTasks: true,
  everyday: ["mission"],
  handIns: async () => [(await import("./read-summary.ts")).summaryHandIn],
  commands: [
    {
      load: () => import("./commands/mission.ts"),
      commands: { mission: "mission", "mission init": "missionInit", "mission run": "missionRun" },
    },
  ],
  next: async (call, app) => (await import("./commands/mission.ts")).goOnWithMission(call, app),
  // Its tasks were made a plan: that is the work until it is handed back.
  isBeside: (phase) => phase === "handed_over",
};
