// `heddle worker --prepare`: the queue and its roles, made by somebody who may, before the first run or worker.
import { openQueue } from "./open.ts";
import { coordinatorRole, makeRoles, workerRole } from "./roles.ts";

export interface Prepared {
  readonly text: string;
  readonly queue: string;
  /** Whether the two roles are there. */
  readonly roles: boolean;
}

export async function prepareQueue(address: string): Promise<Prepared> {
  const queue = await openQueue({ address, isCoordinator: true });
  try {
    const why = await makeRoles(queue);
    const { place } = queue;
    const logins = [
      `create role <name> login password '<password>' in role ${workerRole};`,
      `grant ${coordinatorRole} to <user>;`,
    ];
    const text =
      why === undefined
        ? [
            `The queue is in ${place}. For each worker, and for whoever else orchestrates:`,
            ...logins.map((each) => `  ${each}`),
          ]
        : [
            `The queue is in ${place}. Its roles could not be made: ${why}`,
            "  alter role <user> createrole;",
          ];
    return { text: text.join("\n"), queue: place, roles: why === undefined };
  } finally {
    await queue.close();
  }
}
