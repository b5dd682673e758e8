import { readdir } from "node:fs/promises";

export const usage = "help";
export const summary = "print this page";

export async function run({ print }) {
  const files = await readdir(import.meta.dirname);
  const commands = await Promise.all(files.sort().map((file) => import(`./${file}`)));
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  print("usage: notes <command> [--file <path>]\n");
  for (const { usage, summary } of commands) print(`  ${usage.padEnd(width)}  ${summary}`);
  print("\nNotes live in the file given with --file, else in $NOTES_FILE, else in notes.json.");
}
