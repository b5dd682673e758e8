// Copies a file or a folder with everything in it, sharing blocks where the file system can. Never by hard links: what is written
// into one copy would be in the others, whoever wrote it.
import { spawn } from "node:child_process";
import { ownProgram } from "./program/programs.ts";

const flags = process.platform === "darwin" ? ["-Rpc"] : ["-aT", "--reflink=auto"];

export function cloneTree(from: string, to: string): Promise<void> {
  return new Promise((settle, fail) => {
    const child = spawn(ownProgram("cp"), [...flags, "--", from, to], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
    child.on("error", fail);
    child.on("close", (code) => (code === 0 ? settle() : fail(new Error(said.trim()))));
  });
}
