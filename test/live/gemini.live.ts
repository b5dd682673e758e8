import { gemini } from "./agents.ts";
import { agentSuite } from "./suite.ts";

agentSuite(gemini);
