// The notebook on disk: `next` is the id of the next note, `notes` are in the order in which they were made.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { Failure } from "./failure.js";

export function notesFile(given, env) {
  return given || env.NOTES_FILE || "notes.json";
}

export async function readNotebook(file) {
  const text = await readFile(file, "utf8").catch((error) => {
    if (error.code === "ENOENT") return '{ "next": 1, "notes": [] }';
    throw new Failure(`can not read \`${file}\` (${error.code})`);
  });
  const notebook = parsed(text);
  if (!isNotebook(notebook)) throw new Failure(`\`${file}\` is not a notebook; it is left as it is`);
  return notebook;
}

/** Writes beside the file and renames, so that no reader ever sees half a notebook. */
export async function writeNotebook(file, notebook) {
  const draft = `${file}.${process.pid}.draft`;
  try {
    await writeFile(draft, `${JSON.stringify(notebook, null, 2)}\n`, { flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new Failure(`can not write \`${file}\` (${error.code})`);
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isNotebook(value) {
  return Number.isInteger(value?.next) && Array.isArray(value.notes) && value.notes.every(isNote);
}

function isNote(value) {
  const { id, text, tags, created } = value ?? {};
  return (
    Number.isInteger(id) && typeof text === "string" && Array.isArray(tags) && typeof created === "string"
  );
}
