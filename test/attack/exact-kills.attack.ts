// Item by item, every command is killed at each rename, unlink, link, sync and folder that it or one of its gits makes,
// and the next command ends what it had begun: the same end as without the kill, and nothing left lying about.
// A sample with a fixed seed; `HEDDLE_EXACT_KILLS=all` takes every point, `HEDDLE_EXACT_KILLS=n` about n per command.
import { describe, expect, it } from "vitest";
import { hasStrace, killedAt, named, pointsOf } from "./kill-points.ts";
import { scenes } from "./kill-scenes.ts";
import { Stage, sample, wrongAfter } from "./kill-stage.ts";

describe.skipIf(!hasStrace)("killed at an exact call (left out where there is no strace)", () => {
  for (const scene of scenes)
    it(`G1 L12 ${scene.name}: the next command ends it`, { timeout: 3_600_000 }, async () => {
      const stage = new Stage();
      await stage.prepare(scene);
      const { points, ran } = await pointsOf(stage.order(scene.words));
      expect(ran.code, ran.err + ran.out).toBe(0);
      for (const words of scene.after) await stage.run(words);
      const clean = await stage.end();
      const wrong: string[] = [];
      let kills = 0;
      for (const point of sample(points, scene.name)) {
        stage.back();
        const killed = await killedAt(stage.order(scene.words), point);
        if (killed.signal === "SIGKILL" || killed.code !== 0) kills++;
        for (const each of await wrongAfter(stage, scene, { clean, ran: killed }))
          wrong.push(`${named(point)}: ${each}`);
      }
      if (wrong.length > 0) console.log(wrong.join("\n\n"));
      expect(wrong.join("\n\n")).toBe("");
      expect(kills).toBeGreaterThan(0);
      console.log(`${scene.name}: ${kills} kills of ${points.length} points`);
    });
});
