// `heddle serve`: drives the project's plans for as long as it runs, and stands by for those that another one drives (U5).
import { agentFlags } from "../../command/agent-flags.ts";
import { type Call, type Command, exits } from "../../command/command.ts";
import { problem, Refused } from "../../core/problem.ts";
import { packNamed, packs } from "../../packs/packs.ts";

export const serveCommand: Command = {
  name: "serve",
  summary:
    "drive every plan of the project that can go on, and take over from another coordinator that is gone",
  brief: "coordinate the plans, or stand by",
  group: "run",
  byHand: true,
  flags: {
    parallel: { about: "up to N tasks of a plan at once (64 at most)", takes: "N" },
    ...agentFlags,
  },
  examples: [
    "heddle serve                  # a second one, here or on another machine, stands by",
    "heddle serve --parallel 4 --agent claude",
  ],
  interruptible: true,
  run: async (call) => {
    const app = await call.app();
    // One that was named must be there; without a name all of them are served.
    const only = call.flags.one("run") === undefined ? undefined : await app.run();
    const { serve } = await import("../../standby/serve.ts");
    const { openApp } = await import("../../engine/open.ts");
    const { root, journals } = call;
    // Lines, and no table: several runs share the terminal, and as a rule nobody sits there.
    process.env.HEDDLE_PLAIN = "1";
    const asked = new AbortController();
    const never = new AbortController().signal;
    process.once("SIGTERM", () => asked.abort());
    const inner: Call = { ...call, signal: never, stopNow: () => never };
    call.say(`serving ${only ?? root} as process ${process.pid}: ${what()}; Ctrl-C hands them over`);
    await serve({
      app,
      open: async (run) =>
        openApp({ packs: call.packs, journals, root, by: "operator", run, warn: call.warn }),
      isServed: ({ id, protocol, phase }) =>
        (only ?? id) === id && packNamed(protocol)?.served?.phases.includes(phase) === true,
      drive: async (driven, { protocol }, serving) => {
        const pack = packNamed(protocol);
        if (!pack?.served) throw new Refused([problem("not-served", `\`${protocol}\` is not served`)]);
        return pack.served.drive(inner, driven, serving);
      },
      ...{ say: call.say, warn: call.warn, signal: AbortSignal.any([call.signal, asked.signal]) },
    });
    return { json: undefined, exit: asked.signal.aborted ? exits.done : exits.interrupted };
  },
};

/** Which runs, by protocol and phase. */
function what(): string {
  const served = packs.flatMap(({ name, served: of }) => (of ? [`${name} in ${of.phases.join(", ")}`] : []));
  return `drives runs of ${served.join("; ")}`;
}
