// What a role left in its outbox, taken over once: copied, file by file and only as plain text of bounded size, to a
// place of heddle's own. From then on nobody looks into the outbox again, whatever becomes of it.
import { basename, dirname, join } from "node:path";
import {
  isPlainFile,
  isPlainFolder,
  isThereItself,
  makeFolder,
  remove,
  rename,
  replaceFile,
} from "../host/files.ts";
import { listHandedIn, readHandedIn } from "../host/handed-in.ts";
import type { OutputKind } from "./product.ts";
import type { RoleFolder } from "./role-folder.ts";

/** More files than the largest plan has. */
const mostFiles = 20_000;

/** Why nothing was taken over; `strange`: what lies there is no output at all. */
export interface NotTaken {
  readonly message: string;
  readonly strange: boolean;
}

/** Nothing when it is taken over, was before, or is not there. */
export function takeOutput(kind: OutputKind, { output, taken }: RoleFolder): NotTaken | undefined {
  if (isThereItself(taken)) return undefined;
  const fresh = `${dirname(taken)}.new`;
  remove(fresh);
  const wrong = kind === "file" ? takeFile(output, fresh) : takeFolder(output, join(fresh, basename(taken)));
  if (wrong !== undefined || !isThereItself(fresh)) return wrong;
  remove(dirname(taken));
  rename(fresh, dirname(taken));
  return undefined;
}

function takeFile(file: string, folder: string): NotTaken | undefined {
  if (!isThereItself(file)) return undefined;
  if (!isPlainFile(file))
    return strange(`${file} is not a plain file or folder: write the output itself there`);
  const read = readHandedIn(file);
  if ("problem" in read) return { message: read.problem.message, strange: false };
  makeFolder(folder);
  replaceFile(join(folder, basename(file)), read.text);
  return undefined;
}

const strange = (message: string): NotTaken => ({ message, strange: true });

function takeFolder(from: string, to: string): NotTaken | undefined {
  if (!isThereItself(from)) return undefined;
  if (!isPlainFolder(from))
    return strange(`${from} is not a plain file or folder: write the output itself there`);
  const listed = listHandedIn(from, mostFiles);
  if (listed === "too many") return strange(`${from} holds more than ${mostFiles} files`);
  for (const { name, kind } of listed) {
    const file = join(from, name);
    if (kind !== "file")
      return strange(`${file} is not a plain file or folder: write the output itself there`);
    const wrong = name.endsWith(".json") ? takeFile(file, to) : undefined;
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
