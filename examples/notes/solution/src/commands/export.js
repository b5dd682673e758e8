import { Mistake } from "../failure.js";
import { formats } from "../formats.js";
import { readNotebook } from "../store.js";

const names = Object.keys(formats);

export const usage = `export [--format ${names.join("|")}]`;
export const summary = "print the whole notebook";
export const options = { format: { type: "string", default: "markdown" } };

export async function run({ file, options, print }) {
  if (!names.includes(options.format)) {
    throw new Mistake(`there is no format \`${options.format}\`; there are ${names.join(", ")}`);
  }
  const { notes } = await readNotebook(file);
  print(formats[options.format](notes));
}
