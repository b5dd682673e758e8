// The home of an agent is gone when the agent is: what agents keep there of a conversation is not redacted, and nobody
// takes up a conversation that has ended. Until then it stays, because an interrupted one may go on.
import { remove } from "../host/files.ts";

export function forgetHome(home: string): void {
  try {
    remove(home);
  } catch {
    // An agent can make folders that only root can remove; that is not worth its work.
  }
}
