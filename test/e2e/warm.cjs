// A process that is kept for the next command. It runs the built CLI as `heddle.js` does, again and again: every module
// anew, in the given directory with the given environment, and what a process does at its end. What is saved is the start
// of Node and the compiling. `warm.ts` talks to it.
"use strict";
const { readdirSync, readFileSync, writeSync } = require("node:fs");
const { basename, join } = require("node:path");
const { constants, Script } = require("node:vm");

const dist = process.argv[2];
const scripts = new Map();

function compiled(file) {
  const known = scripts.get(file);
  if (known) return known;
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(file, "utf8")}\n})`;
  const script = new Script(source, {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  scripts.set(file, script);
  return script;
}

/** A world of modules in which nothing was loaded yet. */
function freshModules() {
  const loaded = {};
  const load = (file) => {
    if (loaded[file]) return loaded[file].exports;
    const module = { exports: {}, loaded: true };
    loaded[file] = module;
    compiled(file).runInThisContext()(module.exports, requireFrom, module, file, dist);
    return module.exports;
  };
  const requireFrom = (name) => (name.startsWith("./") ? load(join(dist, basename(name))) : require(name));
  requireFrom.cache = loaded;
  return load;
}

function setEnvironment(environment) {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) process.env[name] = value;
}

/** What listens to the process, to take away afterwards what a command added. */
const listening = () => new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));

function atExit(code, before) {
  for (const name of process.eventNames())
    for (const listener of process.rawListeners(name)) {
      if (before.get(name)?.includes(listener)) continue;
      if (name === "exit") listener.call(process, code);
      process.removeListener(name, listener);
    }
  process.exitCode = undefined;
}

/** Whether it left its mark on purpose (`src/host/underway.ts`): the next command clears up once this process is gone. */
function isMarked(cwd) {
  try {
    return readdirSync(join(cwd, ".heddle/underway")).some((name) => name.startsWith(`${process.pid}~`));
  } catch {
    return false;
  }
}

/** The other side may not have read what there is yet. */
function put(fd, text) {
  let bytes = Buffer.from(text);
  while (bytes.length > 0)
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
}

/** As `src/cli/entry.ts` begins, and as Node ends: when nothing keeps the process alive any more, and not before. */
function run({ words, cwd, environment, mark }) {
  const before = listening();
  setEnvironment(environment);
  process.chdir(cwd);
  process.argv = [process.execPath, join(dist, "heddle.js"), ...words];
  process.channel.unref();
  process.once("beforeExit", () => {
    process.channel.ref();
    const code = process.exitCode ?? 0;
    atExit(code, before);
    const last = isMarked(cwd);
    process.chdir("/");
    for (const fd of [1, 2]) put(fd, `${mark}${code}${last ? " last" : ""}\n`);
    if (last) process.exit();
  });
  const { main } = freshModules()(join(dist, "everyday.js"));
  main(words).then((code) => {
    process.exitCode = code;
  });
}

process.on("disconnect", () => process.exit());
process.on("message", run);
