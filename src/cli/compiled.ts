// A built file together with what V8 made of it when heddle was built (`scripts/precompile.ts`): without that, every
// call would compile what it uses anew, 4 ms of a one-shot command. Another V8 refuses it and compiles as usual.
import type { Script } from "node:vm";

type Body = (exports: object, require: NodeJS.Require, module: object) => void;

/** Where the compiled form of a file lies. */
export const besideOf = (file: string) => `${file}.compiled`;

export function compile(file: string): Script {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { Script } = process.getBuiltinModule("node:vm");
  const source = `(function(exports,require,module){${readFileSync(file, "latin1")}\n})`;
  try {
    return new Script(source, { filename: file, cachedData: readFileSync(besideOf(file)) });
  } catch {
    return new Script(source, { filename: file });
  }
}

/** Runs the file as a CommonJS module and gives its exports; whoever requires it later gets the same ones. */
export function runAsModule(script: Script, file: string, require: NodeJS.Require): object {
  const module = { exports: {}, loaded: true };
  require.cache[file] = module as unknown as NodeJS.Module;
  const body = script.runInThisContext() as Body;
  body(module.exports, require, module);
  return module.exports;
}
