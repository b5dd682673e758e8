// The home of an agent is gone when the agent is: what agents keep there of a conversation is not redacted, and nobody
// takes up a conversation that has ended. Until then it stays, because an interrupted one may go on.
import { removeTree } from "../../host/remove-tree.ts";

export async function forgetHome(home: string): Promise<void> {
  try {
    await removeTree(home);
  } catch {
    // An agent can make folders that only root can remove; that is not worth its work.
  }
}
