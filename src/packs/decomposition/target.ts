// What lies in the target before anything is planned.
import { readdirSync } from "node:fs";

/** Anything but what git and heddle themselves put there. */
export function hasFiles(target: string): boolean {
  try {
    return readdirSync(target).some(
      (name) => ![".git", ".heddle", ".meta", "project-planning", ".gitignore"].includes(name),
    );
  } catch {
    return false;
  }
}
