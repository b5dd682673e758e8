// `--web`: the page beside the work of a command. It is a process of its own, so that neither slows the other, and it ends with the
// command, however that ends: it reads from a pipe that only the command holds.
import { spawn } from "node:child_process";
import { recordIn } from "../core/json.ts";
import type { Call } from "./command.ts";

export const webFlag = {
  web: { about: "show the run on a page in the browser meanwhile (`heddle web`)", byHand: true },
  "no-open": { about: "with `--web`: print the link, and open no browser", byHand: true },
} as const;

/** Set for that process: it waits for a project, tells its link in a line of JSON, and ends when its input does. */
export const besideName = "HEDDLE_WEB_BESIDE";

/** How long a command waits for the link before it begins: later it is told in between. */
const patienceMs = 3000;

/** `root`: of the project, which need not be there yet. */
export async function webBeside(call: Call, root = call.root): Promise<void> {
  if (!call.flags.has("web")) return;
  const words = [...process.execArgv, process.argv[1] ?? "", "web", "--dir", root];
  if (call.flags.has("no-open")) words.push("--no-open");
  const child = spawn(process.execPath, words, {
    env: { ...process.env, [besideName]: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const told = new Promise<void>((settle) => {
    child.on("error", () => settle());
    child.on("exit", () => settle());
    let heard = "";
    child.stdout.on("data", (bytes: Buffer) => {
      heard += bytes.toString("utf8");
      const page = recordIn(heard.split("\n", 1)[0])?.page;
      if (typeof page !== "string") return;
      child.stdout.removeAllListeners("data");
      call.say(`page: ${page}`);
      settle();
    });
  });
  const isThere = await call.journals.has(root);
  if (isThere) await Promise.race([told, new Promise((settle) => setTimeout(settle, patienceMs).unref())]);
  // The command ends when its work does, and not with the page.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref?: () => void }).unref?.();
}
