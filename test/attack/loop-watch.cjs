// How long an event loop stands still, and how much it computes in one turn. Loaded into heddle by `--require` it watches
// from the start and writes to $LOOP_WATCH at exit; a test that requires it calls `watchLoop` itself. What the thread
// waited for a processor is taken off: a busy machine is no block of heddle's.
const { readFileSync, writeFileSync } = require("node:fs");

const everyMs = 2;

/** Since the beginning: time on a processor, and in line for one; the kernel counts both for each thread. */
function now() {
  const [ran = "0", waited = "0"] = readFileSync("/proc/thread-self/schedstat", "latin1").split(" ");
  return { wallMs: performance.now(), cpuMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 };
}

/** Ends with the longest time, and the most computing, between two looks at the clock. */
function watchLoop() {
  const blocks = [];
  const longest = { ms: 0, cpuMs: 0 };
  let last = now();
  const look = () => {
    const at = now();
    const ms = at.wallMs - last.wallMs - (at.waitedMs - last.waitedMs);
    const cpuMs = at.cpuMs - last.cpuMs;
    longest.ms = Math.max(longest.ms, ms);
    longest.cpuMs = Math.max(longest.cpuMs, cpuMs);
    if (ms > 30) blocks.push({ ms, cpuMs, endedAtUs: Number(process.hrtime.bigint() / 1000n) });
    last = at;
  };
  const timer = setInterval(look, everyMs).unref();
  return () => {
    clearInterval(timer);
    look();
    return { longest, blocks };
  };
}

exports.watchLoop = watchLoop;

const file = process.env.LOOP_WATCH;
if (file !== undefined)
  // From the first turn of the loop on: until then modules are loaded, and nothing else is under way.
  setImmediate(() => {
    const end = watchLoop();
    process.on("exit", () => writeFileSync(file, JSON.stringify(end())));
  });
