// Loads a plan from memory into a new journal in the current folder, and writes down how long the transaction took.
// A process of its own, so that its peak memory is its own.
import { writeFileSync } from "node:fs";
import { carryOut } from "../src/core/step.ts";
import { createDatabase } from "../src/journal/schema.ts";
import { SqliteJournal } from "../src/journal/sqlite.ts";
import { protocolNamed } from "../src/packs/registry.ts";
import { planOf } from "./plan.ts";

const tasks = planOf({ size: Number(process.argv[2]), width: 100 });
createDatabase("heddle.db");
const journal = new SqliteJournal({
  path: "heddle.db",
  protocols: protocolNamed,
  now: () => new Date().toISOString(),
});
const { run } = await journal.transact({ protocol: "decomposition" }, "bench", (draft) =>
  carryOut(draft, { kind: "create", targetDir: "/target", planningDir: "/planning" }),
);
const [started, used] = [performance.now(), process.cpuUsage()];
const { problems } = await journal.transact({ run }, "bench", (draft) =>
  carryOut(draft, { kind: "load-plan", tasks }),
);
const { user, system } = process.cpuUsage(used);
const seconds = { wall: (performance.now() - started) / 1e3, cpu: (user + system) / 1e6 };
journal.close();
if (problems.length > 0) throw new Error(`bug: ${problems[0]?.message}`);
writeFileSync("seconds.json", JSON.stringify(seconds));
