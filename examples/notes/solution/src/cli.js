// From the words on the command line to the command that they name. A command is a file in `commands/`, so a new one
// changes nothing here.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { Mistake } from "./failure.js";
import { notesFile } from "./store.js";

/** Returns the exit status; what goes wrong is thrown. */
export async function main([name = "help", ...rest], { stdout, env, now }) {
  const print = (text) => stdout.write(`${text}\n`);
  if (name === "--version") {
    print(manifest.version);
    return 0;
  }
  const command = await load(name === "--help" ? "help" : name);
  const { values: options, positionals: words } = parse(rest, command.options);
  const file = notesFile(options.file, env);
  return (await command.run({ file, words, options, print, now })) ?? 0;
}

async function load(name) {
  const files = await readdir(join(import.meta.dirname, "commands"));
  if (!files.includes(`${name}.js`)) throw new Mistake(`there is no command \`${name}\`; see \`notes help\``);
  return import(`./commands/${name}.js`);
}

function parse(args, options) {
  try {
    return parseArgs({ args, options: { ...options, file: { type: "string" } }, allowPositionals: true });
  } catch (error) {
    if (!error.code?.startsWith("ERR_PARSE_ARGS")) throw error;
    const [sentence] = error.message.split(/\. |\.?\n/);
    throw new Mistake(`${sentence}; see \`notes help\``);
  }
}
