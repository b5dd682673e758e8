// Brings a plan to `ready` by the same commands that a host would type, all in one process: the benches of execution begin
// where planning ends, and should not wait for it.
import { main } from "../src/cli/main.ts";

const [root = "", steps = "[]"] = process.argv.slice(2);
for (const words of JSON.parse(steps) as string[][]) {
  const code = await main([...words, "--dir", root]);
  if (code !== 0) throw new Error(`heddle ${words.join(" ")}: exit ${code}`);
}
