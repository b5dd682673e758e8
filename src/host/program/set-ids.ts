// A file with a set-user-id bit runs as its owner, whoever starts it: one that an agent leaves would be a way for every user
// of the machine to act as the person. In the box no program can make one (`seccomp.ts`); what is left of the group's bit,
// and what an unconfined program made in its own folders, is taken away here.
import { spawn } from "node:child_process";
import { isThere } from "../files.ts";
import { ownProgram } from "./programs.ts";

/** Contract: never throws, follows no link, leaves these folders' own file systems alone; nothing may run in them meanwhile. */
export function dropSetIds(folders: readonly string[]): Promise<void> {
  const there = folders.filter(isThere);
  if (there.length === 0) return Promise.resolve();
  const args = ["-P", ...there, "-xdev", "-type", "f", "-perm", "/6000", "-exec", "chmod", "ug-s", "{}", "+"];
  return new Promise((settle) => {
    const child = spawn(ownProgram("find"), args, {
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      stdio: "ignore",
    });
    child.on("error", () => settle());
    child.on("close", () => settle());
  });
}
