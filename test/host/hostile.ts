// The suite of hostile programs, for any box: a host to escape to, one escape in a box, and what is wrong on the host
// afterwards. `sandbox.test.ts` runs it in bubblewrap, `attack/boxes.attack.ts` in every other box that is there.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ownRuntime } from "../../src/host/program/runtime.ts";
import type { Box } from "../../src/host/program/sandbox.ts";
import { folder, path, run, scratch, sh, spec } from "./programs.ts";

export const canary = "canary-that-nobody-may-read";

/** A host to escape to: an outside, and a workspace in which an earlier attempt has planted a link. */
export function makeHost() {
  const outside = folder("outside");
  const workspace = folder("workspace");
  const id = `heddle-escape-${crypto.randomUUID()}`;
  writeFileSync(join(outside, "canary"), canary);
  for (const name of ["kept/deep", "fixed", "hidden"]) mkdirSync(join(workspace, name), { recursive: true });
  for (const name of ["kept/deep/policy", "fixed/file"]) writeFileSync(join(workspace, name), "policy");
  for (const name of ["hidden/canary", "hidden-file"]) writeFileSync(join(workspace, name), canary);
  symlinkSync(outside, join(workspace, "planted"));
  const input = join(outside, "input");
  writeFileSync(input, "input");
  return { outside, workspace, id, input };
}

export type Host = ReturnType<typeof makeHost>;

/** What the suite gives a box of a host; `sandbox` and `home` are the caller's. */
export function shownOf({ workspace }: Host): Omit<Box, "sandbox" | "home" | "network"> {
  return {
    writable: [workspace],
    readOnly: [...ownRuntime(), join(workspace, "fixed")],
    hidden: [join(workspace, "hidden"), join(workspace, "hidden-file")],
    protect: ["kept/deep/policy", "missing", "absent/hooks"].map((name) => join(workspace, name)),
    tmpBytes: 32 * 1024 * 1024,
  };
}

/** What it printed. */
export async function attemptIn(box: Box, host: Host, script: string): Promise<string> {
  const environment = {
    PATH: [...path, "/usr/sbin", "/sbin"].join(":"),
    ...{
      OUT: host.outside,
      ID: host.id,
      HOST: `${process.pid}`,
      REPO: resolve(import.meta.dirname, "../.."),
    },
  };
  const story = await run(
    spec(sh(script), "unconfined", { environment, cwd: host.workspace, stdin: { file: host.input }, box }),
  );
  if (story.ended.how.kind === "failed-to-start") throw new Error(story.ended.how.message);
  return `${story.out}\n${story.err}`;
}

/** Everything that is wrong on the host after an attempt. */
export function damage({ outside, workspace, id }: Host, printed: string): string[] {
  const found = printed.split("\n").filter((line) => line === "ESCAPED" || line.includes(canary));
  const places = [
    outside,
    scratch,
    "/",
    "/etc",
    "/usr/bin",
    "/usr/local/bin",
    "/usr/lib",
    "/root",
    "/home",
    "/tmp",
  ];
  for (const place of [...places, "/var", "/var/tmp", "/var/spool/cron", "/dev/shm", "/sys/fs/cgroup"])
    if (existsSync(join(place, id))) found.push(`${place}/${id} exists`);
  if (readdirSync(outside).sort().join() !== "canary,input") found.push("files outside");
  if (readFileSync(join(outside, "canary"), "utf8") !== canary) found.push("the canary has changed");
  if (readFileSync(join(outside, "input"), "utf8") !== "input") found.push("the input has changed");
  for (const name of ["kept/deep/policy", "fixed/file"]) {
    const file = join(workspace, name);
    if (!existsSync(file) || readFileSync(file, "utf8") !== "policy") found.push(`${name} has changed`);
  }
  for (const name of ["missing", "absent"])
    if (existsSync(join(workspace, name))) found.push(`${name} is there`);
  if (readFileSync("/etc/hosts", "utf8").includes(id)) found.push("/etc/hosts has changed");
  return found;
}
