// Who works, and whether in a box: the flags of every command that sets agents to work. Only a person gives them.
export const agentFlags = {
  agent: {
    about:
      "who works: claude, codex, acp:gemini, command:./program, scripted:file.json, or a name from the configuration",
    takes: "NAME",
    byHand: true,
  },
  unconfined: { about: "run agents without a sandbox; every view then says so", byHand: true },
} as const;
