// Opening the person's browser. Whoever is on the machine can read the words of a command, so the link is not among them: the browser is
// given a file that only the person can read, which leads on, and which is gone a moment later.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownProgram } from "../../host/program/programs.ts";

const keptMs = 20_000;

/** Whether there is a screen to open it on. */
export function hasScreen({ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv = process.env): boolean {
  return process.platform === "darwin" || (DISPLAY ?? WAYLAND_DISPLAY ?? "") !== "";
}

/** Answers with what takes the file away again. Where no browser can be started, nothing happens: the link is printed as well. */
export function openBrowser(link: string): () => void {
  const folder = mkdtempSync(join(process.env.XDG_RUNTIME_DIR ?? tmpdir(), "heddle-page-"));
  const file = join(folder, "open.html");
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}">`, { mode: 0o600 });
  const clear = () => rmSync(folder, { recursive: true, force: true });
  const how = { detached: true, stdio: "ignore" } as const;
  const child =
    process.platform === "darwin"
      ? spawn(ownProgram("open"), [file], how)
      : spawn(ownProgram("xdg-open"), [file], how);
  child.on("error", clear);
  child.unref();
  setTimeout(clear, keptMs).unref();
  return clear;
}
