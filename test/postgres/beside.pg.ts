// What lies beside the log in Postgres: signs of life, a turn that is taken from one who stands still, and files for other machines.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Journal } from "../../src/journal/journal.ts";
import { localJournals } from "../../src/journal/local.ts";
import { type Address, addressIn } from "../../src/journal/postgres/address.ts";
import { postgresStore } from "../../src/journal/postgres/store.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { create, submit, ticking } from "../journal/suite.ts";
import { hasPostgres, Server } from "./server.ts";

const plan = { protocol: "decomposition" } as const;
let server: Server;
const open = new Set<Journal>();

beforeAll(async () => {
  if (!hasPostgres) return;
  server = await Server.start();
  process.env.PGPASSWORD = server.password;
});
afterAll(() => server?.stop());
afterEach(() => {
  for (const each of open) each.close();
  open.clear();
});

async function opened(project: string): Promise<Journal> {
  const store = postgresStore(addressIn(server.address(project)) as Address, localJournals);
  await store.create("");
  const journal = await store.open({ root: undefined as never, protocols: protocolNamed, now: ticking() });
  open.add(journal);
  return journal;
}

const by = { pid: 7, startTime: "11", bootId: "b", host: "ada" };

describe.skipIf(!hasPostgres)("beside the log (left out without Postgres)", () => {
  it("U5 another connection sees a sign as it was shown last, of its own project alone, until it is dropped", async () => {
    const [a, b, other] = [await opened("signs"), await opened("signs"), await opened("others")];
    await a.signs?.show({ by, holds: ["plan-1"], serves: true, count: 1 });
    await a.signs?.show({ by, holds: ["plan-1"], serves: true, count: 2 });
    expect(await b.signs?.seen()).toMatchObject([{ by, holds: ["plan-1"], count: 2 }]);
    expect(await other.signs?.seen()).toEqual([]);
    await a.signs?.drop(by);
    expect(await b.signs?.seen()).toEqual([]);
  });

  it("U5 X17 a turn that one stands still with is taken from it, and others go on", async () => {
    const [still, other] = [await opened("turn"), await opened("turn")];
    expect(await other.signs?.isBlocked()).toBe(false);
    let has: () => void = () => {};
    const taken = new Promise<void>((resolve) => {
      has = resolve;
    });
    let wake: () => void = () => {};
    const standing = still.lease(
      () =>
        new Promise<void>((resolve) => {
          wake = resolve;
          has();
        }),
    );
    await taken;
    expect(await other.signs?.isBlocked()).toBe(true);
    await other.signs?.unblock?.();
    expect(await other.lease(async () => "went on")).toBe("went on");
    wake();
    await standing;
    expect(await still.lease(async () => "again")).toBe("again");
  });

  it("U5 a file is had as it was put last; that an older one was there is known", async () => {
    const [a, b] = [await opened("files"), await opened("files")];
    await submit(a, plan, create);
    const file = (digest: string, text: string) => ({
      name: "x/y.json",
      digest,
      from: "ada:/p",
      body: Buffer.from(text),
    });
    await a.shared?.put("plan-1", file("1", "one"));
    await a.shared?.put("plan-1", file("2", "two"));
    await a.shared?.put("plan-1", file("2", "two"));
    expect(await b.shared?.list("plan-1")).toEqual([{ name: "x/y.json", digest: "2", from: "ada:/p" }]);
    expect(
      Buffer.from((await b.shared?.get("plan-1", { name: "x/y.json", digest: "2" })) ?? "").toString(),
    ).toBe("two");
    expect(await b.shared?.get("plan-1", { name: "x/y.json", digest: "1" })).toBeUndefined();
    expect(await b.shared?.wasThere("plan-1", { name: "x/y.json", digest: "1" })).toBe(true);
    expect(await b.shared?.wasThere("plan-1", { name: "x/y.json", digest: "3" })).toBe(false);
    await a.shared?.put("plan-1", file("1", "one"));
    expect(await b.shared?.list("plan-1")).toMatchObject([{ digest: "1" }]);
    expect(await b.verify()).toEqual([]);
  });
});
