// `heddle settings`: files of the repository that would steer an agent, and a person's approval of them.

import type { Call, Command } from "../../command/command.ts";
import { closest, problem } from "../../core/problem.ts";
import { Refused } from "../../engine/app.ts";
import type { Settings, Steered } from "../../orders/steering.ts";

const engine = () => import("../../orders/steering.ts");
const agent = { name: "agent", about: "claude, codex, gemini or opencode" } as const;
const states = { on: "approved", off: "off", changed: "off: changed since they were approved" } as const;

async function named({ args: [word = ""] }: Pick<Call, "args">): Promise<Steered> {
  const { steeredAgents } = await engine();
  const found = steeredAgents.find((each) => each === word);
  if (found) return found;
  const meant = closest(word, steeredAgents);
  throw new Refused([
    problem("unknown-agent", `\`${word}\` has no settings that heddle knows`, {
      hint: meant ? `did you mean \`${meant}\`?` : `one of ${steeredAgents.join(", ")}`,
    }),
  ]);
}

export const list: Command = {
  name: "settings list",
  summary:
    "list files of the target that would steer an agent (hooks, MCP servers, settings), and who may follow them",
  group: "look",
  examples: ["heddle settings list"],
  run: async ({ app, manner }) => {
    const { settingsOf } = await engine();
    const all = await settingsOf(await app());
    const shown = all.flatMap((each) => [
      `${each.title}: ${states[each.state]}`,
      ...each.files.map(({ path }) => `  ${path}`),
      ...(each.state === "on" ? [] : [`  hint: ${manner(`settings show ${each.agent}`)}`]),
    ]);
    return {
      text: shown.join("\n") || "no file of the target would steer an agent",
      json: all.map(shortly),
    };
  },
};

export const show: Command = {
  name: "settings show",
  summary: "print what would steer an agent, as the next attempt would see it",
  group: "look",
  args: [agent],
  examples: ["heddle settings show claude"],
  run: async (call) => {
    const { settingsFor } = await engine();
    const found = await settingsFor(await call.app(), await named(call));
    const files = found.files.map(({ path, text }) => `--- ${path}\n${text.trimEnd()}`);
    const last =
      found.state === "on"
        ? `approved: ${found.title} follows them; ${call.manner(`settings revoke ${found.agent}`)} takes it back`
        : `${states[found.state]}\nhint: ${call.manner(`settings approve ${found.agent} --seen ${found.sha256.slice(0, 16)}`)}`;
    return {
      text: [...files, "---", last].join("\n"),
      json: { ...shortly(found), contents: contents(found) },
    };
  },
};

const shortly = ({ agent: word, title, files, sha256, state }: Settings) => ({
  ...{ agent: word, title, state, sha256 },
  files: files.map(({ path, sha256: digest }) => ({ path, sha256: digest })),
});

const contents = ({ files }: Settings) => Object.fromEntries(files.map(({ path, text }) => [path, text]));

export const approve: Command = {
  name: "settings approve",
  summary:
    "let an agent follow the target's own settings as they are now; changed ones must be approved again",
  group: "keep",
  args: [agent],
  flags: { seen: { about: "only if they are still what `settings show` printed", takes: "SHA256" } },
  byHand: true,
  examples: ["heddle settings approve claude", "heddle settings approve claude --seen 3f2ab1c90d5e7a41"],
  run: async (call) => {
    const { approveSettings } = await engine();
    const found = await approveSettings(await call.app(), await named(call), call.flags.one("seen"));
    const text = [
      `approved for ${found.title} (sha256 ${found.sha256.slice(0, 16)}…):`,
      ...found.files.map(({ path }) => `  ${path}`),
    ].join("\n");
    return { text, json: shortly(found) };
  },
};

export const revoke: Command = {
  name: "settings revoke",
  summary: "take an approval of an agent's settings back",
  group: "keep",
  args: [agent],
  byHand: true,
  examples: ["heddle settings revoke claude"],
  run: async (call) => {
    const { revokeSettings } = await engine();
    const word = await named(call);
    const revoked = await revokeSettings(await call.app(), word);
    return {
      text: revoked ? `the target's settings for ${word} are off again` : "they were not approved",
      json: { agent: word, revoked },
    };
  },
};
