// Data flow: whether what is named is there, and whether documents can be read and met.
import type { Finding } from "../finding.ts";
import type { Seen } from "../see.ts";
import { missingFiles } from "./references.ts";
import { diagnoseSchemas } from "./schemas.ts";

export function diagnoseDataflow(seen: Seen): Finding[] {
  return [...missingFiles(seen), ...diagnoseSchemas(seen)];
}
