// The same calls at which `exact-kills` lets a command die fail instead, as on a full or broken disk: one sentence, nothing
// lost, and the next command comes to the same end.
import { describe, expect, it } from "vitest";
import { failedAt, hasStrace, pointsOf } from "./kill-points.ts";
import { scenes } from "./kill-scenes.ts";
import { Stage, sample, wanted, wrongAfter } from "./kill-stage.ts";

const failures = [
  ["fsync", "EIO"],
  ["rename", "ENOSPC"],
  ["unlink", "EIO"],
  ["link", "ENOSPC"],
  ["mkdir", "ENOSPC"],
] as const;

describe.skipIf(!hasStrace)("a call that fails", () => {
  for (const scene of scenes)
    it(`G7 C14 ${scene.name}: one sentence, and nothing is lost`, { timeout: 3_600_000 }, async () => {
      const stage = new Stage();
      await stage.prepare(scene);
      const { points } = await pointsOf(stage.order(scene.words));
      for (const words of scene.after) await stage.run(words);
      const clean = await stage.end();
      const wrong: string[] = [];
      const own = points.filter(
        ({ victim, call }) => victim === "heddle" && failures.some(([each]) => each === call),
      );
      for (const point of sample(own, `${scene.name}!`).slice(0, wanted === "all" ? undefined : 2)) {
        stage.back();
        const error = failures.find(([call]) => call === point.call)?.[1] ?? "EIO";
        const ran = await failedAt(stage.order(scene.words), point, error);
        for (const each of await wrongAfter(stage, scene, { clean, ran }))
          wrong.push(`${error} at ${point.call} ${point.nth}: ${each}`);
      }
      expect(wrong.join("\n\n")).toBe("");
    });
});
