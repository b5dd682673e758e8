// The programs that let Claude Code and Codex speak the Agent Client Protocol.
import { claudeBridge, codexBridge } from "./agents.ts";
import { agentSuite } from "./suite.ts";

agentSuite(claudeBridge);
agentSuite(codexBridge);
