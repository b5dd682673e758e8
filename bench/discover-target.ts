// A process of its own that discovers a target and writes down how many files it saw.
import { writeFileSync } from "node:fs";
import { discoverProject } from "../src/discovery/discover.ts";

const found = await discoverProject(process.argv[2] ?? "");
if ("code" in found) throw new Error(`bug: ${found.message}`);
writeFileSync("found.json", JSON.stringify({ files: found.structure.files }));
