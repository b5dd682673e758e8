// A role's own way to heddle while it works: the lines that it logs (C11), and nothing else. The command that its bundle names
// works in its box as it stands; what a role makes lies in its outbox, and is checked from there.
import { join } from "node:path";
import type { Outcome } from "../../core/input.ts";
import { wallClock } from "../../host/clock.ts";
import { secretValues } from "../../host/program/environment.ts";
import { trustedPath } from "../../host/program/programs.ts";
import { redactor } from "../../host/program/redact.ts";
import type { Hearing } from "../order.ts";
import type { RoleWork } from "../run-role.ts";
import { openDoor } from "./door.ts";
import { mostWritten } from "./requests.ts";

/** `carryOut` is given the work with the way to the log in its environment. */
export async function withLog(
  { submit, log }: Pick<Hearing, "submit" | "log">,
  work: RoleWork,
  carryOut: (work: RoleWork) => Promise<Outcome>,
): Promise<Outcome> {
  const { role, attempt, folder, place, readable, watch } = work;
  const events = join(folder.folder, "events.jsonl");
  const door = await openDoor({
    ...{ submit, log, task: null, who: role, attempt },
    folder: { ...folder, events, asked: "", proposed: "" },
    now: wallClock,
    redact: redactor(secretValues(process.env)).text,
    watch: (event) => watch(role, event),
    left: { ...mostWritten },
  });
  // A program of a person's own calls `heddle` by its name.
  const path = `${door.folder}:${place?.env?.PATH ?? trustedPath()}`;
  const env = { ...place?.env, HEDDLE_LOG_SOCKET: door.path, PATH: path };
  try {
    return await carryOut({
      ...work,
      readable: [...readable, door.folder],
      place: { cwd: folder.work, writable: [], ...place, env },
    });
  } finally {
    await door.close();
  }
}
