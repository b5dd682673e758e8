import { opencode } from "./agents.ts";
import { agentSuite } from "./suite.ts";

agentSuite(opencode);
