// A desk for the tests of commands: a notebook in a folder of its own, and a calendar on which every command is given
// one day after the one before.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../src/cli.js";

export async function desk(t) {
  const folder = await mkdtemp(join(tmpdir(), "notes-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "notes.json");
  let day = 0;
  const notes = async (...args) => {
    let printed = "";
    const stdout = { write: (text) => (printed += text) };
    const moment = new Date(Date.UTC(2026, 2, ++day, 9, 30));
    const status = await main(args, { stdout, env: { NOTES_FILE: file }, now: () => moment });
    return { status, printed };
  };
  return { file, notes };
}
