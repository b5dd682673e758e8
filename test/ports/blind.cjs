// Loaded into every process of a campaign (`npm run ports -- --carry`): in one that carries an order out, whatever touches a
// project's `.heddle`, its journal included, throws, and is written down as well: what throws may be caught.
const { appendFileSync } = require("node:fs");
const { join } = require("node:path");

/** Not what any command looks for: whether it stands in a project. */
function isForbidden(path) {
  const [, project] = /^(.*)\/\.heddle(?:\/|$)/.exec(path) ?? [];
  return project !== undefined && !`${process.cwd()}/`.startsWith(`${project}/`);
}

function blind(module, append) {
  for (const [key, real] of Object.entries(module)) {
    if (typeof real !== "function" || /^[A-Z_]/.test(key)) continue;
    module[key] = Object.assign(function blinded(...args) {
      if (typeof args[0] === "string" && isForbidden(args[0])) {
        const error = new Error(`bug: ${key}(${args[0]}) where an order is carried out`);
        append(join(__dirname, "../../.tmp/carried-saw.txt"), `${error.stack}\n`);
        throw error;
      }
      return real.apply(this, args);
    }, real);
  }
}

if (process.argv[2] === "carry") {
  const fs = require("node:fs");
  blind(fs.promises, appendFileSync);
  blind(fs, appendFileSync);
}
