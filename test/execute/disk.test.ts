// A full disk in the middle of execution (G7): it stops with a sentence, nothing that was merged is lost, no try is spent,
// and it goes on when there is room again.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canMount, Namespace } from "../e2e/namespace.ts";
import { folder } from "../e2e/rig.ts";
import { sample } from "../thorough.ts";
import { Execution } from "./rig.ts";

function fill(file: string, roomBytes: number): void {
  const fd = openSync(file, "w");
  let size = 0;
  for (const chunk of [65_536, 512]) {
    try {
      for (;;) size += writeSync(fd, Buffer.alloc(chunk, 1));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
    }
  }
  closeSync(fd);
  truncateSync(file, Math.max(0, size - roomBytes));
}

describe.runIf(canMount)("a full disk (left out where no tmpfs can be mounted)", () => {
  it.each(sample([200_000, 60_000, 500_000], 3))(
    "G7 with %i bytes of room: nothing is lost, and it goes on",
    { timeout: 90_000 },
    async (room) => {
      const project = await Execution.ready(
        { tasks: 6 },
        { "*": ['good(); put("src/" + task + ".txt", task + "\\n")'] },
      );
      const { root } = project;
      const copy = folder();
      execFileSync("cp", ["-a", `${root}/.`, copy]);
      const space = await Namespace.open(`mount -t tmpfs -o size=24m none ${root}; cp -a ${copy}/. ${root}`);
      try {
        const inside = (...words: readonly string[]) => space.heddle(root, ...words);
        fill(space.path(`${root}/filler`), room);
        const stopped = await inside(...project.words, "--batch");
        expect(stopped.code, stopped.out + stopped.err).not.toBe(0);
        expect(stopped.err + stopped.out).not.toMatch(/\n\s+at .*\(.*:\d+:\d+\)/);
        expect(stopped.err + stopped.out).toMatch(/full|ENOSPC|No space/i);
        rmSync(space.path(`${root}/filler`));
        await inside("resume");
        for (let n = 0; n < 3; n++) await inside(...project.words, "--batch");
        const status = JSON.parse((await inside("status", "--json")).out);
        expect(status).toMatchObject({ phase: "complete", tasks: { complete: 6 } });
        const log = await space.run(
          [
            "git",
            "-C",
            `${root}/app`,
            "log",
            "--format=%(trailers:key=Heddle-Task,valueonly)",
            "heddle/plan-1",
          ],
          { cwd: root },
        );
        const merged = log.out
          .split("\n")
          .filter((line) => line !== "")
          .sort();
        expect(merged).toEqual(["T001", "T002", "T003", "T004", "T005", "T006"]);
        expect((await inside("verify")).code).toBe(0);
      } finally {
        space.close();
      }
    },
  );
});
