// Every transcript in this folder, played against the core. `REWRITE=1` writes what really followed: then read the diff.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { play } from "./transcript.ts";

const folder = import.meta.dirname;

describe("transcripts", () => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  it.each(names)("%s", (name) => {
    const path = join(folder, name);
    const text = readFileSync(path, "utf8");
    const played = play(text);
    if (process.env.REWRITE) writeFileSync(path, played);
    else expect(played).toBe(text);
  });
});
