// Which workers are there, for people who ask: one look, with the rights of whoever asks.
import { StoreFailure } from "../journal/journal.ts";
import { openQueue } from "./open.ts";
import { type Present, whoIsThere } from "./presence.ts";

/** A sentence where nobody can be seen. */
export async function workersAt(address: string): Promise<readonly Present[] | string> {
  try {
    const queue = await openQueue({ address, isCoordinator: false });
    try {
      return await whoIsThere(queue, "worker");
    } finally {
      await queue.close();
    }
  } catch (error) {
    if (error instanceof StoreFailure) return error.problem.message;
    throw error;
  }
}
