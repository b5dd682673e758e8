// The inbox sleeps between inputs. A woken one that never slept again would keep a core busy and change nothing else, so the
// simulation, which knows no cores, cannot see it.
import { expect, it } from "vitest";
import { Inbox } from "../../src/engine/inbox.ts";

it("X3 sleeps again after it was woken, for as long as it was told", async () => {
  const slept: { ms: number; awake: boolean }[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    slept.push({ ms, awake: signal?.aborted === true });
  };
  const inbox = new Inbox({ sleep } as ConstructorParameters<typeof Inbox>[0]);
  inbox.put({ kind: "tick" });
  expect(await inbox.take(50)).toEqual({ kind: "tick" });
  expect(slept).toEqual([]);
  expect(await inbox.take(50)).toBeUndefined();
  inbox.poke();
  await inbox.take(50);
  await inbox.take(50);
  expect(slept).toEqual([
    { ms: 50, awake: false },
    { ms: 50, awake: true },
    { ms: 50, awake: false },
  ]);
});
