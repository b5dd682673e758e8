// Loaded into the CLI's process before anything else (`--require`): counts what it asks of the journal, the disk and the
// system, and writes that to the file which $HEDDLE_COUNTS names when the process ends.
const childProcess = require("node:child_process");
const fs = require("node:fs");
const sqlite = require("node:sqlite");

const counts = { transactions: 0, writes: 0, viewReads: 0, processes: 0, programs: {}, facts: 0 };

const { exec, prepare } = sqlite.DatabaseSync.prototype;
sqlite.DatabaseSync.prototype.exec = function (sql) {
  // An exclusive one is the lock of a turn (`journal/turn.ts`), in a file without a byte.
  if (/^begin\b(?! exclusive)/.test(sql)) counts.transactions++;
  if (/^begin immediate\b/.test(sql)) counts.writes++;
  return exec.call(this, sql);
};
sqlite.DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (/ from fact where run = \?/.test(sql)) {
    const { all } = statement;
    statement.all = function (...values) {
      const rows = all.apply(this, values);
      counts.facts += rows.length;
      return rows;
    };
  }
  return statement;
};

const { openSync, writeFileSync } = fs;
fs.openSync = (path, ...more) => {
  if (String(path).endsWith("/state.json")) counts.viewReads++;
  return openSync(path, ...more);
};

for (const name of ["spawn", "spawnSync", "execFile", "execFileSync", "fork"]) {
  const start = childProcess[name];
  childProcess[name] = (program, ...more) => {
    const words = Array.isArray(more[0]) ? more[0] : [];
    const shown =
      `${String(program).split("/").at(-1)} ${words.find((word) => /^[a-z][a-z-]+$/.test(word)) ?? ""}`.trim();
    counts.processes++;
    counts.programs[shown] = (counts.programs[shown] ?? 0) + 1;
    if (process.env.HEDDLE_COUNT_STACKS)
      counts.programs[`${shown} ${name}`] = words.slice(0, 12).join(" ").slice(0, 200);
    return start(program, ...more);
  };
}

process.on("exit", () => writeFileSync(process.env.HEDDLE_COUNTS, JSON.stringify(counts)));
